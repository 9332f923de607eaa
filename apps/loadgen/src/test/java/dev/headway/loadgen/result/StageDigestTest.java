package dev.headway.loadgen.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.loadgen.client.Exchange;
import dev.headway.loadgen.run.RunRecord;
import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.RouterTiming;
import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingSegment;
import dev.headway.routing.timing.TimingStage;
import java.util.List;
import org.junit.jupiter.api.Test;

class StageDigestTest {

  private static final long MS = 1_000_000;

  /** Sent 10 ms after its arrival, first token 110 ms, last 170 ms, end 180 ms after it. */
  private static RunRecord routed(int index, String worker) {
    final RunRecord record = Runs.ok(index, "t");
    final Exchange exchange = record.exchange();
    final long arrived = exchange.at().ns(TimingStage.ARRIVED);
    final RequestTiming router =
        new RequestTiming()
            .set(TimingStage.ROUTER_RECEIVED, arrived + 11 * MS)
            .set(TimingStage.ROUTER_PICKED, arrived + 12 * MS)
            .set(TimingStage.TO_SERVER, arrived + 13 * MS);
    exchange.router(
        new RouterTiming(
            HostClock.id(), router, 0, worker, "", "p", "b", 2, 0, 1, 0, 0, 0, 0, 0, null));
    final RequestTiming server =
        new RequestTiming()
            .set(TimingStage.SERVER_RECEIVED, arrived + 15 * MS)
            .set(TimingStage.QUEUED, arrived + 20 * MS)
            .set(TimingStage.SCHEDULED, arrived + 60 * MS)
            .set(TimingStage.PREFILL_DONE, arrived + 100 * MS);
    exchange.server(new ServerTiming(HostClock.id(), server, 10, 0, 4, 0, 40 * MS, null, null));
    return record;
  }

  @Test
  void shouldSayWhereTheTimeWentAndWhoAnswered() {
    final RunReport report =
        Runs.report(
            List.of(routed(0, "a"), routed(1, "b"), routed(2, "a"), Runs.failed(3)), Runs.facts(4));

    final StageDigest digest = report.stages();

    assertThat(digest.isKnown()).isTrue();
    assertThat(digest.durations().get("Total latency").mean()).isCloseTo(0.18, within(1e-12));
    assertThat(digest.durations().get("Server latency").mean()).isCloseTo(0.167, within(1e-12));
    assertThat(digest.durations().get("Queue in router").mean()).isCloseTo(0.002, within(1e-12));
    assertThat(digest.durations().get("Queue in server").mean()).isCloseTo(0.047, within(1e-12));
    assertThat(digest.durations().get("Pure queue").mean()).isCloseTo(0.04, within(1e-12));
    final double parts = digest.stages().values().stream().mapToDouble(of -> of.mean()).sum();
    assertThat(parts).as("the stages add up").isCloseTo(0.18, within(1e-12));
    assertThat(digest.stages().get(TimingSegment.QUEUE).count()).isEqualTo(3);
    assertThat(digest.verdict())
        .isEqualTo("Most of the time: decode 33.3 %, prefill 22.2 %, queue 22.2 %");
    assertThat(digest.text())
        .contains("a: 66.7 % of requests\n")
        .contains("b: 33.3 % of requests\n");
    assertThat(report.chain().fileName()).isEqualTo("router_requests.csv");
  }

  @Test
  void shouldSayNothingOfServersThatSayNothing() {
    assertThat(Runs.report().stages().isKnown()).isFalse();
  }
}
