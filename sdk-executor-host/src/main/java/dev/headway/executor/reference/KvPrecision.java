package dev.headway.executor.reference;

import dev.headway.executor.model.E4m3;

/** What keys and values are rounded to when they are kept. */
public enum KvPrecision {
  /** Not at all. */
  AS_COMPUTED,
  /** {@link E4m3}, 448 at most. */
  EIGHT_BITS;

  void round(float[] values, int from, int count) {
    for (int i = from; this == EIGHT_BITS && i < from + count; i++) {
      values[i] = E4m3.toFloat(E4m3.toBits(values[i]));
    }
  }
}
