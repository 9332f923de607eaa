package dev.headway.cuda.gpu;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.blas.BlasOutput;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.device.WeightScales;

/**
 * Products by the own kernels, with weights in bf16 and in e4m3, and by cuBLASLt, on random
 * numbers. Successive launches read other weights, as the layers of a model do: they are larger
 * than the second-level cache together.
 */
final class ProductRates implements AutoCloseable {
  private final RateTable table;
  private final Scale scale;
  private final CudaDevice device = CudaDevice.open(0);
  private final CudaStream stream = device.newStream();
  private final DeviceArrays arrays = new DeviceArrays(device, stream);
  private final Stopwatch watch = new Stopwatch(device, stream);
  private final KernelCalls kernels;
  private final BlasLt blas = BlasLt.open(device, 32 << 20);
  private final int widest;
  private final DeviceBuffer scales;

  ProductRates(RateTable table, Scale scale) {
    this.table = table;
    this.scale = scale;
    kernels = new KernelCalls(device, stream, scale.attention());
    widest =
        scale.weights().stream().mapToInt(shape -> Math.max(shape[0], shape[1])).max().orElse(1);
    scales = arrays.zeros((long) Float.BYTES * widest);
  }

  void run() {
    final int most = Math.max(scale.manyRows(), 64);
    try (DeviceBuffer weights = arrays.randomBf16(scale.largeBytes() / 2);
        DeviceBuffer x = arrays.randomBf16((long) most * widest);
        DeviceBuffer y = arrays.allocate(2L * most * widest)) {
      for (int[] shape : scale.weights()) {
        measure(weights, x, y, 1, shape[0], shape[1]);
        for (int m : scale.fewRows()) {
          measure(weights, x, y, m, shape[0], shape[1]);
        }
        measure(weights, x, y, scale.manyRows(), shape[0], shape[1]);
      }
    }
    if (!blas.isPresent()) {
      System.err.println("no product by cuBLASLt: " + blas.absentBecause());
    }
  }

  private void measure(DeviceBuffer weights, DeviceBuffer x, DeviceBuffer y, int m, int n, int k) {
    final String shape = m + "x" + n + "x" + k;
    final long bytes = 2L * n * k;
    final long places = Math.max(1, weights.bytes() / bytes);
    final double own =
        watch.seconds(
            turn ->
                kernels.product(
                    y.address(),
                    x.address(),
                    new WeightMatrix(place(weights, turn, places, bytes), 0, n, k),
                    m));
    table.add("product own", shape, own * 1e6, "us");
    final double codes =
        watch.seconds(
            turn ->
                kernels.product(
                    y.address(),
                    x.address(),
                    ofCodes(place(weights, turn, 2 * places, bytes / 2), n, k),
                    m));
    table.add("product e4m3", shape, codes * 1e6, "us");
    if (blas.isPresent() && takes(weights, x, y, m, n, k)) {
      final double library =
          watch.seconds(
              turn ->
                  blas.multiply(
                      stream,
                      BlasOutput.BF16,
                      y.address(),
                      x.address(),
                      new WeightMatrix(place(weights, turn, places, bytes), 0, n, k),
                      0,
                      m));
      table.add("product cuBLASLt", shape, library * 1e6, "us");
    }
  }

  /** Any bytes are codes, and any floats their scales, one for a row. */
  private WeightMatrix ofCodes(long codes, int n, int k) {
    return new WeightMatrix(codes, 0, n, k, new WeightScales(scales.address(), 0, k));
  }

  /** A product that the library leaves to others would be timed as nothing. */
  private boolean takes(DeviceBuffer weights, DeviceBuffer x, DeviceBuffer y, int m, int n, int k) {
    final boolean taken =
        blas.multiply(
            stream,
            BlasOutput.BF16,
            y.address(),
            x.address(),
            new WeightMatrix(weights.address(), 0, n, k),
            0,
            m);
    if (!taken) {
      System.err.println("cuBLASLt does not take: " + blas.refused());
    }
    return taken;
  }

  private static long place(DeviceBuffer weights, int turn, long places, long bytes) {
    return weights.address(turn % places * bytes, bytes);
  }

  @Override
  public void close() {
    blas.close();
    device.close();
  }
}
