package dev.headway.cuda.gpu;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.kernel.AttentionBatch;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.LayerCache;
import dev.headway.cuda.kernel.PrefillCut;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Attention of one layer over pages of its own: bytes of keys and values per second when each of
 * many sequences decodes a token, operations per second when one long prompt is computed.
 */
final class AttentionRates implements AutoCloseable {
  private final RateTable table;
  private final Scale scale;
  private final AttentionKernelShape shape;
  private final CudaDevice device = CudaDevice.open(0);
  private final CudaStream stream = device.newStream();
  private final DeviceArrays arrays = new DeviceArrays(device, stream);
  private final Stopwatch watch = new Stopwatch(device, stream);
  private final KernelCalls kernels;

  AttentionRates(RateTable table, Scale scale) {
    this.table = table;
    this.scale = scale;
    shape = scale.attention();
    kernels = new KernelCalls(device, stream, shape);
  }

  void run() {
    final int usual = scale.context();
    for (int batch : scale.attentionBatches()) {
      decode("batch " + batch + " context " + usual, contexts(batch, usual));
    }
    decode("batch 1 context " + scale.longContext(), contexts(1, scale.longContext()));
    for (int batch : scale.mixedBatches()) {
      final int[] contexts = contexts(batch, usual);
      contexts[0] = scale.longContext();
      decode("batch " + batch + " one context of " + scale.longContext(), contexts);
    }
    prefill(scale.attentionPromptTokens() + " tokens", 0, scale.attentionPromptTokens());
    prefill(turn(scale), scale.longContext(), scale.turnTokens());
  }

  /** A few new tokens behind a long context that is cached, as in a chat. */
  static String turn(Scale scale) {
    return scale.turnTokens() + " tokens after " + scale.longContext();
  }

  private static int[] contexts(int batch, int context) {
    final int[] contexts = new int[batch];
    Arrays.fill(contexts, context);
    return contexts;
  }

  /** Row i is the last token of sequence i, the longest first, as the executor lists them. */
  private void decode(String where, int[] contexts) {
    final int batch = contexts.length;
    final int widest = blocksOf(contexts[0]);
    final int[] tables = new int[batch * widest];
    int blocks = 0;
    for (int row = 0; row < batch; row++) {
      for (int i = 0; i < blocksOf(contexts[row]); i++) {
        tables[row * widest + i] = blocks++;
      }
    }
    final long bytesRead =
        2 * shape.cacheBytes(1) * IntStream.of(contexts).sum() / shape.blockSize();
    final int[] work = workOf(contexts);
    final int items = work[0];
    try (DeviceBuffer pages = arrays.randomBf16(shape.cacheBytes(blocks));
        DeviceBuffer qkv = arrays.randomBf16((long) batch * shape.qkvWidth());
        DeviceBuffer out = arrays.allocate(2L * batch * shape.heads() * shape.headDim());
        DeviceBuffer scratch = arrays.zeros(kernels.decodeScratchBytes(items));
        DeviceBuffer list = arrays.ints(work.length, i -> work[i]);
        DeviceBuffer rows = arrays.ints(batch, i -> i);
        DeviceBuffer positions = arrays.ints(batch, i -> contexts[i] - 1);
        DeviceBuffer blockTables = arrays.ints(tables.length, i -> tables[i])) {
      final var owners =
          new AttentionBatch(rows.address(), positions.address(), blockTables.address(), widest);
      final double seconds =
          watch.seconds(
              turn ->
                  kernels.decode(
                      owners,
                      cache(pages),
                      out.address(),
                      qkv.address(),
                      list.address(),
                      items,
                      scratch.address()));
      table.add("attention decode", where, bytesRead / seconds / 1e9, "GB/s");
    }
  }

  private int blocksOf(int tokens) {
    return (tokens + shape.blockSize() - 1) / shape.blockSize();
  }

  private int[] workOf(int[] contexts) {
    final DecodeCut cut = kernels.decodeCut();
    final int items = IntStream.of(contexts).map(cut::items).sum();
    final int[] work = new int[DecodeCut.HEADER_INTS + items * DecodeCut.ITEM_INTS];
    work[0] = items;
    int to = DecodeCut.HEADER_INTS;
    for (int row = 0; row < contexts.length; row++) {
      to = cut.write(work, to, row, contexts[row]);
    }
    return work;
  }

  /** The last {@code rows} tokens of a sequence, in operations per second. */
  private void prefill(String where, int before, int rows) {
    final int blocks = blocksOf(before + rows);
    final PrefillCut cut = kernels.prefillCut();
    final int[] items = new int[PrefillCut.ITEM_INTS * cut.items(rows, before)];
    int to = 0;
    int records = 0;
    for (int done = 0; done < rows; done += PrefillCut.TILE_ROWS) {
      to = cut.write(items, to, rows, before, done, 0, 0, records);
      records += cut.records(rows, before, done);
    }
    final int allRecords = records;
    try (DeviceBuffer pages = arrays.randomBf16(shape.cacheBytes(blocks));
        DeviceBuffer qkv = arrays.randomBf16((long) rows * shape.qkvWidth());
        DeviceBuffer out = arrays.allocate(2L * rows * shape.heads() * shape.headDim());
        DeviceBuffer scratch = arrays.zeros(kernels.prefillScratchBytes(allRecords));
        DeviceBuffer tables = arrays.ints(blocks, i -> i);
        DeviceBuffer list = arrays.ints(items.length, i -> items[i])) {
      final var owners = new AttentionBatch(0, 0, tables.address(), blocks);
      final double seconds =
          watch.seconds(
              turn ->
                  kernels.prefill(
                      owners,
                      cache(pages),
                      out.address(),
                      qkv.address(),
                      list.address(),
                      items.length / PrefillCut.ITEM_INTS,
                      allRecords,
                      scratch.address()));
      final double pairs = (double) rows * before + 0.5 * rows * (rows + 1);
      final double flops = 4.0 * shape.heads() * shape.headDim() * pairs;
      table.add("attention prefill", where, flops / seconds / 1e12, "TFLOP/s");
    }
  }

  /** Blocks hold keys and then values. */
  private LayerCache cache(DeviceBuffer pages) {
    return new LayerCache(
        pages.address(), pages.address() + shape.cacheBytes(1), 2 * shape.blockValues());
  }

  @Override
  public void close() {
    device.close();
  }
}
