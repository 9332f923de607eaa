package dev.headway.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.schedule.WaitReason;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scheduler against its reference, and against the laws that hold in every state. */
class SchedulerModelTest {

  static LongStream batches() {
    return LongStream.range(0, 10);
  }

  static LongStream manySeeds() {
    return LongStream.rangeClosed(1_000_001, 1_000_040);
  }

  @ParameterizedTest
  @MethodSource("batches")
  void shouldDecideAsTheReferenceDoes(long batch) {
    for (long seed = 1 + 100 * batch; seed <= 100 + 100 * batch; seed++) {
      new RandomWorld(seed).run(400);
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("manySeeds")
  void shouldDecideAsTheReferenceDoesInLongRuns(long seed) {
    new RandomWorld(seed).run(100_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 5, 8, 13, 21})
  void shouldTellTheSameStoryForTheSameSeed(long seed) {
    final RandomWorld one = new RandomWorld(seed);
    final RandomWorld other = new RandomWorld(seed);
    one.run(500);

    other.run(500);

    assertThat(other.hashOfEvents()).as("seed=%d", seed).isEqualTo(one.hashOfEvents());
  }

  /** Is the generator any good? It must bring about everything that can happen. */
  @Test
  void shouldMeetEveryReasonThatASchedulerOfOneStepCanGive() {
    final Set<WaitReason> told = EnumSet.noneOf(WaitReason.class);
    int ended = 0;

    for (long seed = 1; seed <= 100; seed++) {
      final RandomWorld world = new RandomWorld(seed);
      world.run(400);
      told.addAll(world.reasonsTold());
      ended += world.endedRequests();
    }

    assertThat(told)
        .containsExactlyInAnyOrder(
            WaitReason.MAX_NUM_SEQS,
            WaitReason.MAX_NUM_BATCHED_TOKENS,
            WaitReason.DECODE_PRIORITY,
            WaitReason.CHUNKED_PREFILL,
            WaitReason.CHUNKED_PREFILL_DISABLED,
            WaitReason.MEMORY_INSUFFICIENT,
            WaitReason.WATERMARK,
            WaitReason.FULL_SEQUENCE_RESERVE,
            WaitReason.HEAD_OF_LINE,
            WaitReason.PREEMPTION_IN_STEP,
            WaitReason.PREEMPTED,
            WaitReason.EVICTED);
    assertThat(ended).isGreaterThan(2_000);
  }
}
