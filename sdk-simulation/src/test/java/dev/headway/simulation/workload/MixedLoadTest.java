package dev.headway.simulation.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MixedLoadTest {

  private static final int REQUESTS = 20_000;
  private static final double RATE = 10;

  private static List<WorkloadRequest> made(MixedLoad.Kind kind, long seed) {
    final List<WorkloadRequest> requests = new ArrayList<>();
    try (MixedLoad load =
        new MixedLoad(new MixedLoad.Parameters(kind, REQUESTS, RATE, 0.1, 5, seed))) {
      for (WorkloadRequest next = load.next(); next != null; next = load.next()) {
        requests.add(next);
      }
    }
    return requests;
  }

  private static int median(List<WorkloadRequest> requests, ToIntFunction<WorkloadRequest> tokens) {
    return requests.stream().mapToInt(tokens).sorted().toArray()[requests.size() / 2];
  }

  @ParameterizedTest
  @EnumSource
  void shouldKeepRateAndOrderAndRepeatItself(MixedLoad.Kind kind) {
    final List<WorkloadRequest> requests = made(kind, 1);

    assertThat(requests).hasSize(REQUESTS).isEqualTo(made(kind, 1)).isNotEqualTo(made(kind, 2));
    assertThat(requests.stream().map(WorkloadRequest::arrivalNs)).isSorted();
    final double seconds = requests.getLast().arrivalNs() / 1e9;
    assertThat(REQUESTS / seconds).isCloseTo(RATE, within(0.4));
  }

  @Test
  void shouldMixShortAndLong() {
    final List<WorkloadRequest> requests = made(MixedLoad.Kind.PRIORITIES, 1);
    final List<WorkloadRequest> urgent = requests.stream().filter(r -> r.priority() == 0).toList();
    final List<WorkloadRequest> others = requests.stream().filter(r -> r.priority() == 10).toList();

    assertThat((double) others.size() / REQUESTS).isCloseTo(0.1, within(0.01));
    assertThat((double) median(urgent, WorkloadRequest::inputTokens)).isCloseTo(256, within(8.0));
    assertThat((double) median(others, WorkloadRequest::inputTokens))
        .isCloseTo(12_000, within(500.0));
    assertThat((double) median(urgent, WorkloadRequest::outputTokens)).isCloseTo(128, within(5.0));
  }

  @Test
  void shouldFloodInTheFirstTenSecondsOfAMinute() {
    final List<WorkloadRequest> flood =
        made(MixedLoad.Kind.BURSTY_TENANTS, 1).stream()
            .filter(request -> "tenant-0".equals(request.tenant()))
            .toList();

    assertThat((double) flood.size() / REQUESTS).isCloseTo(0.5, within(0.03));
    assertThat(flood).allMatch(request -> request.arrivalNs() / 1_000_000_000 % 60 < 10);
  }

  @Test
  void shouldMakeOutputsLong() {
    final List<WorkloadRequest> requests = made(MixedLoad.Kind.LONG_OUTPUTS, 1);

    assertThat((double) median(requests, WorkloadRequest::outputTokens))
        .isCloseTo(1_024, within(40.0));
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    assertThatThrownBy(
            () -> new MixedLoad.Parameters(MixedLoad.Kind.BURSTY_TENANTS, 1, 1, 0.1, 1, 1))
        .hasMessage("tenants must be in [2.0, 10000.0]: tenants=1.0");
    assertThatThrownBy(() -> new MixedLoad.Parameters(MixedLoad.Kind.SHORT_LONG, 1, 0, 0.1, 1, 1))
        .hasMessageStartingWith("ratePerSecond must be in [");
  }
}
