package dev.headway.probes.otel.span;

/** The hash behind sampling and ids: the same text and seed give the same decision everywhere. */
final class Hashes {

  private static final long FNV_OFFSET = 0xCBF29CE484222325L;
  private static final long FNV_PRIME = 0x100000001B3L;

  private Hashes() {}

  /** FNV-1a over the UTF-16 units of a text. */
  static long of(String text) {
    long hash = FNV_OFFSET;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * FNV_PRIME;
    }
    return hash;
  }

  /** Whether a hash is below {@code rate} of all of them. */
  static boolean isBelow(long hash, double rate) {
    if (rate >= 1) {
      return true;
    }
    final long threshold =
        rate < 0.5 ? (long) (rate * 0x1p64) : (long) ((rate - 0.5) * 0x1p64) + Long.MIN_VALUE;
    return Long.compareUnsigned(hash, threshold) < 0;
  }
}
