package dev.headway.simulation.workload.generated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A load that tells the terms of a step apart. */
final class ForLearningLoadTest {

  private static List<WorkloadRequest> requests(String options) throws IOException {
    final List<WorkloadRequest> requests = new ArrayList<>();
    try (Workload load = NamedLoads.open("for-learning(" + options + ")")) {
      assertThat(load.sizeHint()).isPresent();
      final long expected = load.sizeHint().orElseThrow();
      for (WorkloadRequest next = load.next(); next != null; next = load.next()) {
        requests.add(next);
      }
      assertThat(requests).hasSize((int) expected);
    }
    return requests;
  }

  @Test
  void shouldSendEveryNumberOfRequestsWithShortLongAndMixedContexts() throws IOException {
    final List<WorkloadRequest> requests =
        requests("concurrency=12,input=1000,output=20,gap=2,seed=3");

    final Map<Long, List<WorkloadRequest>> bursts =
        requests.stream()
            .collect(
                Collectors.groupingBy(
                    WorkloadRequest::arrivalNs, TreeMap::new, Collectors.toList()));
    assertThat(bursts.keySet()).allMatch(ns -> ns % 2_000_000_000L == 0);
    final List<List<WorkloadRequest>> decoding =
        bursts.values().stream().filter(burst -> burst.getFirst().outputTokens() >= 20).toList();
    assertThat(decoding.stream().map(List::size).sorted().toList())
        .as("three of each number of requests")
        .containsExactly(1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 6, 6, 6, 8, 8, 8, 12, 12, 12);
    final List<List<WorkloadRequest>> twelve =
        decoding.stream().filter(burst -> burst.size() == 12).toList();
    assertThat(twelve)
        .as("one of them long among short ones")
        .filteredOn(
            burst ->
                longest(burst) == 1_000
                    && burst.stream().filter(each -> each.inputTokens() <= 320).count() == 11)
        .hasSize(1);
    assertThat(bursts.values())
        .as("single prompts of every length")
        .filteredOn(burst -> burst.getFirst().outputTokens() < 20)
        .extracting(burst -> burst.getFirst().inputTokens())
        .containsExactlyInAnyOrder(16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1_000);
    assertThat(requests("concurrency=12,input=1000,output=20,gap=2,seed=3")).isEqualTo(requests);
    assertThat(requests("concurrency=12,input=1000,output=20,gap=2,seed=3,requests=5"))
        .isEqualTo(requests.subList(0, 5));
    assertThat(requests("concurrency=12,input=1000,output=20,gap=2,seed=4")).isNotEqualTo(requests);
  }

  private static int longest(List<WorkloadRequest> burst) {
    return burst.stream().mapToInt(WorkloadRequest::inputTokens).max().orElse(0);
  }

  @Test
  void shouldRefuseWhatIsNoLoad() {
    assertThatThrownBy(() -> NamedLoads.open("for-learning(concurrency=0)"))
        .hasMessageContaining("concurrency must be in [1, 16384]: concurrency=0");
    assertThatThrownBy(() -> NamedLoads.open("for-learning(gap=0)"))
        .hasMessageContaining("gap must be above 0, in seconds: gap=0");
    assertThatThrownBy(() -> NamedLoads.open("for-learning(input=3)"))
        .hasMessageContaining("input must be in [16, 16777216]: input=3");
    assertThatThrownBy(() -> NamedLoads.open("for-learning(rate=3)"))
        .hasMessageContaining("a load has no such options");
  }
}
