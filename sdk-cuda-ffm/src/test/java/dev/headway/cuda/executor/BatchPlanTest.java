package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.executor.plan.PlanCheck;
import dev.headway.testkit.FakePlan;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The list of work that a step's decoding rows become. */
class BatchPlanTest {
  private static final int BLOCK_SIZE = 4_096;
  private static final int MAX_MODEL_LEN = 32_768;
  private static final int MAX_NUM_SEQS = 8;

  private final DecodeCut cut = new DecodeCut(new AttentionKernelShape(32, 8, 128, BLOCK_SIZE));
  private final BatchPlan batch = batch();

  private BatchPlan batch() {
    final ExecutorOptions options =
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
            CudaGraphs.ENABLED);
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(
                KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(64).bytesPerBlock(64).build())
            .maxNumSeqs(MAX_NUM_SEQS)
            .vocabularySize(100)
            .maxNumBatchedTokens(2_048)
            .maxModelLen(MAX_MODEL_LEN)
            .build();
    return new BatchPlan(options, new PlanCheck(shape, MAX_MODEL_LEN), new LastSamples(), cut);
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
    assertThat(batch.layout.items).isEqualTo(cut.items(600));
  }

  @Test
  void shouldListNothingWhereNoRowDecodes() {
    batch.pack(new FakePlan().entry(tokens("chunk", 70), 0, 70, 1));

    assertThat(batch.layout.items).isZero();
  }

  /** Offsets that a recording has fixed do not move with the lengths of the contexts. */
  @Test
  void shouldMoveNothingWhenContextsGrow() {
    batch.pack(new FakePlan().entry(tokens("a", 3), 2, 1, 1));
    final int workAt = batch.layout.workAt;

    batch.pack(new FakePlan().entry(tokens("a", 4_000), 3_999, 1, 1));

    assertThat(batch.layout.workAt).isEqualTo(workAt);
    assertThat(batch.layout.end)
        .isLessThanOrEqualTo(
            (int)
                BatchLayout.maxInts(
                    2_048,
                    MAX_NUM_SEQS,
                    MAX_NUM_SEQS * cut.maxItems(),
                    MAX_MODEL_LEN / BLOCK_SIZE));
  }

  private int firstItem() {
    return batch.layout.workAt + DecodeCut.HEADER_INTS;
  }

  /** Keys that the list has for each row, if each is there once. */
  private List<Integer> keysOfRows() {
    final int[] keys = new int[batch.layout.rows];
    final boolean[] listed = new boolean[keys.length];
    final int items = batch.data()[batch.layout.workAt];
    assertThat(batch.layout.tableAt).isEqualTo(firstItem() + items * DecodeCut.ITEM_INTS);
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
