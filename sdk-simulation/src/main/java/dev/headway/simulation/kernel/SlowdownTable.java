package dev.headway.simulation.kernel;

/**
 * By how much a kernel is slower than the device's peaks allow, over one or two sizes: the
 * logarithm of measured over peak time, linear in the logarithms of the sizes. So it is exact where
 * it was measured, scales as the peaks do in between and beyond, and never gets faster than they
 * are, since no measurement in it is.
 *
 * <p>Immutable; reading allocates nothing.
 */
final class SlowdownTable {

  private final GridTable logs;

  private SlowdownTable(GridTable logs) {
    this.logs = logs;
  }

  /** Collects measurements. */
  static final class Builder {

    private final GridTable.Builder logs = new GridTable.Builder();

    /**
     * Adds a measurement.
     *
     * @return whether it was added: not if it is faster than the device can be, which is a faulty
     *     measurement
     */
    boolean add(double measuredNs, double peakNs, double... sizes) {
      if (!(measuredNs >= peakNs)) {
        return false;
      }
      final double[] point = new double[sizes.length];
      for (int i = 0; i < sizes.length; i++) {
        point[i] = Math.log(sizes[i]);
      }
      logs.add(Math.log(measuredNs / peakNs), point);
      return true;
    }

    boolean isEmpty() {
      return logs.isEmpty();
    }

    SlowdownTable build() {
      return new SlowdownTable(logs.buildLevel());
    }
  }

  /** Measured over peak time for a size, >= 1. */
  double at(double size) {
    return Math.exp(logs.at(Math.log(size)));
  }

  /** Measured over peak time for two sizes, >= 1. */
  double at(double one, double other) {
    return Math.exp(logs.at(Math.log(one), Math.log(other)));
  }
}
