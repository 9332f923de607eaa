package dev.headway.cuda.gpu;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;

/**
 * What moves bytes: the device's own copy, which floors are made of, the norm, the gate of the
 * feed-forward, and whole KV blocks to host memory and back, one call of the driver each beside one
 * long copy of the same bytes.
 */
final class MemoryRates implements AutoCloseable {
  private static final MemoryUse USE = MemoryUse.of("blocks");

  private final RateTable table;
  private final Scale scale;
  private final CudaDevice device = CudaDevice.open(0);
  private final CudaStream stream = device.newStream();
  private final DeviceArrays arrays = new DeviceArrays(device, stream);
  private final Stopwatch watch = new Stopwatch(device, stream);
  private final KernelCalls kernels;

  MemoryRates(RateTable table, Scale scale) {
    this.table = table;
    this.scale = scale;
    kernels = new KernelCalls(device, stream, scale.attention());
  }

  void run() {
    copyAndRows();
    transfers();
  }

  private void copyAndRows() {
    final long bytes = scale.largeBytes();
    final int dim = scale.hidden();
    final int rows = (int) Math.min(65_535, bytes / 2 / dim);
    try (DeviceBuffer from = arrays.randomBf16(bytes / 2);
        DeviceBuffer to = arrays.allocate(bytes);
        DeviceBuffer weight = arrays.randomBf16(dim)) {
      final double copy = watch.seconds(turn -> stream.copy(to, 0, from, 0, bytes));
      table.add("copy", bytes + " bytes", 2 * bytes / copy / 1e9, "GB/s");
      final double norm =
          watch.seconds(
              turn -> kernels.norm(to.address(), from.address(), weight.address(), rows, dim));
      table.add("rms_norm", rows + "x" + dim, 4.0 * rows * dim / norm / 1e9, "GB/s");
      final int inner = scale.inner();
      final int gated = (int) Math.min(65_535, bytes / 4 / inner);
      final double swiglu =
          watch.seconds(turn -> kernels.swiglu(to.address(), from.address(), gated, inner));
      table.add("swiglu", gated + "x" + inner, 6.0 * gated * inner / swiglu / 1e9, "GB/s");
    }
  }

  private void transfers() {
    final int blocks = scale.blocksMoved();
    final long blockBytes = 2 * scale.layers() * scale.attention().cacheBytes(1);
    final long all = blocks * blockBytes;
    try (DeviceBuffer pages = device.allocate(USE, 2 * all);
        PinnedBuffer host = device.allocatePinned(USE, all)) {
      final Move save = (at, bytes) -> stream.copyToHost(host, at, pages, at, bytes);
      final Move load = (at, bytes) -> stream.copyToDevice(pages, at, host, at, bytes);
      final Move copy = (at, bytes) -> stream.copy(pages, all + at, pages, at, bytes);
      rate("save at once", save, 1, all);
      rate("save blocks", save, blocks, blockBytes);
      rate("load at once", load, 1, all);
      rate("load blocks", load, blocks, blockBytes);
      rate("copy blocks", copy, blocks, blockBytes);
    }
  }

  private interface Move {
    void of(long offset, long bytes);
  }

  private void rate(String what, Move move, int pieces, long pieceBytes) {
    final double seconds =
        watch.seconds(
            turn -> {
              for (int i = 0; i < pieces; i++) {
                move.of(i * pieceBytes, pieceBytes);
              }
            });
    final String shape = pieces + "x" + pieceBytes + " bytes";
    table.add(what, shape, pieces * pieceBytes / seconds / 1e9, "GB/s");
  }

  @Override
  public void close() {
    device.close();
  }
}
