package dev.headway.executor.model;

/**
 * What the eight-bit codes of a layer's keys and values are multiplied by: a code is the nearest to
 * the key over this.
 *
 * @param keys > 0, finite
 * @param values > 0, finite
 */
public record KvScale(float keys, float values) {

  /** Codes are the keys and values. */
  public static final KvScale ONE = new KvScale(1, 1);

  /** Validates the components. */
  public KvScale {
    if (!isScale(keys) || !isScale(values)) {
      throw new IllegalArgumentException(
          "scales of keys and values must be finite and > 0: keys=" + keys + ", values=" + values);
    }
  }

  private static boolean isScale(float scale) {
    return scale > 0 && scale < Float.POSITIVE_INFINITY;
  }
}
