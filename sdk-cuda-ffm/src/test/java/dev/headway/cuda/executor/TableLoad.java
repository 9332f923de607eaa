package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.EntryKind;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.PrefillCut;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.plan.PlanCheck;
import dev.headway.executor.reference.Precision;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Random plans, and a device that gets the changes of block tables that they send: after each step
 * it must hold the live tables of all entries that run. Requests come, grow, wait, are preempted,
 * resumed, refused, end; some of it is never told; steps are lost.
 */
final class TableLoad {
  private static final KvLayers FULL = KvLayers.of(TestModels.tiny(ModelFamily.LLAMA));
  static final int ROWS = 5;
  static final int MAX_BLOCKS = 24;
  private static final int BLOCK_SIZE = 4;
  private static final int MAX_MODEL_LEN = MAX_BLOCKS * BLOCK_SIZE;
  private static final int BLOCKS = 1_000;
  private static final int VOCABULARY = 10;
  private static final int MOST_LIVE = 2 * ROWS;

  /** Takes the block of a step, and tells what its tables are. */
  interface Device {
    void change(int[] block, BatchLayout layout);

    int[] table(int row);
  }

  /** A request and the table that it has at the scheduler. */
  private static final class Live {
    final FakeRequest request;
    Table table = new Table();
    int computed;
    int end; // of what the latest step computes
    int received; // ids that plans have shown
    int sent; // ids that the device had after the latest accepted step
    long sentIn; // that step
    boolean isNew = true;
    boolean isRefused;

    Live(FakeRequest request) {
      this.request = request;
    }
  }

  private final Random random;
  private final Device device;
  private final BlockTables tables = new BlockTables(ROWS, 1, MAX_BLOCKS);
  private final BatchPlan batch;
  private final List<Live> live = new ArrayList<>();
  private final List<Live> preempted = new ArrayList<>();
  private final List<Live> finished = new ArrayList<>();
  private long number;
  private long step;

  int grown;
  int resumed;
  int refused;
  int evicted;
  int idsSent;
  int idsOfTables;

  TableLoad(Random random, Device device) {
    this.random = random;
    this.device = device;
    final ExecutorOptions options =
        new ExecutorOptions(
            0,
            ROWS,
            200,
            MAX_MODEL_LEN,
            BLOCK_SIZE,
            BLOCKS,
            0,
            0.9,
            1,
            0,
            random.nextBoolean() ? CudaGraphs.ENABLED : CudaGraphs.DISABLED,
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
                    .blocks(BLOCKS)
                    .bytesPerBlock(64)
                    .build())
            .maxNumSeqs(ROWS)
            .vocabularySize(VOCABULARY)
            .maxNumBatchedTokens(200)
            .maxModelLen(MAX_MODEL_LEN)
            .build();
    batch =
        new BatchPlan(
            options,
            new PlanCheck(shape, MAX_MODEL_LEN),
            new LastSamples(),
            tables,
            new ForwardShape(new AttentionKernelShape(4, 2, 16, BLOCK_SIZE), FULL, options));
  }

  void step() {
    step++;
    final FakePlan plan = new FakePlan(step, 0, 0);
    tellWhoIsGone(plan);
    while (live.size() < MOST_LIVE && random.nextInt(3) > 0) {
      live.add(new Live(request()));
    }
    final List<Live> entries = choose();
    for (Live entry : entries) {
      add(plan, entry);
    }
    batch.pack(plan);
    if (random.nextInt(50) == 0) { // the step never reaches the device, or its end is not known
      if (random.nextBoolean()) {
        device.change(batch.data(), batch.layout);
      }
      tables.forget();
      entries.forEach(entry -> entry.sentIn = 0);
    } else {
      device.change(batch.data(), batch.layout);
      check(plan, entries);
    }
    move(entries);
  }

  private FakeRequest request() {
    final int[] prompt = random.ints(MAX_MODEL_LEN, 0, VOCABULARY).toArray();
    if (random.nextInt(8) == 0) {
      prompt[random.nextInt(prompt.length)] = VOCABULARY; // refused when it is computed
    }
    return new FakeRequest(
        number++,
        Request.builder("r" + number, prompt).maxTokens(1).sampling(SamplingParams.GREEDY).build());
  }

  private void tellWhoIsGone(FakePlan plan) {
    if (random.nextInt(10) > 0) { // plans that compute nothing are not shown to executors
      preempted.forEach(gone -> plan.preempted().add(gone.request));
      finished.forEach(gone -> plan.finished().add(gone.request));
    }
    preempted.clear();
    finished.clear();
  }

  /** Mostly the first ones in their order, as running requests are. */
  private List<Live> choose() {
    final List<Live> order = new ArrayList<>(live);
    if (random.nextInt(6) == 0) {
      Collections.shuffle(order, random);
    }
    return order.subList(0, Math.min(order.size(), random.nextInt(ROWS + 1)));
  }

  private void add(FakePlan plan, Live entry) {
    final int scheduled =
        Math.min(
            random.nextInt(3) > 0 ? 1 : 1 + random.nextInt(20), MAX_MODEL_LEN - entry.computed);
    final int needed = blocksOf(entry.computed + scheduled);
    entry.end = entry.computed + scheduled;
    if (entry.table.count() < needed) {
      final int more = Math.min(needed + random.nextInt(3), MAX_BLOCKS) - entry.table.count();
      entry.table.grow(random.ints(more, 1, BLOCKS).toArray());
      if (random.nextInt(40) == 0) {
        final int[] ids = ids(entry, entry.table.count());
        ids[ids.length - 1 - random.nextInt(more)] = random.nextBoolean() ? 0 : BLOCKS;
        entry.table = new Table(ids);
      }
      grown += entry.received > 0 ? 1 : 0;
    }
    final boolean resumes = entry.received == 0 && !entry.isNew;
    resumed += resumes ? 1 : 0;
    plan.add(
        entry.request.running(entry.computed),
        entry.table,
        entry.received > 0 ? EntryKind.RUNNING : resumes ? EntryKind.RESUMED : EntryKind.NEW,
        scheduled,
        entry.received,
        0);
    entry.received = entry.table.count();
    entry.isNew = false;
  }

  private static int[] ids(Live entry, int count) {
    final int[] ids = new int[count];
    entry.table.copyBlockIds(0, 0, ids, 0, count);
    return ids;
  }

  private static int blocksOf(int tokens) {
    return (tokens - 1) / BLOCK_SIZE + 1;
  }

  private int tableOfTile(int firstRow) {
    for (int item = 0; item < batch.layout.prefills(0); item++) {
      final int at = batch.layout.prefillAt(0) + PrefillCut.ITEM_INTS * item;
      if (batch.data()[at] == firstRow) {
        return batch.data()[at + 2];
      }
    }
    throw new AssertionError("no tile begins with row " + firstRow);
  }

  private void check(FakePlan plan, List<Live> entries) {
    int row = 0;
    int allowed = 0;
    for (int i = 0; i < entries.size(); i++) {
      final Live entry = entries.get(i);
      final int end = entry.computed + plan.scheduledTokens(i);
      final int needed = blocksOf(end);
      final boolean runs = canRun(entry, end);
      assertThat(batch.entries.refusal(i) == null).as("step=%d, entry=%d", step, i).isEqualTo(runs);
      entry.isRefused = !runs;
      refused += runs ? 0 : 1;
      if (!runs) {
        continue;
      }
      final int table = batch.data()[batch.layout.sequenceAt + row];
      final int[] expected = ids(entry, needed);
      assertThat(Arrays.copyOf(device.table(table), needed))
          .as("step=%d, entry=%d, row=%d", step, i, table)
          .isEqualTo(expected);
      for (int position = entry.computed; position < end; position++, row++) {
        assertThat(batch.data()[batch.layout.sequenceAt + row]).isEqualTo(table);
        assertThat(batch.data()[batch.layout.slotAt(0) + row])
            .isEqualTo(expected[position / BLOCK_SIZE] * BLOCK_SIZE + position % BLOCK_SIZE);
      }
      if (plan.scheduledTokens(i) > 1) {
        assertThat(tableOfTile(row - plan.scheduledTokens(i))).isEqualTo(table);
      }
      if (entry.sentIn == step - 1) {
        allowed += needed - Math.min(needed, entry.sent);
      } else {
        allowed += needed;
        evicted += entry.sentIn > 0 ? 1 : 0;
      }
      idsOfTables += needed;
      entry.sent = Math.max(needed, entry.sentIn == step - 1 ? entry.sent : 0);
      entry.sentIn = step;
    }
    idsSent += batch.layout.ids;
    assertThat(batch.layout.ids).as("ids sent in step %d", step).isLessThanOrEqualTo(allowed);
  }

  private static boolean canRun(Live entry, int end) {
    for (int position = entry.computed; position < end; position++) {
      if (entry.request.tokenId(position) >= VOCABULARY) {
        return false;
      }
    }
    return Arrays.stream(ids(entry, blocksOf(end))).allMatch(id -> id > 0 && id < BLOCKS);
  }

  /** What the scheduler does with them until the next step. */
  private void move(List<Live> entries) {
    for (Live entry : List.copyOf(entries)) {
      if (entry.isRefused) {
        if (random.nextBoolean()) { // else it is in a step that was already out
          live.remove(entry);
          finished.add(entry);
        }
        continue;
      }
      entry.computed = random.nextInt(4) > 0 ? entry.end : entry.computed + 1;
      if (entry.computed >= MAX_MODEL_LEN || random.nextInt(30) == 0) {
        live.remove(entry);
        finished.add(entry);
      } else if (random.nextInt(20) == 0) {
        entry.table = new Table();
        entry.received = 0;
        entry.sentIn = 0;
        entry.computed = 0;
        preempted.add(entry);
      }
    }
  }
}
