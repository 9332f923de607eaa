package dev.headway.probes.dashboard.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.probe.ProbeProvider;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.model.RunModel;
import dev.headway.probes.dashboard.BusyEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedProbesTest {

  @Test
  void shouldBeFoundByName() {
    assertThat(ServiceLoader.load(ProbeProvider.class).stream().map(p -> p.get().name()))
        .contains("dashboard", "slow-requests");
  }

  @Test
  void shouldExplainRequestsThatWaitedTooLong() {
    final List<String> logged = new ArrayList<>();
    final var outcomes =
        BusyEngine.run(
            LiveProbe.of(new RunModel(new SlowRequestLog(Duration.ofMillis(200), 5, logged::add))));
    final long slow = outcomes.stream().filter(one -> one.waits().totalNs() > 200_000_000L).count();

    assertThat(slow).isGreaterThan(5);
    assertThat(logged).hasSize(5);
    assertThat(logged.get(0)).matches("slow request r\\d+: waited .* of .*; .* waiting.*");
  }

  @Test
  void shouldLogNothingBelowTheThreshold() {
    final List<String> logged = new ArrayList<>();

    BusyEngine.run(
        LiveProbe.of(new RunModel(new SlowRequestLog(Duration.ofHours(1), 5, logged::add))));

    assertThat(logged).isEmpty();
  }

  @Test
  void shouldOpenADashboardOfAnEngineByName() {
    assertThat(BusyEngine.run(engine -> engine.probe("dashboard", Map.of("port", "0"))))
        .hasSize(BusyEngine.REQUESTS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"soon", "-2s", "2"})
  void shouldRefuseAThresholdThatIsNoDuration(String threshold) {
    assertThatThrownBy(
            () ->
                BusyEngine.run(
                    engine -> engine.probe("slow-requests", Map.of("threshold", threshold))))
        .hasStackTraceContaining(
            "slow-requests option threshold must be a duration as in 500ms, 2s or 1m: threshold="
                + threshold);
  }
}
