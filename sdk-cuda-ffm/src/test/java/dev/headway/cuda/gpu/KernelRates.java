package dev.headway.cuda.gpu;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.blas.BlasOutput;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.kernel.LinearOutput;
import dev.headway.cuda.kernel.SamplingKernels;

/**
 * Rates of single kernels, each the best of some rounds of launches in a row. Buffers are larger
 * than the second-level cache where bytes are what counts; contents are zeros, which a device may
 * multiply with less power than numbers.
 */
final class KernelRates implements AutoCloseable {
  private final RateTable table;
  private final Scale scale;
  private final CudaDevice device = CudaDevice.open(0);
  private final CudaStream stream = device.newStream();
  private final Kernels kernels = Kernels.load(device);
  private final BlasLt blas = BlasLt.open(device, 32 << 20);
  private final DeviceBuffer large;
  private final DeviceBuffer small;
  private final DeviceBuffer workspace;
  private final Stopwatch watch;

  KernelRates(RateTable table, Scale scale) {
    this.table = table;
    this.scale = scale;
    watch = new Stopwatch(device, stream, scale.launches());
    large = device.allocate(MemoryUse.of("large"), scale.largeBytes());
    small = device.allocate(MemoryUse.of("small"), scale.largeBytes());
    workspace = device.allocate(MemoryUse.of("workspace"), kernels.linear().workspaceBytes());
    stream.fill(workspace, 0, workspace.bytes(), (byte) 0);
    stream.fill(large, 0, large.bytes(), (byte) 0);
    stream.fill(small, 0, small.bytes(), (byte) 0);
  }

  /**
   * Measures everything; returns the copy rate in bytes per second, reading and writing counted.
   */
  double run() {
    final long bytes = large.bytes();
    final double copy = 2 * bytes / watch.seconds(turn -> stream.copy(small, 0, large, 0, bytes));
    table.add("M3", "copy", bytes + " bytes", copy / 1e9, "GB/s");
    norm(copy);
    swiglu(copy);
    for (int[] shape : scale.weights()) {
      fewRows(shape[0], shape[1], copy);
    }
    for (int m : scale.prefillRows()) {
      for (int[] shape : scale.weights()) {
        products(m, shape[0], shape[1]);
      }
    }
    sampling();
    return copy;
  }

  private void norm(double copy) {
    final int dim = scale.hidden();
    final int rows = (int) Math.min(65_535, large.bytes() / 2 / dim);
    final double rate =
        4.0
            * rows
            * dim
            / watch.seconds(
                turn ->
                    kernels
                        .rows()
                        .rmsNorm(
                            stream,
                            small.address(),
                            large.address(),
                            small.address(),
                            rows,
                            dim,
                            1e-5f));
    table.add("M3", "rms_norm", rows + "x" + dim, rate / 1e9, "GB/s", copy / 1e9);
  }

  private void swiglu(double copy) {
    final int hidden = scale.hidden();
    final int rows = (int) Math.min(65_535, large.bytes() / 4 / hidden);
    final double seconds =
        watch.seconds(
            turn -> kernels.rows().swiglu(stream, small.address(), large.address(), rows, hidden));
    final double rate = 6.0 * rows * hidden / seconds;
    table.add("M3", "swiglu", rows + "x" + hidden, rate / 1e9, "GB/s", copy / 1e9);
  }

  /** Successive launches read different weights, as the layers of a model do. */
  private void fewRows(int n, int k, double copy) {
    final long bytes = 2L * n * k;
    final long places = Math.max(1, large.bytes() / bytes);
    for (int m : new int[] {1, 2, 4, 8, 16, 32, 64}) {
      final double seconds =
          watch.seconds(
              turn ->
                  kernels
                      .linear()
                      .multiply(
                          stream,
                          LinearOutput.BF16,
                          small.address() + (small.bytes() / 2 & ~15L),
                          small.address(),
                          large.address(turn % places * bytes, bytes),
                          0,
                          0,
                          m,
                          n,
                          k,
                          workspace.address()));
      final String shape = m + "x" + n + "x" + k;
      final String kernel = m <= 2 ? "gemv" : "gemm few rows";
      table.add("M4", kernel, shape, bytes / seconds / 1e9, "GB/s", copy / 1e9);
      if (m > 2 && blas.isPresent()) {
        final double library =
            watch.seconds(
                turn ->
                    blas.multiply(
                        stream,
                        BlasOutput.BF16,
                        small.address() + (small.bytes() / 2 & ~15L),
                        small.address(),
                        large.address(turn % places * bytes, bytes),
                        0,
                        0,
                        m,
                        n,
                        k));
        table.add("M4", "cuBLASLt few rows", shape, bytes / library / 1e9, "GB/s");
      }
    }
  }

  private void products(int m, int n, int k) {
    final String shape = m + "x" + n + "x" + k;
    final double flops = 2.0 * m * n * k;
    final long y = small.address() + (small.bytes() / 2 & ~15L);
    final double own =
        watch.seconds(
            turn ->
                kernels
                    .linear()
                    .multiply(
                        stream,
                        LinearOutput.BF16,
                        y,
                        small.address(),
                        large.address(),
                        0,
                        0,
                        m,
                        n,
                        k,
                        workspace.address()));
    if (!blas.isPresent()) {
      table.add("M5", "gemm own", shape, flops / own / 1e12, "TFLOP/s");
      return;
    }
    final double library =
        watch.seconds(
            turn ->
                blas.multiply(
                    stream, BlasOutput.BF16, y, small.address(), large.address(), 0, 0, m, n, k));
    table.add("M5", "gemm own", shape, flops / own / 1e12, "TFLOP/s", flops / library / 1e12);
    table.add("M5", "gemm cuBLASLt", shape, flops / library / 1e12, "TFLOP/s");
  }

  /** All logits are equal here: the most that histograms can contend. */
  private void sampling() {
    final int vocabulary = scale.vocabulary();
    final int rows = (int) Math.min(32, large.bytes() / 4 / vocabulary);
    final long stateBytes = (long) rows * SamplingKernels.SAMPLE_STATE_BYTES;
    try (DeviceBuffer parameters = device.allocate(MemoryUse.of("parameters"), 28L * rows);
        DeviceBuffer state = device.allocate(MemoryUse.of("state"), stateBytes);
        DeviceBuffer tokens = device.allocate(MemoryUse.of("tokens"), 12L * rows)) {
      stream.fill(state, 0, state.bytes(), (byte) 0);
      stream.fill(parameters, 0, parameters.bytes(), (byte) 0x3f); // every float 0.747, topK > 0
      final double seconds =
          watch.seconds(
              turn ->
                  kernels
                      .sampling()
                      .sample(
                          stream,
                          state.address(),
                          tokens.address(),
                          tokens.address() + 4L * rows,
                          tokens.address() + 8L * rows,
                          large.address(),
                          parameters.address(),
                          parameters.address() + 12L * rows,
                          rows,
                          rows,
                          vocabulary,
                          SamplingKernels.narrowings(0.747f, 1, 0.747f, 0.747f)));
      table.add("M7", "sample equal logits", rows + "x" + vocabulary, seconds * 1e6, "us");
      stream.synchronize();
    }
  }

  @Override
  public void close() {
    blas.close();
    device.close();
  }
}
