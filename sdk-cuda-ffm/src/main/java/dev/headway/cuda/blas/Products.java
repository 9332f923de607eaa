package dev.headway.cuda.blas;

import dev.headway.cuda.device.WeightMatrix;

/** Does products, or none. */
interface Products extends AutoCloseable {
  /** The library is not there. */
  Products NONE =
      new Products() {
        @Override
        public boolean multiply(
            long stream,
            BlasOutput output,
            BlasScales scales,
            long y,
            long x,
            long inputScales,
            WeightMatrix w,
            long residual,
            int m) {
          return false;
        }

        @Override
        public String refused(boolean codes) {
          return "";
        }

        @Override
        public int plans() {
          return 0;
        }

        @Override
        public void close() {}
      };

  /**
   * A product, of codes with scales or of bf16.
   *
   * @param inputScales of {@code x}; 0 in bf16
   */
  boolean multiply(
      long stream,
      BlasOutput output,
      BlasScales scales,
      long y,
      long x,
      long inputScales,
      WeightMatrix w,
      long residual,
      int m);

  /**
   * The first product that could not be done, with the reason; empty if all could.
   *
   * @param codes of those of codes, or of those of bf16
   */
  String refused(boolean codes);

  /** How many shapes have been planned so far. */
  int plans();

  @Override
  void close();
}
