package dev.headway.cuda.executor;

import dev.headway.api.request.Grammar;
import dev.headway.api.step.TokenConstraints;
import java.util.SplittableRandom;

/** A grammar that allows some tokens at random at each output, by a seed. One thread. */
final class RandomMasks implements Grammar {
  private final long seed;
  private final int vocabulary;
  private int accepted;

  RandomMasks(long seed, int vocabulary) {
    this.seed = seed;
    this.vocabulary = vocabulary;
  }

  /** The mask of an output: of one token, of some, of nearly all, in turn. */
  static int[] mask(long seed, int vocabulary, int output) {
    final SplittableRandom random = new SplittableRandom(seed + output);
    final int[] mask = new int[TokenConstraints.wordsPerRow(vocabulary)];
    final int allowed = new int[] {1, 5, 20, 2 * vocabulary}[(int) ((seed + output) & 3)];
    for (int i = 0; i < allowed; i++) {
      final int token = random.nextInt(vocabulary);
      mask[token >> 5] |= 1 << token;
    }
    return mask;
  }

  @Override
  public boolean accept(int tokenId) {
    final int[] mask = mask(seed, vocabulary, accepted);
    if ((mask[tokenId >> 5] >>> tokenId & 1) == 0) {
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
    return false;
  }

  @Override
  public void fillMask(int[] mask, int offset) {
    final int[] now = mask(seed, vocabulary, accepted);
    System.arraycopy(now, 0, mask, offset, now.length);
  }
}
