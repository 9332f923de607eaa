package dev.headway.cuda.executor;

import dev.headway.api.step.TokenConstraints;
import java.util.Arrays;

/**
 * The first entry of a step may sample some tokens; bits of its last word that are no token's are
 * set as well. The others are free.
 *
 * @param vocabulary no multiple of 32
 * @param rowsOfIt how many masks the first entry has
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FirstEntryMask(int vocabulary, int rowsOfIt, int... allowed) implements TokenConstraints {
  @Override
  public boolean isEmpty() {
    return false;
  }

  @Override
  public boolean awaitOutputs() {
    return false;
  }

  @Override
  public int rows(int entry) {
    return entry == 0 ? rowsOfIt : 0;
  }

  @Override
  public int fill(int entry, int[] masks, int offset, int wordsPerRow) {
    Arrays.fill(masks, offset, offset + wordsPerRow, 0);
    masks[offset + (vocabulary >> 5)] = -1 << vocabulary;
    for (int token : allowed) {
      masks[offset + (token >> 5)] |= 1 << token;
    }
    return rowsOfIt;
  }
}
