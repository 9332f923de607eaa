package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.EntryKind;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.PrefillCut;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.plan.PlanCheck;
import dev.headway.executor.reference.Precision;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The lists that a step becomes: work of its decoding rows, changes of block tables. */
class BatchPlanTest {
  private static final KvLayers FULL = KvLayers.of(TestModels.tiny(ModelFamily.LLAMA));
  private static final int BLOCK_SIZE = 4_096;
  private static final int MAX_MODEL_LEN = 32_768;
  private static final int MAX_NUM_SEQS = 8;

  private static final ExecutorOptions OPTIONS =
      new ExecutorOptions(
          0,
          MAX_NUM_SEQS,
          2_048,
          MAX_MODEL_LEN,
          BLOCK_SIZE,
          64,
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

  private final ForwardShape forward =
      new ForwardShape(new AttentionKernelShape(32, 8, 128, BLOCK_SIZE), FULL, OPTIONS);
  private final DecodeCut cut = forward.cut();
  private final PrefillCut prefillCut = forward.prefillCut();
  private final BatchPlan batch = batch();

  private BatchPlan batch() {
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(
                KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(64).bytesPerBlock(64).build())
            .maxNumSeqs(MAX_NUM_SEQS)
            .vocabularySize(100)
            .maxNumBatchedTokens(2_048)
            .maxModelLen(MAX_MODEL_LEN)
            .build();
    return new BatchPlan(
        OPTIONS,
        new PlanCheck(shape, MAX_MODEL_LEN),
        new LastSamples(),
        new BlockTables(MAX_NUM_SEQS, 1, MAX_MODEL_LEN / BLOCK_SIZE),
        forward);
  }

  @Test
  void shouldListEachKeyOfEachRowAndTheRowsOfPadding() {
    batch.pack(
        new FakePlan()
            .entry(tokens("a", 300), 299, 1, 1)
            .entry(tokens("b", 5_000), 4_999, 1, 2, 3)
            .entry(tokens("c", 1), 0, 1, 4));

    assertThat(batch.isReplayable()).isTrue();
    assertThat(batch.layout.rows).isEqualTo(4);
    assertThat(keysOfRows()).containsExactly(300, 5_000, 1, 0);
  }

  /** They take longest: a block that began one of them last would keep the device waiting. */
  @Test
  void shouldListTheItemsOfLongContextsFirst() {
    batch.pack(
        new FakePlan()
            .entry(tokens("short", 1_000), 999, 1, 1)
            .entry(tokens("long", 20_000), 19_999, 1, 2, 3, 4, 5, 6));

    assertThat(batch.data()[firstItem()]).isEqualTo(1);
    assertThat(keysOfRows()).containsExactly(1_000, 20_000);
  }

  @Test
  void shouldListOnlyTheDecodingRowsOfAMixedStep() {
    batch.pack(
        new FakePlan()
            .entry(tokens("chunk", 70), 0, 70, 1)
            .entry(tokens("stray", 10), 9, 1, 99) // refused: there is no such block
            .entry(tokens("decode", 600), 599, 1, 2));

    assertThat(batch.isReplayable()).isFalse();
    assertThat(batch.layout.rows).isEqualTo(71);
    assertThat(batch.data()[firstItem()]).isEqualTo(70);
    assertThat(batch.layout.items(0)).isEqualTo(cut.items(600));
  }

  /** The kernel begins with the last item. */
  @Test
  void shouldListTheTilesOfLongItemsLast() {
    batch.pack(
        new FakePlan()
            .entry(tokens("long", 9_000), 8_900, 100, 1, 2, 3)
            .entry(tokens("decode", 40), 39, 1, 4)
            .entry(tokens("short", 70), 0, 70, 5)
            .entry(tokens("middle", 4_500), 4_490, 10, 6, 7));

    final List<Integer> firstRows = new ArrayList<>();
    for (int item = 0; item < batch.layout.prefills(0); item++) {
      final int at = batch.layout.prefillAt(0) + PrefillCut.ITEM_INTS * item;
      if (batch.data()[at + 4] == 0) {
        firstRows.add(batch.data()[at]);
      }
    }
    assertThat(firstRows).containsExactly(101, 165, 171, 0, 64);
    assertThat(batch.layout.launches(0).count()).isEqualTo(1);
    assertThat(batch.layout.launches(0).end(0)).isEqualTo(batch.layout.prefills(0));
  }

  /** A few tokens behind a long context have short items; a long prompt of its own has not. */
  @Test
  void shouldSortByItemsAndNotByContexts() {
    batch.pack(
        new FakePlan()
            .entry(tokens("turn", 9_000), 8_990, 10, 1, 2, 3)
            .entry(tokens("prompt", 1_500), 0, 1_500, 4));

    assertThat(batch.data()[batch.layout.prefillAt(0) + 3]).isEqualTo(8_990);
    assertThat(prefillCut.items(1_500, 0)).isEqualTo(24);
  }

  /** Every launch finds the scratch as large as it needs, and all items of a tile in one. */
  @Test
  void shouldLaunchInTurnsWhatNeedsMoreRecordsThanThereAre() {
    final FakePlan plan = new FakePlan();
    for (int i = 0; i < MAX_NUM_SEQS; i++) {
      plan.entry(
          tokens("e" + i, 20_250),
          20_000,
          250,
          5 * i + 1,
          5 * i + 2,
          5 * i + 3,
          5 * i + 4,
          5 * i + 5);
    }
    batch.pack(plan);

    final PrefillLaunches launches = batch.layout.launches(0);
    int needed = 0;
    int at = batch.layout.prefillAt(0);
    assertThat(launches.begin(0)).isZero();
    for (int launch = 0; launch < launches.count(); launch++) {
      int records = 0;
      int parts = 0;
      for (int item = launches.begin(launch); item < launches.end(launch); item++) {
        if (parts == 0) {
          parts = batch.data()[at + 6] & 0xffff;
        }
        assertThat(batch.data()[at + 7]).as("record").isEqualTo(records);
        records += batch.data()[at + 1];
        parts--;
        at += PrefillCut.ITEM_INTS;
      }
      assertThat(parts).as("items of a tile in another launch").isZero();
      assertThat(records).isBetween(1, forward.mostRecords());
      needed += records;
    }
    assertThat(launches.count()).isGreaterThan(1);
    assertThat(launches.end(launches.count() - 1)).isEqualTo(batch.layout.prefills(0));
    assertThat(at).isEqualTo(batch.layout.wholeAt);
    assertThat(needed).isEqualTo(MAX_NUM_SEQS * 250 * prefillCut.maxParts(250));
  }

  /**
   * A group of the whole context and two of a window of 4, in blocks of 4: three tables side by
   * side.
   */
  @Test
  void shouldListTheWindowAndTheWholeContextApart() {
    final KvLayers layers = KvLayers.of(TinyModel.QWEN2_WITH_WINDOWS.config());
    final ExecutorOptions options =
        new ExecutorOptions(
            0,
            4,
            64,
            1_024,
            4,
            2_000,
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
    final ForwardShape windowed =
        new ForwardShape(new AttentionKernelShape(4, 2, 16, 4), layers, options);
    final KvCacheShape cache =
        KvCacheShape.builder().blockSize(4).blocks(2_000).groups(layers.kvGroups(4)).build();
    final ExecutorShape shape =
        ExecutorShape.builder().kvCache(cache).maxNumSeqs(4).vocabularySize(100).build();
    final BatchPlan plan =
        new BatchPlan(
            options,
            new PlanCheck(shape, 1_024),
            new LastSamples(),
            new BlockTables(4, 3, 256),
            windowed);
    final int[] table = IntStream.rangeClosed(1, 150).toArray();

    plan.pack(new FakePlan().groups(3).entry(tokens("a", 599), 598, 1, table));

    assertThat(List.of(windowed.window(0), windowed.window(1))).containsExactly(4, 0);
    assertThat(List.of(windowed.list(0), windowed.list(1), windowed.list(2)))
        .containsExactly(1, 0, 0);
    assertThat(plan.layout.items(0)).isEqualTo(1);
    assertThat(plan.layout.items(1)).isEqualTo(windowed.cut().items(599));
    final int window = plan.layout.workAt(0) + DecodeCut.HEADER_INTS;
    assertThat(Arrays.copyOfRange(plan.data(), window, window + 4)).containsExactly(0, 595, 599, 1);
    assertThat(plan.data()[plan.layout.workAt(1) + DecodeCut.HEADER_INTS + 1]).isZero();
    for (int group = 0; group < 3; group++) {
      assertThat(plan.data()[plan.layout.slotAt(group)]).isEqualTo(150 * 4 + 598 % 4);
    }
    assertThat(plan.layout.runs).isEqualTo(3);
    assertThat(plan.data()[plan.layout.runAt + 4 + 1]).isEqualTo(256);
  }

  /** A recording has the addresses of both lists, whatever the contexts. */
  @Test
  void shouldHaveTheListsWhereARecordingHasThem() {
    final KvLayers layers = KvLayers.of(TinyModel.QWEN2_WITH_WINDOWS.config());
    final ForwardShape windowed =
        new ForwardShape(new AttentionKernelShape(4, 2, 16, 4), layers, OPTIONS);
    final BatchLayout few = new BatchLayout(windowed);
    final BatchLayout many = new BatchLayout(windowed);

    few.arrange(2, 2, 2, new int[] {2, 2}, new int[2], 0, 0);
    many.arrange(2, 2, 2, new int[] {2, 40}, new int[2], 6, 100);

    assertThat(few.workAt(0)).isEqualTo(many.workAt(0));
    assertThat(few.workAt(1)).isEqualTo(many.workAt(1));
    assertThat(few.workAt(1) - few.workAt(0))
        .isGreaterThanOrEqualTo(
            DecodeCut.HEADER_INTS + 2 * windowed.mostItemsOfRow(0) * DecodeCut.ITEM_INTS);
  }

  @Test
  void shouldListNothingWhereNoRowDecodes() {
    batch.pack(new FakePlan().entry(tokens("chunk", 70), 0, 70, 1));

    assertThat(batch.layout.items(0)).isZero();
  }

  @Test
  void shouldSendOnlyTheBlocksThatTheDeviceHasNotGot() {
    final FakeRequest first = request(7, 30_000);
    final FakeRequest second = request(9, 30_000);
    batch.pack(
        plan(first, EntryKind.NEW, 0, 4_097, 0, 11, 12)
            .entry(second.running(0), EntryKind.NEW, 1, 21));
    assertThat(runs()).containsExactly(List.of(0, 0, 11, 12), List.of(1, 0, 21));

    batch.pack(plan(first, EntryKind.RUNNING, 4_097, 1, 2, 11, 12));
    assertThat(runs()).isEmpty();
    assertThat(batch.data()[batch.layout.sequenceAt]).isZero();
    assertThat(batch.data()[batch.layout.slotAt(0)]).isEqualTo(12 * BLOCK_SIZE + 1);

    // one block more than is computed: it is sent when it is needed, though it is not new then
    batch.pack(plan(first, EntryKind.RUNNING, 4_098, 1, 2, 11, 12, 13));
    assertThat(runs()).isEmpty();
    batch.pack(plan(first, EntryKind.RUNNING, 8_192, 1, 3, 11, 12, 13));
    assertThat(runs()).containsExactly(List.of(0, 2, 13));

    batch.pack(plan(first, EntryKind.RESUMED, 0, 4_097, 0, 31, 32));
    assertThat(runs()).containsExactly(List.of(0, 0, 31, 32));
  }

  @Test
  void shouldSendAWholeTableAgainWhereItsPlaceWasTaken() {
    final FakeRequest waits = request(0, 30_000);
    batch.pack(plan(waits, EntryKind.NEW, 0, 4_097, 0, 11, 12));
    for (int number = 1; number <= MAX_NUM_SEQS; number++) {
      batch.pack(plan(request(number, 3), EntryKind.NEW, 0, 1, 0, 20 + number));
    }

    batch.pack(plan(waits, EntryKind.RUNNING, 4_097, 1, 2, 11, 12));

    assertThat(runs()).containsExactly(List.of(1, 0, 11, 12)); // number 1 is not used for longest
  }

  @Test
  void shouldGiveThePlacesOfThoseWhoAreGoneToOthers() {
    final FakeRequest stays = request(0, 30_000);
    batch.pack(plan(stays, EntryKind.NEW, 0, 1, 0, 11));
    for (int number = 1; number <= 3 * MAX_NUM_SEQS; number += 2) {
      final FakeRequest ends = request(number, 3);
      final FakeRequest leaves = request(number + 1, 3);
      batch.pack(
          plan(ends, EntryKind.NEW, 0, 1, 0, 21).entry(leaves.running(0), EntryKind.NEW, 1, 22));
      final FakePlan gone = new FakePlan().ended(ends);
      gone.preempted().add(leaves);
      batch.pack(gone);
    }

    batch.pack(plan(stays, EntryKind.RUNNING, 1, 1, 1, 11));

    assertThat(runs()).isEmpty();
  }

  @Test
  void shouldChangeNothingForARefusedEntry() {
    final FakeRequest good = request(0, 30_000);
    final FakeRequest stray = request(1, 30_000);
    batch.pack(
        plan(good, EntryKind.NEW, 0, 1, 0, 11).entry(stray.running(0), EntryKind.NEW, 1, 99));
    assertThat(batch.entries.refusal(1))
        .hasMessage("blocks must be in [1, numBlocks): block=99, numBlocks=64, request='r1'");
    assertThat(runs()).containsExactly(List.of(0, 0, 11));

    batch.pack(plan(stray, EntryKind.RUNNING, 0, 1, 1, 99)); // it was out when the refusal came

    assertThat(batch.entries.refusal(0)).isNotNull();
    assertThat(batch.layout.rows).isZero();
  }

  @Test
  void shouldRefuseARequestThatIsInAStepTwice() {
    final FakeRequest twice = request(3, 10);
    for (int step = 0; step < 2; step++) {
      batch.pack(
          plan(twice, EntryKind.NEW, 0, 1, 0, 1).entry(twice.running(0), EntryKind.NEW, 1, 2));

      assertThat(batch.entries.refusal(0)).isNull();
      assertThat(batch.entries.refusal(1))
          .hasMessage("a request must be in a step once: request='r3'");
      assertThat(runs()).containsExactly(List.of(0, 0, 1));
    }
  }

  /** Changes of tables: row, first place, ids. */
  private List<List<Integer>> runs() {
    final List<List<Integer>> result = new ArrayList<>();
    final int[] data = batch.data();
    final int at = data[batch.layout.workAt(0) + 1];
    int id = batch.layout.idAt;
    for (int run = at; run < at + 4 * data[batch.layout.workAt(0) + 2]; run += 4) {
      final List<Integer> one = new ArrayList<>(List.of(data[run], data[run + 1]));
      assertThat(data[run + 3]).isEqualTo(id);
      for (int i = 0; i < data[run + 2]; i++) {
        one.add(data[id++]);
      }
      result.add(one);
    }
    assertThat(id).isEqualTo(batch.layout.end);
    return result;
  }

  private static FakePlan plan(
      FakeRequest request,
      EntryKind kind,
      int computed,
      int scheduled,
      int newBlocksFrom,
      int... blocks) {
    final FakePlan plan = new FakePlan();
    plan.add(request.running(computed), new Table(blocks), kind, scheduled, newBlocksFrom, 0);
    return plan;
  }

  private static FakeRequest request(int number, int promptTokens) {
    return new FakeRequest(number, tokens("r" + number, promptTokens));
  }

  /** Offsets that a recording has fixed do not move with the lengths of the contexts. */
  @Test
  void shouldMoveNothingWhenContextsGrow() {
    batch.pack(new FakePlan().entry(tokens("a", 3), 2, 1, 1));
    final int workAt = batch.layout.workAt(0);

    batch.pack(new FakePlan().entry(tokens("a", 4_000), 3_999, 1, 1));

    assertThat(batch.layout.workAt(0)).isEqualTo(workAt);
    assertThat(batch.layout.end)
        .isLessThanOrEqualTo((int) BatchLayout.maxInts(forward, 2_048, MAX_NUM_SEQS, MAX_NUM_SEQS));
  }

  private int firstItem() {
    return batch.layout.workAt(0) + DecodeCut.HEADER_INTS;
  }

  /** Keys that the list has for each row, if each is there once. */
  private List<Integer> keysOfRows() {
    final int[] keys = new int[batch.layout.rows];
    final boolean[] listed = new boolean[keys.length];
    final int items = batch.data()[batch.layout.workAt(0)];
    assertThat(batch.layout.runAt).isEqualTo(firstItem() + items * DecodeCut.ITEM_INTS);
    for (int item = 0; item < items; item++) {
      final int at = firstItem() + item * DecodeCut.ITEM_INTS;
      final int row = batch.data()[at];
      assertThat(batch.data()[at + 1]).as("first key").isEqualTo(keys[row]);
      keys[row] = batch.data()[at + 2];
      listed[row] = true;
    }
    final List<Integer> result = new ArrayList<>();
    for (int row = 0; row < keys.length; row++) {
      result.add(listed[row] ? keys[row] : -1);
    }
    return result;
  }

  private static Request tokens(String id, int count) {
    final int[] prompt = IntStream.range(0, count).map(i -> i % 100).toArray();
    return Request.builder(id, prompt).maxTokens(4).sampling(SamplingParams.GREEDY).build();
  }
}
