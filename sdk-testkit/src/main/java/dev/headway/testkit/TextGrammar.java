package dev.headway.testkit;

import dev.headway.api.request.Grammar;
import dev.headway.api.step.TokenConstraints;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** A grammar that allows one text, token by token. One thread. */
public final class TextGrammar implements Grammar {

  private final int words;
  private final int[] text;
  private int accepted;

  /** Makes a grammar that is complete behind these tokens. */
  public TextGrammar(int vocabularySize, int... text) {
    words = TokenConstraints.wordsPerRow(vocabularySize);
    this.text = text.clone();
  }

  /** A stage that is complete, for {@code Request.Builder.grammar}. */
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
    Arrays.fill(mask, offset, offset + words, 0);
    mask[offset + (text[accepted] >> 5)] = 1 << text[accepted];
  }
}
