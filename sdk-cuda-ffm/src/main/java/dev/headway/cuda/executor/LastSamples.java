package dev.headway.cuda.executor;

import java.util.Arrays;

/**
 * Which request sampled in which place of the step before: a token that the host has not seen yet
 * is carried from there. One thread; allocates nothing once its arrays have grown.
 */
final class LastSamples {
  /** The request sampled nothing in the step before. */
  static final int NONE = -1;

  private long[] numbers = new long[16];
  private int[] samples = new int[16];
  private int size;
  private long[] nextNumbers = new long[16];
  private int[] nextSamples = new int[16];
  private int nextSize;

  /** The place of a request in the step before, or {@link #NONE}. */
  int of(long requestNumber, int entry) {
    final int guess = Math.min(entry, size - 1); // running requests keep their order
    for (int i = guess; i >= 0; i--) {
      if (numbers[i] == requestNumber) {
        return samples[i];
      }
    }
    for (int i = guess + 1; i < size; i++) {
      if (numbers[i] == requestNumber) {
        return samples[i];
      }
    }
    return NONE;
  }

  /** Notes a place of the step that is being packed. */
  void note(long requestNumber, int sample) {
    if (nextSize == nextNumbers.length) {
      nextNumbers = Arrays.copyOf(nextNumbers, 2 * nextSize);
      nextSamples = Arrays.copyOf(nextSamples, 2 * nextSize);
    }
    nextNumbers[nextSize] = requestNumber;
    nextSamples[nextSize++] = sample;
  }

  /** Makes the step that is being packed the step before. */
  void advance() {
    final long[] spareNumbers = numbers;
    final int[] spareSamples = samples;
    numbers = nextNumbers;
    samples = nextSamples;
    size = nextSize;
    nextNumbers = spareNumbers;
    nextSamples = spareSamples;
    nextSize = 0;
  }
}
