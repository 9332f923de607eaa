package dev.headway.executor.reference;

import dev.headway.executor.model.BFloat16;
import dev.headway.executor.model.E4m3;

/** What keys and values are rounded to when they are kept. */
public enum KvPrecision {
  /** Not at all. */
  AS_COMPUTED,
  /** {@link E4m3} over the checkpoint's scale, 448 at most, read as bfloat16. */
  EIGHT_BITS;

  /** Rounds some keys or values of a layer. */
  void round(float[] values, int from, int count, float scale) {
    final float rounded = BFloat16.round(scale);
    for (int i = from; this == EIGHT_BITS && i < from + count; i++) {
      values[i] = BFloat16.round(E4m3.toFloat(E4m3.toBits(values[i] * (1 / rounded))) * rounded);
    }
  }
}
