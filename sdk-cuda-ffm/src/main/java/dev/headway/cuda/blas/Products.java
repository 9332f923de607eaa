package dev.headway.cuda.blas;

import dev.headway.cuda.device.WeightMatrix;

/** Does products, or none. */
interface Products extends AutoCloseable {
  /** The library is not there. */
  Products NONE =
      new Products() {
        @Override
        public boolean multiply(
            long stream, BlasOutput output, long y, long x, WeightMatrix w, long residual, int m) {
          return false;
        }

        @Override
        public String refused() {
          return "";
        }

        @Override
        public int plans() {
          return 0;
        }

        @Override
        public void close() {}
      };

  boolean multiply(
      long stream, BlasOutput output, long y, long x, WeightMatrix w, long residual, int m);

  /** The first product that could not be done, with the reason; empty if all could. */
  String refused();

  /** How many shapes have been planned so far. */
  int plans();

  @Override
  void close();
}
