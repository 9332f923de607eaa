package dev.headway.cuda.kernel;

import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.device.WeightScales;
import dev.headway.executor.model.E4m3;

/**
 * Random e4m3 codes of all values and random scales, and what weights they are.
 *
 * @param codes {@code [n][k]}
 * @param scales by rows of {@code 2^rowShift} weights and columns of {@code columns}
 */
record Codes(int n, int k, int rowShift, int columns, byte[] codes, float[] scales) {

  /** Weights of about one; every scale is another one. */
  static Codes random(KernelFixture given, int n, int k, int rowShift, int columns) {
    final byte[] codes = new byte[n * k];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = E4m3.toBits((float) given.random.nextGaussian() * 40);
    }
    final float[] scales = new float[(((n - 1) >> rowShift) + 1) * ((k - 1) / columns + 1)];
    for (int i = 0; i < scales.length; i++) {
      scales[i] = (0.5f + given.random.nextFloat()) / 40;
    }
    return new Codes(n, k, rowShift, columns, codes, scales);
  }

  WeightMatrix upload(KernelFixture given, long bias) {
    return upload(given, bias, n);
  }

  /** Matrices of so many rows, one after the other. */
  WeightMatrix upload(KernelFixture given, long bias, int rowsOfEach) {
    final WeightScales uploaded = new WeightScales(given.upload(scales), rowShift, columns);
    return new WeightMatrix(given.upload(codes), bias, rowsOfEach, k, uploaded);
  }

  double weight(int row, int column) {
    final int group = (row >> rowShift) * ((k - 1) / columns + 1) + column / columns;
    return (double) E4m3.toFloat(codes[row * k + column]) * scales[group];
  }

  /** {@code [m][n]} of {@code x}, {@code [m][k]}. */
  double[] product(short[] x, int m) {
    final double[] y = new double[m * n];
    for (int column = 0; column < n; column++) {
      for (int i = 0; i < k; i++) {
        final double weight = weight(column, i);
        for (int row = 0; row < m; row++) {
          y[row * n + column] += weight * Bf16.toFloat(x[row * k + i]);
        }
      }
    }
    return y;
  }
}
