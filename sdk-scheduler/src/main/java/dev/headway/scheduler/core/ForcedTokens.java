package dev.headway.scheduler.core;

import dev.headway.api.request.Grammar;
import dev.headway.api.request.Request;
import dev.headway.api.step.TokenConstraints;
import java.util.Arrays;

/** The outputs that a request is given beforehand, as a grammar of one text. */
final class ForcedTokens implements Grammar {

  private final Request request;
  private final int wordsPerRow;
  private int accepted;

  /** Of a request that has some, all of the vocabulary. */
  ForcedTokens(Request request, int vocabularySize) {
    this.request = request;
    this.wordsPerRow = TokenConstraints.wordsPerRow(vocabularySize);
  }

  @Override
  public boolean accept(int tokenId) {
    if (request.forcedTokenId(accepted) != tokenId) {
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
    return accepted == request.forcedTokens();
  }

  @Override
  public void fillMask(int[] mask, int offset) {
    final int next = request.forcedTokenId(accepted);
    Arrays.fill(mask, offset, offset + wordsPerRow, 0);
    mask[offset + next / Integer.SIZE] = 1 << (next % Integer.SIZE);
  }
}
