package dev.headway.scheduler.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.WaitReason;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The scheduler against its model, and against the laws that hold in every state. To replay a
 * failure: {@code -Dheadway.model.seed=S -Dheadway.model.operations=N}.
 */
class SchedulerModelTest {

  private static final long SEED = Long.getLong("headway.model.seed", -1);
  private static final int OPERATIONS = Integer.getInteger("headway.model.operations", 400);
  private static final int LONG_OPERATIONS =
      Integer.getInteger("headway.model.operations", 100_000);
  private static final int BATCHES = Integer.getInteger("headway.model.batches", 12);
  private static final int SEEDS_PER_BATCH = 100;

  static LongStream batches() {
    return LongStream.range(0, SEED < 0 ? BATCHES : 1);
  }

  static LongStream manySeeds() {
    return LongStream.rangeClosed(1_000_001, 1_000_040);
  }

  @ParameterizedTest
  @MethodSource("batches")
  void shouldDecideAsTheModelDoes(long batch) {
    final long first = SEED < 0 ? 1 + SEEDS_PER_BATCH * batch : SEED;
    final long last = SEED < 0 ? first + SEEDS_PER_BATCH - 1 : SEED;
    for (long seed = first; seed <= last; seed++) {
      new RandomWorld(seed).run(OPERATIONS);
    }
  }

  /** A result from before a preemption lowers computedTokens below what is cached when it ends. */
  @Test
  void shouldKeepFindableWhatWasComputedBeforeRejectedDrafts() {
    new RandomWorld(1_000_032).run(LONG_OPERATIONS);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("manySeeds")
  void shouldDecideAsTheModelDoesInLongRuns(long seed) {
    new RandomWorld(seed).run(LONG_OPERATIONS);
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
  void shouldMeetEveryReasonAndEveryEndOfOneGroup() {
    final Set<WaitReason> told = EnumSet.noneOf(WaitReason.class);
    final Set<FinishReason> ends = EnumSet.noneOf(FinishReason.class);
    int ended = 0;

    for (long seed = 1; seed <= 200; seed++) {
      final RandomWorld world = new RandomWorld(seed);
      world.run(400);
      told.addAll(world.reasonsTold());
      ends.addAll(world.endsTold());
      ended += world.endedRequests();
    }

    assertThat(EnumSet.complementOf(EnumSet.copyOf(told)))
        .as("reasons of policies, of other groups, of items, of sessions, and those never told")
        .containsExactlyInAnyOrder(
            WaitReason.INITIAL_WAITING,
            WaitReason.POLICY_DEFERRED,
            WaitReason.CAPACITY_RESERVED,
            WaitReason.PREFIX_IN_PROGRESS,
            WaitReason.ENCODER_BUDGET,
            WaitReason.ENCODER_CACHE,
            WaitReason.STREAMING_INPUT,
            WaitReason.RECOMPUTATION);
    assertThat(ends)
        .containsExactlyInAnyOrder(
            FinishReason.STOP,
            FinishReason.LENGTH,
            FinishReason.REPETITION,
            FinishReason.ABORTED,
            FinishReason.EXECUTOR_FAILED,
            FinishReason.KV_CACHE_EXHAUSTED);
    assertThat(ended).isGreaterThan(2_000);
  }
}
