package dev.headway.probes.dashboard.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.RequestOutcome;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.model.RunModel;
import dev.headway.probes.dashboard.BusyEngine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The figures shown against the outcomes that the engine gave its clients. */
class EngineWatchTest {

  private static final List<Snapshot> SHOWN = new ArrayList<>();
  private static List<RequestOutcome.Finished> outcomes = List.of();

  @BeforeAll
  static void run() {
    outcomes = BusyEngine.run(LiveProbe.of(new RunModel(new EngineWatch(SHOWN::add))));
  }

  private static Snapshot last() {
    return SHOWN.get(SHOWN.size() - 1);
  }

  @Test
  void shouldCountAsTheClientsDo() {
    final Snapshot.Totals totals = last().totals();

    assertThat(totals.queued()).isEqualTo(BusyEngine.REQUESTS);
    assertThat(totals.finished()).isEqualTo(BusyEngine.REQUESTS);
    assertThat(totals.outputTokens())
        .isEqualTo(outcomes.stream().mapToLong(one -> one.outputTokenIds().length).sum());
    assertThat(totals.preemptions())
        .isPositive()
        .isEqualTo(outcomes.stream().mapToLong(RequestOutcome.Finished::preemptions).sum());
    assertThat(totals.waitedNs())
        .isPositive()
        .isEqualTo(outcomes.stream().mapToLong(one -> one.waits().totalNs()).sum());
    assertThat(totals.dropped()).isZero();
  }

  @Test
  void shouldHaveACauseForEveryWaitingRequestAtAnyTime() {
    assertThat(SHOWN).hasSizeGreaterThan(4);
    assertThat(SHOWN)
        .allSatisfy(
            snapshot ->
                assertThat(
                        snapshot.waitingFor().values().stream().mapToInt(Integer::intValue).sum())
                    .isEqualTo(snapshot.waiting()));
    assertThat(SHOWN).anySatisfy(snapshot -> assertThat(snapshot.waiting()).isPositive());
  }

  @Test
  void shouldListTheLongestWaitsWithTheirCauses() {
    final List<RequestDigest> slow = last().slow();
    final RequestDigest longest = slow.get(0);

    assertThat(slow)
        .hasSize(SlowRequests.KEPT)
        .isSortedAccordingTo(
            Comparator.comparingLong((RequestDigest one) -> one.ingressNs() + one.waitedNs())
                .reversed());
    assertThat(longest.waits().stream().mapToLong(RequestDigest.Wait::ns).sum())
        .isEqualTo(longest.waitedNs())
        .isEqualTo(outcomes.stream().mapToLong(one -> one.waits().totalNs()).max().orElseThrow());
    assertThat(longest.stayNs()).isZero();
  }

  @Test
  void shouldShowTheHeadOfTheQueueInItsOrder() {
    final Snapshot busy =
        SHOWN.stream().filter(snapshot -> snapshot.waiting() > 20).findFirst().orElseThrow();

    assertThat(busy.head()).hasSize(8);
    assertThat(busy.head().get(0).waitsFor()).isNotNull();
    assertThat(busy.head().get(0).stayNs()).isPositive();
    assertThat(busy.running()).isPositive().isLessThanOrEqualTo(BusyEngine.SEATS);
  }

  @Test
  void shouldAddUpPerSecond() {
    final Snapshot last = last();

    assertThat(last.upNs())
        .as("all of it is shown")
        .isLessThan(LastMinutes.SECONDS * 1_000_000_000L);
    long output = 0;
    for (long tokens : last.outputTokens()) {
      output += tokens;
    }
    assertThat(output).isEqualTo(last.totals().outputTokens());
    assertThat(last.ttft().count()).isLessThanOrEqualTo(BusyEngine.REQUESTS).isPositive();
    assertThat(last.tokenGaps().p99Ns()).isGreaterThanOrEqualTo(last.tokenGaps().p50Ns());
  }
}
