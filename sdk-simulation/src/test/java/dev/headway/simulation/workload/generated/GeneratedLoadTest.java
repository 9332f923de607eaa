package dev.headway.simulation.workload.generated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.simulation.workload.PromptTokens;
import dev.headway.simulation.workload.Requests;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.arrival.ArrivalProcess;
import dev.headway.simulation.workload.arrival.Gaps;
import dev.headway.simulation.workload.arrival.RateProfile;
import dev.headway.simulation.workload.length.LengthDistribution;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GeneratedLoadTest {
  private final GeneratedLoad.Builder given = GeneratedLoad.builder("load").requests(1_000);

  @Test
  void shouldNumberRequestsAndRepeatThem() {
    final List<WorkloadRequest> requests = Requests.of(given.build());

    assertThat(requests).hasSize(1_000).isEqualTo(Requests.of(given.build()));
    assertThat(requests.getFirst().requestId()).isEqualTo("load-0");
    assertThat(requests.getLast().requestId()).isEqualTo("load-999");
    assertThat(requests).allMatch(request -> request.inputTokens() == 512);
  }

  @Test
  void shouldLeaveOtherPurposesAsTheyWere() {
    final LengthDistribution lengths = LengthDistribution.uniform(1, 1_000);
    given.input(lengths).output(lengths).tenants(3);
    final List<WorkloadRequest> plain = Requests.of(given.build());

    final List<WorkloadRequest> faster =
        Requests.of(
            given.arrivals(ArrivalProcess.of(Gaps.gamma(2), RateProfile.constant(99))).build());
    final List<WorkloadRequest> longer =
        Requests.of(given.input(LengthDistribution.exponential(5_000)).prefixes(4, 64).build());

    for (int i = 0; i < plain.size(); i++) {
      assertThat(faster.get(i)).isEqualTo(plain.get(i).withArrivalNs(faster.get(i).arrivalNs()));
      assertThat(longer.get(i).arrivalNs()).isEqualTo(faster.get(i).arrivalNs());
      assertThat(longer.get(i).outputTokens()).isEqualTo(plain.get(i).outputTokens());
      assertThat(longer.get(i).tenant()).isEqualTo(plain.get(i).tenant());
    }
  }

  @Test
  void shouldPutTheGroupsPrefixInFrontOfThePrompt() {
    final List<WorkloadRequest> requests = Requests.of(given.prefixes(3, 64).build());

    assertThat(requests)
        .allMatch(request -> request.inputTokens() == 64 + 512 && request.prefixTokens() == 64);
    assertThat(
            requests.stream()
                .collect(
                    Collectors.groupingBy(
                        request -> request.prefixBlockIds()[0], Collectors.counting())))
        .containsOnlyKeys(0, 1, 2)
        .allSatisfy((group, count) -> assertThat(count).isBetween(270L, 400L));
    final PromptTokens prompts = new PromptTokens(32_000, 1);
    final WorkloadRequest first = requests.getFirst();
    final WorkloadRequest second =
        requests.stream()
            .skip(1)
            .filter(request -> request.prefixBlockIds()[0] == first.prefixBlockIds()[0])
            .findFirst()
            .orElseThrow();
    assertThat(Arrays.mismatch(prompts.of(first), prompts.of(second))).isEqualTo(64);
  }

  @Test
  void shouldEndByTime() {
    final GeneratedLoad load =
        given
            .arrivals(ArrivalProcess.of(Gaps.constant(), RateProfile.constant(10)))
            .endSeconds(2)
            .build();

    assertThat(load.sizeHint()).isEmpty();
    assertThat(Requests.of(load)).hasSize(20);
    assertThat(load.sizeHint()).isEqualTo(OptionalLong.of(0));
    assertThat(load.next()).isNull();
  }

  @Test
  void shouldEndWithItsArrivals() {
    final GeneratedLoad load =
        given
            .arrivals(ArrivalProcess.of(Gaps.constant(), RateProfile.linearRamp(10, 0, 10)))
            .build();

    assertThat(Requests.of(load)).hasSize(50);
    assertThat(load.sizeHint()).isEqualTo(OptionalLong.of(0));
  }

  @Test
  void shouldRefuseWhatNoRequestCanHave() {
    assertThatThrownBy(() -> given.prefixes(2, 0))
        .hasMessage("prefix-tokens must be in [1, 16777215]: prefix-tokens=0");
    assertThatThrownBy(() -> given.requests(-1))
        .hasMessage("requests must be in [0, 10000000]: requests=-1");
    assertThatThrownBy(() -> given.endSeconds(Double.NaN))
        .hasMessage("seconds must be > 0: seconds=NaN");
  }
}
