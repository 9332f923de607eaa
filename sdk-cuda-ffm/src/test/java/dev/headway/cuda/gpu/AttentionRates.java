package dev.headway.cuda.gpu;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.AttentionBatch;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.AttentionKernels;
import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.kernel.LayerCache;
import java.lang.foreign.ValueLayout;
import java.util.function.IntUnaryOperator;

/**
 * Attention of one layer over pages of its own: bytes of keys and values per second when each of
 * many sequences decodes a token, operations per second when one long prompt is computed.
 */
final class AttentionRates implements AutoCloseable {
  private static final MemoryUse USE = MemoryUse.of("attention");

  private final RateTable table;
  private final Scale scale;
  private final double copyRate;
  private final AttentionKernelShape shape;
  private final CudaDevice device = CudaDevice.open(0);
  private final CudaStream stream = device.newStream();
  private final AttentionKernels attention;
  private final Stopwatch watch;

  AttentionRates(RateTable table, Scale scale, double copyRate) {
    this.table = table;
    this.scale = scale;
    this.copyRate = copyRate;
    shape = scale.attention();
    attention = Kernels.load(device).attention(shape);
    watch = new Stopwatch(device, stream, scale.launches());
  }

  void run() {
    for (int context : scale.attentionContexts()) {
      for (int batch : scale.batches()) {
        decode(batch, context, 1);
      }
      prefill(context);
    }
    decode(scale.batchOfManyLayers(), scale.contextTokens(), scale.layers());
  }

  /**
   * Row i of the batch is the last token of sequence i. With many layers the blocks of the one that
   * is read lie as far apart as the executor's do: on other pages of the device's memory.
   */
  private void decode(int batch, int context, int layers) {
    final int blocks = context / shape.blockSize();
    final long bytesRead = 2 * shape.cacheBytes(batch * blocks);
    final DecodeCut cut = attention.decodeCut();
    final int items = batch * cut.items(context);
    final int[] work = new int[DecodeCut.HEADER_INTS + items * DecodeCut.ITEM_INTS];
    work[0] = items;
    for (int row = 0, to = DecodeCut.HEADER_INTS; row < batch; row++) {
      to = cut.write(work, to, row, context);
    }
    try (DeviceBuffer pages = zeros(layers * bytesRead);
        DeviceBuffer qkv = zeros(2L * batch * shape.qkvWidth());
        DeviceBuffer out = zeros(2L * batch * shape.heads() * shape.headDim());
        DeviceBuffer scratch = zeros(attention.decodeScratchBytes(items));
        DeviceBuffer list = ints(work.length, i -> work[i]);
        DeviceBuffer rows = ints(batch, i -> i);
        DeviceBuffer positions = ints(batch, i -> context - 1);
        DeviceBuffer tables = ints(batch * blocks, i -> i)) {
      final var owners =
          new AttentionBatch(rows.address(), positions.address(), tables.address(), blocks);
      final LayerCache cache = firstLayer(pages, layers);
      final double seconds =
          watch.seconds(
              turn ->
                  attention.decode(
                      stream,
                      owners,
                      cache,
                      out.address(),
                      qkv.address(),
                      list.address(),
                      items,
                      scratch.address()));
      final String what = "attention decode" + (layers > 1 ? " layers=" + layers : "");
      final String where = "batch " + batch + " context " + context;
      table.add("M6", what, where, bytesRead / seconds / 1e9, "GB/s", copyRate / 1e9);
    }
  }

  private void prefill(int context) {
    final int blocks = context / shape.blockSize();
    final int tiles = (context - 1) / AttentionKernels.TILE_ROWS + 1;
    try (DeviceBuffer pages = zeros(2 * shape.cacheBytes(blocks));
        DeviceBuffer qkv = zeros(2L * context * shape.qkvWidth());
        DeviceBuffer out = zeros(2L * context * shape.heads() * shape.headDim());
        DeviceBuffer sequences = ints(context, i -> 0);
        DeviceBuffer positions = ints(context, i -> i);
        DeviceBuffer tables = ints(blocks, i -> i);
        DeviceBuffer tileInts = ints(3 * tiles, i -> tile(i / 3, i % 3, context))) {
      final var owners =
          new AttentionBatch(sequences.address(), positions.address(), tables.address(), blocks);
      final LayerCache cache = firstLayer(pages, 1);
      final double seconds =
          watch.seconds(
              turn ->
                  attention.prefill(
                      stream,
                      owners,
                      cache,
                      out.address(),
                      qkv.address(),
                      tileInts.address(),
                      tiles));
      final double pairs = 0.5 * context * (context + 1);
      final double flops = 4.0 * shape.heads() * shape.headDim() * pairs;
      table.add("M5", "attention prefill", context + " tokens", flops / seconds / 1e12, "TFLOP/s");
    }
  }

  /** Blocks hold keys and values of one layer after the other. */
  private LayerCache firstLayer(DeviceBuffer pages, int layers) {
    final int stride = 2 * layers * shape.blockValues();
    return new LayerCache(pages.address(), pages.address() + shape.cacheBytes(1), stride);
  }

  private static int tile(int index, int field, int context) {
    final int first = index * AttentionKernels.TILE_ROWS;
    return switch (field) {
      case 0 -> first;
      case 1 -> Math.min(AttentionKernels.TILE_ROWS, context - first);
      default -> 0;
    };
  }

  private DeviceBuffer zeros(long bytes) {
    final DeviceBuffer buffer = device.allocate(USE, bytes);
    stream.fill(buffer, 0, bytes, (byte) 0);
    return buffer;
  }

  private DeviceBuffer ints(int count, IntUnaryOperator value) {
    final DeviceBuffer buffer = device.allocate(USE, 4L * count);
    try (PinnedBuffer pinned = device.allocatePinned(USE, 4L * count)) {
      for (int i = 0; i < count; i++) {
        pinned.segment().setAtIndex(ValueLayout.JAVA_INT, i, value.applyAsInt(i));
      }
      stream.copyToDevice(buffer, 0, pinned, 0, 4L * count);
      stream.synchronize();
    }
    return buffer;
  }

  @Override
  public void close() {
    device.close();
  }
}
