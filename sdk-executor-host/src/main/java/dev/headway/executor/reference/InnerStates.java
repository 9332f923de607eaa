package dev.headway.executor.reference;

/** Scratch memory of feed-forwards, which grows to the largest that was asked for. */
final class InnerStates {

  private float[] gates = {};
  private float[] ups = {};

  /** Makes room for so many rows of {@code width}; what was there may be lost. */
  void reserve(int rows, int width) {
    final long size = (long) rows * width;
    if (size > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "the tokens of a step must fit a Java array: tokens="
              + rows
              + ", inner state="
              + width
              + "; give fewer maxNumBatchedTokens");
    }
    if (gates.length < size) {
      gates = new float[(int) size];
      ups = new float[(int) size];
    }
  }

  float[] gates() {
    return gates;
  }

  float[] ups() {
    return ups;
  }
}
