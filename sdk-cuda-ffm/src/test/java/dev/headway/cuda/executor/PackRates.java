package dev.headway.cuda.executor;

import com.sun.management.ThreadMXBean;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.EntryKind;
import dev.headway.api.support.SimplePlan;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.plan.PlanCheck;
import dev.headway.executor.reference.Precision;
import dev.headway.testkit.FakeRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * What the host does for a decode step before the first call of the driver: packing on the engine's
 * thread, and the copy to pinned memory (here: native memory) on the device's. No device. Prints
 * lines of CSV: rows, contexts, median and 99th percentile in microseconds, bytes that are uploaded
 * and bytes that are allocated per step. Run by hand.
 */
final class PackRates {
  private static final KvLayers FULL = KvLayers.of(TestModels.tiny(ModelFamily.LLAMA));
  private static final int BLOCK_SIZE = 16;
  private static final int MAX_NUM_SEQS = 256;
  private static final int MAX_MODEL_LEN = 32_768;
  private static final int MAX_BLOCKS = MAX_MODEL_LEN / BLOCK_SIZE;

  /** Steps from one context to the next larger one; then it begins anew. */
  private static final int CYCLE = 160;

  private static final int WARM_UP_CYCLES = 60;
  private static final int CYCLES = 40;

  private final int[] contexts;
  private final BatchPlan batch = batch();
  private final FakeRequest[] requests;
  private final Table[][] tables; // by row, number of blocks beyond those of the context
  private final SimplePlan plan = new Decodes();
  private final MemorySegment pinned;

  /** Every entry answers a token, though more of its prompt is there. */
  private static final class Decodes extends SimplePlan {
    @Override
    public boolean samples(int entry) {
      return true;
    }
  }

  private PackRates(Arena arena, int... contexts) {
    this.contexts = contexts;
    requests = new FakeRequest[contexts.length];
    tables = new Table[contexts.length][];
    for (int row = 0; row < contexts.length; row++) {
      final int[] prompt = new int[contexts[row] + 2 * CYCLE];
      requests[row] =
          new FakeRequest(
              row,
              Request.builder("r" + row, prompt)
                  .maxTokens(1)
                  .sampling(SamplingParams.GREEDY)
                  .build());
      tables[row] = new Table[2 * CYCLE / BLOCK_SIZE];
      for (int more = 0; more < tables[row].length; more++) {
        final int blocks = contexts[row] / BLOCK_SIZE + more;
        tables[row][more] = new Table(IntStream.rangeClosed(1, blocks).toArray());
      }
    }
    pinned = arena.allocate(64L << 20);
  }

  private static BatchPlan batch() {
    final int blocks = 1 << 20;
    final ExecutorOptions options =
        new ExecutorOptions(
            0,
            MAX_NUM_SEQS,
            2_048,
            MAX_MODEL_LEN,
            BLOCK_SIZE,
            blocks,
            0,
            0.9,
            1,
            0,
            CudaGraphs.ENABLED,
            0,
            null,
            KvCacheType.BF16,
            AdapterSlots.NONE,
            Precision.BFLOAT16);
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(
                KvCacheShape.builder()
                    .blockSize(BLOCK_SIZE)
                    .blocks(blocks)
                    .bytesPerBlock(64)
                    .build())
            .maxNumSeqs(MAX_NUM_SEQS)
            .vocabularySize(128_256)
            .maxNumBatchedTokens(2_048)
            .maxModelLen(MAX_MODEL_LEN)
            .build();
    return new BatchPlan(
        options,
        new PlanCheck(shape, MAX_MODEL_LEN),
        new LastSamples(),
        new BlockTables(MAX_NUM_SEQS, 1, MAX_BLOCKS),
        new ForwardShape(new AttentionKernelShape(32, 8, 128, BLOCK_SIZE), FULL, options));
  }

  /** The step in which each row computes its token {@code context + at + row % 16}. */
  private void plan(int at) {
    plan.begin(1, 0);
    for (int row = 0; row < contexts.length; row++) {
      final int position = contexts[row] + at + row % BLOCK_SIZE;
      final int blocks = position / BLOCK_SIZE + 1;
      plan.add(
          requests[row].running(position),
          tables[row][blocks - contexts[row] / BLOCK_SIZE],
          at == 0 ? EntryKind.RESUMED : EntryKind.RUNNING,
          1,
          at == 0 ? 0 : position % BLOCK_SIZE == 0 ? blocks - 1 : blocks,
          at);
    }
  }

  private long step() {
    final long beginNs = System.nanoTime();
    batch.pack(plan);
    MemorySegment.copy(batch.data(), 0, pinned, ValueLayout.JAVA_INT, 0, batch.layout.end);
    return System.nanoTime() - beginNs;
  }

  private void measure(String what) {
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    final long[] ns = new long[CYCLES * (CYCLE - 1)];
    int measured = 0;
    long allocated = 0;
    long ints = 0;
    for (int cycle = -WARM_UP_CYCLES; cycle < CYCLES; cycle++) {
      for (int at = 0; at < CYCLE; at++) {
        plan(at);
        final long before = threads.getCurrentThreadAllocatedBytes();
        final long stepNs = step();
        final long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        if (cycle >= 0 && at > 0) { // the first one sends whole tables
          ns[measured++] = stepNs;
          allocated += bytes;
          ints += batch.layout.end;
        }
      }
    }
    Arrays.sort(ns);
    System.out.printf(
        "%s,%.2f,%.2f,%d,%d%n",
        what,
        ns[measured / 2] / 1e3,
        ns[measured * 99 / 100] / 1e3,
        4 * ints / measured,
        allocated / measured);
  }

  public static void main(String[] args) {
    System.out.println("rows and contexts,median us,p99 us,bytes sent,bytes allocated");
    for (int rows : new int[] {1, 8, 64, 256}) {
      for (int context : new int[] {1_024, 8_000, 32_000}) {
        final int[] contexts = new int[rows];
        Arrays.fill(contexts, context);
        run(rows + " of " + context, contexts);
      }
    }
    final int[] mixed = new int[256];
    Arrays.fill(mixed, 1_024);
    mixed[100] = 32_000;
    run("255 of 1024 and one of 32000", mixed);
  }

  private static void run(String what, int... contexts) {
    try (Arena arena = Arena.ofConfined()) {
      new PackRates(arena, contexts).measure(what);
    }
  }
}
