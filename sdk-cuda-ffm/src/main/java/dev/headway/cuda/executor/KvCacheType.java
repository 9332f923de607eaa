package dev.headway.cuda.executor;

/** What a key or value is kept as on the device. */
public enum KvCacheType {
  /** As it is computed. */
  BF16(2),
  /**
   * Rounded to the nearest eight-bit float ({@code float8_e4m3fn}), 448 at most: half the memory,
   * and an error of up to 1/16 of each.
   */
  E4M3(1);

  private final int bytes;

  KvCacheType(int bytes) {
    this.bytes = bytes;
  }

  int bytes() {
    return bytes;
  }
}
