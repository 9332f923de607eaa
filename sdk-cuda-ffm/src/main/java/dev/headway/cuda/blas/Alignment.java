package dev.headway.cuda.blas;

/** What the addresses of a product are multiples of, in four classes. Stateless. */
final class Alignment {
  private static final int[] BYTES = {2, 16, 64, 256};

  private Alignment() {}

  /** The class of addresses, given by the bits that are set in any of them: in [0, 3]. */
  static int of(long addresses) {
    int kind = BYTES.length - 1;
    while (kind > 0 && (addresses & (BYTES[kind] - 1)) != 0) {
      kind--;
    }
    return kind;
  }

  /** What all addresses of a class are multiples of. */
  static int bytes(int kind) {
    return BYTES[kind];
  }
}
