package dev.headway.api.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.KvCacheStats;
import dev.headway.api.schedule.SchedulerStats;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class EngineStatsTest {

  private static final SchedulerStats SCHEDULER = SchedulerStats.builder().steps(12).build();
  private static final KvCacheStats KV_CACHE = KvCacheStats.builder().usableBlocks(13).build();

  /** One for each figure: each raises another. */
  static final List<UnaryOperator<EngineStats.Builder>> CHANGES =
      List.of(
          stats -> stats.submitted(99),
          stats -> stats.rejected(99),
          stats -> stats.finished(99),
          stats -> stats.waiting(99),
          stats -> stats.running(99),
          stats -> stats.steps(99),
          stats -> stats.stepsFailed(99),
          stats -> stats.probesDetached(99),
          stats -> stats.listenersFailed(99),
          stats -> stats.rejectionsUnreported(99),
          stats -> stats.journeyEventsUnreported(99),
          stats -> stats.scheduler(SchedulerStats.builder().steps(99).build()),
          stats -> stats.kvCache(KvCacheStats.builder().usableBlocks(99).build()));

  private static EngineStats.Builder distinct() {
    return EngineStats.builder()
        .submitted(1)
        .rejected(2)
        .finished(3)
        .waiting(4)
        .running(5)
        .steps(6)
        .stepsFailed(7)
        .probesDetached(8)
        .listenersFailed(9)
        .rejectionsUnreported(10)
        .journeyEventsUnreported(11)
        .scheduler(SCHEDULER)
        .kvCache(KV_CACHE);
  }

  @Test
  void shouldKeepEachFigureInItsPlace() {
    final EngineStats stats = distinct().build();

    assertThat(stats.submitted()).isEqualTo(1);
    assertThat(stats.rejected()).isEqualTo(2);
    assertThat(stats.finished()).isEqualTo(3);
    assertThat(stats.waiting()).isEqualTo(4);
    assertThat(stats.running()).isEqualTo(5);
    assertThat(stats.steps()).isEqualTo(6);
    assertThat(stats.stepsFailed()).isEqualTo(7);
    assertThat(stats.probesDetached()).isEqualTo(8);
    assertThat(stats.listenersFailed()).isEqualTo(9);
    assertThat(stats.rejectionsUnreported()).isEqualTo(10);
    assertThat(stats.journeyEventsUnreported()).isEqualTo(11);
    assertThat(stats.scheduler()).isSameAs(SCHEDULER);
    assertThat(stats.kvCache()).isSameAs(KV_CACHE);
  }

  @Test
  void shouldPrintEachFigureWithItsName() {
    assertThat(distinct().build())
        .hasToString(
            "EngineStats[submitted=1, rejected=2, finished=3, waiting=4, running=5, steps=6,"
                + " stepsFailed=7, probesDetached=8, listenersFailed=9, rejectionsUnreported=10,"
                + " journeyEventsUnreported=11, scheduler="
                + SCHEDULER
                + ", kvCache="
                + KV_CACHE
                + "]");
  }

  @Test
  void shouldHaveZeroWhereNothingIsSet() {
    final EngineStats nothing = EngineStats.builder().build();

    assertThat(nothing.submitted()).isZero();
    assertThat(nothing.scheduler()).isEqualTo(SchedulerStats.builder().build());
    assertThat(nothing.kvCache()).isEqualTo(KvCacheStats.builder().build());
  }

  @Test
  void shouldStayAsItWasWhenItsBuilderGoesOn() {
    final EngineStats.Builder builder = distinct();
    final EngineStats before = builder.build();

    final EngineStats after = builder.submitted(2).build();

    assertThat(before.submitted()).isEqualTo(1);
    assertThat(after.submitted()).isEqualTo(2);
  }

  @ParameterizedTest
  @FieldSource("CHANGES")
  void shouldCompareByEveryFigure(UnaryOperator<EngineStats.Builder> change) {
    final EngineStats stats = distinct().build();
    final EngineStats same = distinct().build();
    final EngineStats other = change.apply(distinct()).build();

    assertThat(stats).isEqualTo(same).hasSameHashCodeAs(same);
    assertThat(stats).isNotEqualTo(other).isNotEqualTo("stats");
    assertThat(stats.hashCode()).isNotEqualTo(other.hashCode());
  }
}
