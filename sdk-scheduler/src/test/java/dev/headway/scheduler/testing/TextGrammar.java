package dev.headway.scheduler.testing;

import dev.headway.api.request.Grammar;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** Allows one text, token by token, and counts what it was asked. */
public final class TextGrammar implements Grammar {

  private final int[] text;
  private int accepted;

  /** Makes a grammar that is complete behind these tokens. */
  public TextGrammar(int... text) {
    this.text = text;
  }

  /** A stage that is complete. */
  public CompletableFuture<Grammar> compiled() {
    return CompletableFuture.completedFuture(this);
  }

  /** Tokens accepted and not taken back. */
  public int accepted() {
    return accepted;
  }

  @Override
  public boolean accept(int tokenId) {
    if (text[accepted] != tokenId) {
      return false;
    }
    accepted++;
    return true;
  }

  @Override
  public void rollback(int tokens) {
    accepted -= tokens;
  }

  @Override
  public boolean isTerminated() {
    return accepted == text.length;
  }

  @Override
  public void fillMask(int[] mask, int offset) {
    Arrays.fill(mask, offset, offset + 1, 0); // vocabularies of up to 32 tokens
    mask[offset] = 1 << text[accepted];
  }
}
