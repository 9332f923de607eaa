package dev.headway.simulation.workload.generated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.workload.Requests;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.TraceFormatException;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkloadSpecTest {
  private static final String USUAL =
      """
          arrival: {process: poisson}
          input_distribution: {type: constant, params: {value: 100}}
          output_distribution: {type: constant, params: {value: 10}}
      """;

  @TempDir private Path dir;

  @Test
  void shouldShareTheRateByFractions() throws IOException {
    final List<WorkloadRequest> requests =
        requests(
            """
            version: "2"
            seed: 7
            category: language
            aggregate_rate: 50
            num_requests: 6000
            clients:
              - id: chat
                tenant_id: acme
                slo_class: critical
                rate_fraction: 3
                prefix_group: shop
                prefix_length: 64
                streaming: true
                network: {rtt_ms: 5}
                timeout: 1000000
                arrival: {process: gamma, cv: 2}
                input_distribution:
                  type: gaussian
                  params: {mean: 256, std_dev: 100, min: 2, max: 800}
                output_distribution:
                  type: exponential
                  params: {mean: 200}
              - id: batch
                tenant_id: other
                rate_fraction: 1
                arrival: {process: weibull, cv: 0.5}
                input_distribution:
                  type: pareto_lognormal
                  params: {alpha: 3, xm: 100, mu: 5, sigma: 0.5, mix_weight: 0.5}
                output_distribution:
                  type: empirical
                  params: {10: 0.5, 30: 0.5}
            """);

    assertThat(requests).hasSize(6_000);
    assertThat(requests.get(0).requestId()).isEqualTo("request_0");
    assertThat(requests.getLast().arrivalNs() / 1e9).isCloseTo(120, within(8.0));
    final Map<String, List<WorkloadRequest>> byTenant =
        requests.stream().collect(Collectors.groupingBy(request -> request.tenant() + ""));
    assertThat((double) byTenant.get("acme").size()).isCloseTo(4_500, within(250.0));
    assertThat(byTenant.get("acme"))
        .allMatch(request -> request.prefixTokens() == 64 && request.inputTokens() >= 66);
    assertThat(byTenant.get("other"))
        .allMatch(request -> request.prefixTokens() == 0)
        .allMatch(request -> request.outputTokens() == 10 || request.outputTokens() == 30);
    assertThat(requests).isSortedAccordingTo((a, b) -> Long.compare(a.arrivalNs(), b.arrivalNs()));
  }

  @Test
  void shouldGiveClientsOfOnePhaseTheWholeRate() throws IOException {
    final List<WorkloadRequest> requests =
        requests(
            """
            version: "2"
            aggregate_rate: 20
            clients:
              - id: first
                tenant_id: first
                rate_fraction: 0.5
                lifecycle: {windows: [{start_us: 0, end_us: 50000000}]}
            %s
              - id: second
                tenant_id: second
                rate_fraction: 0.1
                lifecycle: {windows: [{start_us: 50000000, end_us: 100000000}]}
            %s
            """
                .formatted(USUAL, USUAL));

    assertThat(between(requests, 0, 50)).isCloseTo(1_000, within(130.0));
    assertThat(between(requests, 50, 100)).isCloseTo(1_000, within(130.0));
    assertThat(requests)
        .allMatch(
            request -> "first".equals(request.tenant()) == (request.arrivalNs() < 50_000_000_000L));
  }

  @Test
  void shouldUseTheRatesOfWindows() throws IOException {
    final List<WorkloadRequest> requests =
        requests(
            """
            version: "2"
            aggregate_rate: 0
            clients:
              - id: c
                rate_fraction: 1
                lifecycle:
                  windows:
                    - {start_us: 0, end_us: 20000000, trace_rate: 10}
                    - start_us: 30000000
                      end_us: 40000000
                      trace_rate: 100
                      arrival: {process: constant}
                      output_distribution: {type: constant, params: {value: 77}}
            %s
            """
                .formatted(USUAL));

    assertThat(between(requests, 0, 20)).isCloseTo(200, within(45.0));
    assertThat(between(requests, 20, 30)).isZero();
    assertThat(between(requests, 30, 41)).isCloseTo(1_000, within(1.0));
    assertThat(requests)
        .allMatch(
            request -> request.outputTokens() == (request.arrivalNs() > 25_000_000_000L ? 77 : 10));
  }

  @Test
  void shouldExpandCohorts() throws IOException {
    final List<WorkloadRequest> requests =
        requests(
            """
            version: "2"
            aggregate_rate: 40
            num_requests: 3000
            cohorts:
              - id: team
                population: 20
                rate_fraction: 1
                prefix_group: docs
                prefix_sharing: per_member
                spike: {start_time_us: 10000000, duration_us: 100000000}
            %s
            """
                .formatted(USUAL));

    assertThat(requests.getFirst().arrivalNs()).isGreaterThan(10_000_000_000L);
    assertThat(requests).hasSize(3_000).allMatch(request -> request.inputTokens() == 150);
    assertThat(requests.stream().map(request -> request.prefixBlockIds()[0]).distinct())
        .hasSize(20);
    assertThat(between(requests, 10, 60)).isCloseTo(2_000, within(200.0));
  }

  @Test
  void shouldFollowTheDayAndTheDrainOfACohort() throws IOException {
    final String cohort =
        """
        version: "2"
        aggregate_rate: 1
        cohorts:
          - id: team
            population: 2
            rate_fraction: 1
            %s
        """;
    final List<WorkloadRequest> day =
        requests(cohort.formatted("diurnal: {peak_hour: 14, peak_to_trough_ratio: 4}") + USUAL);
    final List<WorkloadRequest> drain =
        requests(
            cohort.formatted("drain: {start_time_us: 1000000000, ramp_duration_us: 1000000000}")
                + USUAL);

    assertThat(between(day, 14 * 3_600, 15 * 3_600)).isCloseTo(3_600, within(250.0));
    assertThat(between(day, 2 * 3_600, 3 * 3_600)).isCloseTo(900, within(130.0));
    assertThat(between(drain, 0, 1_000)).isCloseTo(1_000, within(130.0));
    assertThat(between(drain, 1_000, 2_000)).isCloseTo(550, within(100.0));
  }

  @Test
  void shouldRepeatItselfAndKeepClientsApart() throws IOException {
    final String spec =
        """
        version: "2"
        seed: 3
        aggregate_rate: 10
        horizon: 60000000
        clients:
          - id: a
            tenant_id: a
            rate_fraction: 1
        %s
        """
            .formatted(USUAL);

    final List<WorkloadRequest> requests = requests(spec);

    assertThat(requests).isEqualTo(requests(spec));
    assertThat(requests.getLast().arrivalNs()).isBetween(50_000_000_000L, 60_000_000_000L);
    assertThat(requests(spec.replace("seed: 3", "seed: 4"))).isNotEqualTo(requests);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rate_fraction: 1 | rate_fractoin: 1 | workload spec has no such key: file=F, at=top.clients[0],"
            + " key=rate_fractoin; it has arrival, closed_loop",
        "rate_fraction: 1 | rate_fractoin: 1 | ; the nearest: rate_fraction",
        "rate_fraction: 1 | rate_fraction: 0 | key=rate_fraction; must be > 0",
        "rate_fraction: 1 | concurrency: 5 | key=concurrency; is not supported: requests that",
        "rate_fraction: 1 | rate_fraction: x | at=top.clients[0], key=rate_fraction; must be a"
            + " finite number",
        "process: poisson | process: posson | at=top.clients[0].arrival, key=process; must be one"
            + " of poisson, gamma, weibull, constant",
        "process: poisson | process: weibull, cv: 11 | coefficient of variation of Weibull gaps must"
            + " be in [0.01, 10.4]",
        "value: 100 | val: 100 | at=top.clients[0].input_distribution.params, key=value; must be"
            + " given",
        "type: constant | type: gauss | key=type; must be one of gaussian, exponential",
        "version: '2' | version: '3' | at=top, key=version; must be \"2\"",
        "num_requests: 9 | seed: 1 | key=num_requests; must be > 0, or horizon must",
        "num_requests: 9 | num_requests: 9.5 | key=num_requests; must be an integer in [0, 10000000]",
        "aggregate_rate: 5 | seed: 1 | key=aggregate_rate; must be > 0 unless windows have",
        "aggregate_rate: 5 | servegen_data: {path: x} | key=servegen_data; is not supported: open"
            + " the directory itself",
        "aggregate_rate: 5 | num_requests: 1 | a YAML file must be readable: file=F, line=",
        "clients: | clients: x |  a YAML file must be readable: file=F, line=",
      })
  void shouldSayWhatIsWrong(String part, String instead, String message) throws IOException {
    final String spec =
        """
        version: '2'
        aggregate_rate: 5
        num_requests: 9
        clients:
          - id: a
            rate_fraction: 1
        """
            + USUAL;
    assertThat(requests(spec)).hasSize(9);

    final Path file = file(spec.replaceFirst(Pattern.quote(part), instead));

    assertThatThrownBy(() -> LoadFiles.open(file, TraceFormat.AUTO))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageContaining(message.replace("F,", file + ","));
  }

  private List<WorkloadRequest> requests(String spec) throws IOException {
    return Requests.of(LoadFiles.open(file(spec), TraceFormat.AUTO));
  }

  private Path file(String spec) throws IOException {
    return Files.writeString(dir.resolve("spec.yaml"), spec);
  }

  private static double between(List<WorkloadRequest> requests, double from, double to) {
    return requests.stream()
        .filter(request -> request.arrivalNs() >= from * 1e9 && request.arrivalNs() < to * 1e9)
        .count();
  }
}
