package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.Request;
import dev.headway.events.live.LiveOptions;
import dev.headway.probes.dashboard.page.Dashboard;
import dev.headway.probes.dashboard.page.DashboardPages;
import dev.headway.probes.dashboard.page.DashboardServer;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TopCommandTest {

  @Test
  void shouldSayThatNoServerAnswers() {
    final CliRun run = CliRun.of("top", "http://127.0.0.1:1", "--once");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualToIgnoringNewLines(
            "headway top: no server answers at http://127.0.0.1:1; is it running, on that port?");
  }

  @Test
  void shouldPrintWhatTheDashboardShows() throws IOException {
    final DashboardPages pages = new DashboardPages();
    try (DashboardServer server =
        DashboardServer.open(pages, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      runEngine(Dashboard.probe(LiveOptions.DEFAULT, pages, () -> {}));

      final CliRun run =
          CliRun.of("top", "http://127.0.0.1:" + server.address().getPort() + "/", "--once");

      assertThat(run.exitCode()).isZero();
      assertThat(run.out())
          .contains("headway top   toy", "0 of 2 seats", "0 waiting", "longest waits", "r5")
          .contains("max_num_seqs");
      assertThat(run.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(110));
    }
  }

  /** Six requests for two seats, in virtual time. */
  private static void runEngine(Probe probe) {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
            .maxNumSeqs(2)
            .vocabularySize(100)
            .build();
    final SchedulerLimits limits =
        SchedulerLimits.builder().maxNumSeqs(2).maxNumBatchedTokens(64).maxModelLen(256).build();
    try (Engine engine =
        HeadwayEngine.builder(
                new SimulatedExecutor(
                    shape, new LinearLatencyModel(5_000_000, 20_000, 100_000, 10), clock, 7))
            .config(SchedulerConfig.builder(limits).build())
            .clock(clock)
            .attribute("model", "toy")
            .probe(probe)
            .build()) {
      for (int i = 0; i < 6; i++) {
        engine.submit(Request.builder("r" + i, new int[] {1, 2, 3 + i}).maxTokens(20).build());
      }
      while (engine.step()) {
        // until all have ended
      }
    }
  }

  @Test
  void shouldWantAUrl() {
    final CliRun run = CliRun.of("top", "localhost:8000");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("URL must begin with http:// or https://");
  }
}
