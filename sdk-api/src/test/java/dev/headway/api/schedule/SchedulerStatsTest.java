package dev.headway.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class SchedulerStatsTest {

  /** One for each figure: each raises another. */
  static final List<UnaryOperator<SchedulerStats.Builder>> CHANGES =
      List.of(
          stats -> stats.steps(99),
          stats -> stats.admissions(99),
          stats -> stats.preemptions(99),
          stats -> stats.finished(99),
          stats -> stats.prefixLookups(99),
          stats -> stats.prefixQueriedTokens(99),
          stats -> stats.prefixHitTokens(99),
          stats -> stats.resumedLookups(99),
          stats -> stats.resumedQueriedTokens(99),
          stats -> stats.resumedHitTokens(99),
          stats -> stats.hostHitTokens(99),
          stats -> stats.savedBlocks(99),
          stats -> stats.loadedBlocks(99),
          stats -> stats.drafts(99),
          stats -> stats.draftTokens(99),
          stats -> stats.acceptedDraftTokens(99),
          stats -> stats.policyFaults(99),
          stats -> stats.policyNs(99),
          stats -> stats.externalLookups(99),
          stats -> stats.externalQueriedTokens(99),
          stats -> stats.externalHitTokens(99),
          stats -> stats.resumedExternalLookups(99),
          stats -> stats.resumedExternalQueriedTokens(99),
          stats -> stats.resumedExternalHitTokens(99),
          stats -> stats.failedLoads(99),
          stats -> stats.strayTransfers(99),
          stats -> stats.connectorFaults(99));

  private static SchedulerStats.Builder distinct() {
    return SchedulerStats.builder()
        .steps(1)
        .admissions(2)
        .preemptions(3)
        .finished(4)
        .prefixLookups(5)
        .prefixQueriedTokens(6)
        .prefixHitTokens(7)
        .resumedLookups(8)
        .resumedQueriedTokens(9)
        .resumedHitTokens(10)
        .hostHitTokens(11)
        .savedBlocks(12)
        .loadedBlocks(13)
        .drafts(14)
        .draftTokens(15)
        .acceptedDraftTokens(16)
        .policyFaults(17)
        .policyNs(18)
        .externalLookups(19)
        .externalQueriedTokens(20)
        .externalHitTokens(21)
        .resumedExternalLookups(22)
        .resumedExternalQueriedTokens(23)
        .resumedExternalHitTokens(24)
        .failedLoads(25)
        .strayTransfers(26)
        .connectorFaults(27);
  }

  @Test
  void shouldKeepEachFigureInItsPlace() {
    final SchedulerStats stats = distinct().build();

    assertThat(stats.steps()).isEqualTo(1);
    assertThat(stats.admissions()).isEqualTo(2);
    assertThat(stats.preemptions()).isEqualTo(3);
    assertThat(stats.finished()).isEqualTo(4);
    assertThat(stats.prefixLookups()).isEqualTo(5);
    assertThat(stats.prefixQueriedTokens()).isEqualTo(6);
    assertThat(stats.prefixHitTokens()).isEqualTo(7);
    assertThat(stats.resumedLookups()).isEqualTo(8);
    assertThat(stats.resumedQueriedTokens()).isEqualTo(9);
    assertThat(stats.resumedHitTokens()).isEqualTo(10);
    assertThat(stats.hostHitTokens()).isEqualTo(11);
    assertThat(stats.savedBlocks()).isEqualTo(12);
    assertThat(stats.loadedBlocks()).isEqualTo(13);
    assertThat(stats.drafts()).isEqualTo(14);
    assertThat(stats.draftTokens()).isEqualTo(15);
    assertThat(stats.acceptedDraftTokens()).isEqualTo(16);
    assertThat(stats.policyFaults()).isEqualTo(17);
    assertThat(stats.policyNs()).isEqualTo(18);
    assertThat(stats.externalLookups()).isEqualTo(19);
    assertThat(stats.externalQueriedTokens()).isEqualTo(20);
    assertThat(stats.externalHitTokens()).isEqualTo(21);
    assertThat(stats.resumedExternalLookups()).isEqualTo(22);
    assertThat(stats.resumedExternalQueriedTokens()).isEqualTo(23);
    assertThat(stats.resumedExternalHitTokens()).isEqualTo(24);
    assertThat(stats.failedLoads()).isEqualTo(25);
    assertThat(stats.strayTransfers()).isEqualTo(26);
    assertThat(stats.connectorFaults()).isEqualTo(27);
  }

  @Test
  void shouldPrintEachFigureWithItsName() {
    assertThat(distinct().build())
        .hasToString(
            "SchedulerStats[steps=1, admissions=2, preemptions=3, finished=4, prefixLookups=5,"
                + " prefixQueriedTokens=6, prefixHitTokens=7, resumedLookups=8,"
                + " resumedQueriedTokens=9, resumedHitTokens=10, hostHitTokens=11, savedBlocks=12,"
                + " loadedBlocks=13, drafts=14, draftTokens=15, acceptedDraftTokens=16,"
                + " policyFaults=17, policyNs=18, externalLookups=19, externalQueriedTokens=20,"
                + " externalHitTokens=21, resumedExternalLookups=22,"
                + " resumedExternalQueriedTokens=23, resumedExternalHitTokens=24, failedLoads=25,"
                + " strayTransfers=26, connectorFaults=27]");
  }

  @Test
  void shouldHaveZeroForWhatASchedulerDoesNotKeep() {
    assertThat(SchedulerStats.builder().build())
        .isEqualTo(SchedulerStats.builder().policyNs(0).build());
    assertThat(SchedulerStats.builder().build().steps()).isZero();
  }

  @Test
  void shouldStayAsItWasWhenItsBuilderGoesOn() {
    final SchedulerStats.Builder builder = distinct();
    final SchedulerStats before = builder.build();

    final SchedulerStats after = builder.steps(2).build();

    assertThat(before.steps()).isEqualTo(1);
    assertThat(after.steps()).isEqualTo(2);
  }

  @ParameterizedTest
  @FieldSource("CHANGES")
  void shouldCompareByEveryFigure(UnaryOperator<SchedulerStats.Builder> change) {
    final SchedulerStats stats = distinct().build();
    final SchedulerStats same = distinct().build();
    final SchedulerStats other = change.apply(distinct()).build();

    assertThat(stats).isEqualTo(same).hasSameHashCodeAs(same);
    assertThat(stats).isNotEqualTo(other).isNotEqualTo("stats");
    assertThat(stats.hashCode()).isNotEqualTo(other.hashCode());
  }
}
