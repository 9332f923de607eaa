package dev.headway.simulation.workload;

import static dev.headway.simulation.workload.TraceFixture.all;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.workload.SyntheticWorkload.Sharing;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SyntheticWorkloadTest {
  @Test
  void shouldMakeTwoThousandRequestsAtTheTracesRateByDefault() {
    final SyntheticWorkload given = SyntheticWorkload.builder().build();

    assertThat(given.name())
        .isEqualTo("synthetic(requests=2000, ratePerSecond=5.53, burstiness=1.0, seed=1)");
    assertThat(given.sizeHint()).isEqualTo(OptionalLong.of(2_000));
    final List<WorkloadRequest> requests = all(given);
    assertThat(requests).hasSize(2_000).isSortedAccordingTo(SyntheticWorkloadTest::byArrival);
    assertThat(requests.getLast().arrivalNs() / 1e9).isCloseTo(2_000 / 5.53, within(25.0));
  }

  @Test
  void shouldBeTheSameForTheSameSeed() {
    assertThat(all(SyntheticWorkload.builder().seed(3).tenants(2).build()))
        .isEqualTo(all(SyntheticWorkload.builder().seed(3).tenants(2).build()));
    assertThat(all(SyntheticWorkload.builder().seed(3).build()))
        .isNotEqualTo(all(SyntheticWorkload.builder().seed(4).build()));
  }

  /** Pins the algorithm: a seed in a report must go on meaning the same load. */
  @Test
  void shouldNotChangeBetweenReleases() {
    final List<WorkloadRequest> requests =
        all(SyntheticWorkload.builder().requests(3).sharing(Sharing.NONE).build());

    assertThat(requests)
        .containsExactly(
            TraceFixture.request("synthetic-0", 8_314_650, 387, 121),
            TraceFixture.request("synthetic-1", 249_547_800, 381, 79),
            TraceFixture.request("synthetic-2", 264_327_046, 407, 85));
  }

  @Test
  void shouldKeepLengthsWhenTheRateChanges() {
    final List<WorkloadRequest> slow = all(SyntheticWorkload.builder().ratePerSecond(1).build());
    final List<WorkloadRequest> fast =
        all(SyntheticWorkload.builder().ratePerSecond(50).burstiness(0.3).tenants(4).build());

    assertThat(lengths(fast)).isEqualTo(lengths(slow));
  }

  @Test
  void shouldKeepArrivalsWhenSharingChanges() {
    final List<WorkloadRequest> shared = all(SyntheticWorkload.builder().build());
    final List<WorkloadRequest> alone =
        all(SyntheticWorkload.builder().sharing(Sharing.NONE).build());

    assertThat(shared)
        .extracting(WorkloadRequest::arrivalNs)
        .isEqualTo(alone.stream().map(WorkloadRequest::arrivalNs).toList());
    assertThat(lengths(shared)).isEqualTo(lengths(alone));
    assertThat(alone).allMatch(request -> request.prefixBlockCount() == 0);
  }

  @Test
  void shouldSpreadGapsAsBurstinessAsks() {
    assertThat(gapVariation(1)).isCloseTo(1, within(0.02));
    assertThat(gapVariation(0.25)).isCloseTo(2, within(0.06));
    assertThat(gapVariation(16)).isCloseTo(0.25, within(0.005));
  }

  /** The trace's own figures; {@code RealTracesTest} takes them from the file. */
  @Test
  void shouldHaveTheLengthsOfTheTrace() {
    final List<WorkloadRequest> given = all(SyntheticWorkload.builder().requests(100_000).build());

    final double[] input = sorted(given, WorkloadRequest::inputTokens);
    final double[] output = sorted(given, WorkloadRequest::outputTokens);
    assertThat(mean(input)).isCloseTo(1154.7, within(12.0));
    assertThat(mean(output)).isCloseTo(211.1, within(2.0));
    assertThat(quantile(input, 0.5)).isCloseTo(1020, within(5.0));
    assertThat(quantile(output, 0.5)).isCloseTo(129, within(2.0));
    assertThat(quantile(input, 0.9))
        .isCloseTo(2734, within(130.0)); // 3 sigma: few prompts lie there
    assertThat(quantile(output, 0.9)).isCloseTo(424, within(4.0));
    assertThat(quantile(input, 0.99)).isCloseTo(4142, within(60.0));
    assertThat(quantile(output, 0.99)).isCloseTo(601, within(10.0));
    assertThat(correlation(given)).isCloseTo(-0.112, within(0.02));
  }

  @Test
  void shouldGiveThePrefixCacheSomethingToHit() {
    final List<WorkloadRequest> given = all(SyntheticWorkload.builder().build());

    final Set<Integer> seen = new HashSet<>();
    long blocks = 0;
    long hits = 0;
    for (WorkloadRequest request : given) {
      for (int id : request.prefixBlockIds()) {
        blocks++;
        hits += seen.add(id) ? 0 : 1;
      }
    }
    assertThat((double) hits / blocks).isCloseTo(0.201, within(0.001));
  }

  @Test
  void shouldContinueOnlyPromptsThatHadTimeAndHaveRoom() {
    final Sharing sharing = new Sharing(0, 1, 16, 1, 2_000_000_000L);
    final List<WorkloadRequest> given =
        all(SyntheticWorkload.builder().tenants(3).sharing(sharing).build());

    int continued = 0;
    for (int i = 0; i < given.size(); i++) {
      final WorkloadRequest earlier = lastWithFirstBlock(given, i);
      if (earlier != null) {
        final WorkloadRequest later = given.get(i);
        continued++;
        assertThat(later.inputTokens())
            .isGreaterThan(earlier.inputTokens() + earlier.outputTokens());
        assertThat(later.arrivalNs() - earlier.arrivalNs()).isGreaterThanOrEqualTo(2_000_000_000L);
        assertThat(later.tenant()).isEqualTo(earlier.tenant());
        assertThat(later.prefixBlockIds()).startsWith(earlier.prefixBlockIds());
      }
    }
    assertThat(continued).isGreaterThan(1_000);
  }

  @Test
  void shouldRepeatTheWholeLastPromptInItsContinuation() {
    final List<WorkloadRequest> given = all(SyntheticWorkload.builder().build());
    final PromptTokens tokens = new PromptTokens(1 << 30, 1);

    for (int i = 0; i < given.size(); i++) {
      final WorkloadRequest later = given.get(i);
      final WorkloadRequest earlier = lastWithLastSharedBlock(given, i);
      if (earlier != null) {
        assertThat(tokens.of(later)).startsWith(tokens.of(earlier));
      }
    }
  }

  @Test
  void shouldStartPromptsWithTheSystemPromptOfTheirGroup() {
    final Sharing sharing = new Sharing(1, 3, 512, 0, 0);
    final List<WorkloadRequest> given = all(SyntheticWorkload.builder().sharing(sharing).build());

    assertThat(given)
        .allSatisfy(
            request ->
                assertThat(request.prefixTokens())
                    .isEqualTo(request.inputTokens() > 512 ? 512 : 0));
    assertThat(given.stream().filter(r -> r.prefixBlockCount() > 0).map(r -> r.prefixBlockIds()[0]))
        .contains(0, 32, 64)
        .allMatch(id -> id % 32 == 0 && id < 96);
  }

  @Test
  void shouldNameTenantsOnlyWhenAsked() {
    assertThat(all(SyntheticWorkload.builder().build())).allMatch(r -> r.tenant() == null);
    assertThat(all(SyntheticWorkload.builder().tenants(2).build()))
        .extracting(WorkloadRequest::tenant)
        .containsOnly("tenant-0", "tenant-1");
  }

  @Test
  void shouldEndWhenClosed() {
    final SyntheticWorkload given = SyntheticWorkload.builder().build();

    given.close();

    assertThat(given.next()).isNull();
    assertThat(given.adjustedRows()).isZero();
  }

  @Test
  void shouldSayWhatMustHold() {
    final SyntheticWorkload.Builder given = SyntheticWorkload.builder();

    shouldFail(() -> given.requests(-1), "requests must be in [0, 10000000]: requests=-1");
    shouldFail(
        () -> given.ratePerSecond(0),
        "ratePerSecond must be in [1.0E-6, 1000000.0]: ratePerSecond=0.0");
    shouldFail(
        () -> given.burstiness(Double.NaN), "burstiness must be in [0.01, 100.0]: burstiness=NaN");
    shouldFail(() -> given.tenants(10_001), "tenants must be in [0, 10000]: tenants=10001");
    shouldFail(
        () -> new Sharing(1.5, 1, 16, 0, 0),
        "systemPromptShare must be in [0, 1]: systemPromptShare=1.5");
    shouldFail(
        () -> new Sharing(1, 0, 16, 0, 0), "systemPrompts must be in [1, 10000]: systemPrompts=0");
    shouldFail(
        () -> new Sharing(1, 1, 8, 0, 0),
        "systemPromptTokens must be in [16, 65536]: systemPromptTokens=8");
    shouldFail(
        () -> new Sharing(1, 1, 24, 0, 0),
        "systemPromptTokens must be a multiple of 16: systemPromptTokens=24");
    shouldFail(
        () -> new Sharing(1, 1, 16, -0.1, 0),
        "continuedShare must be in [0, 1]: continuedShare=-0.1");
    shouldFail(
        () -> new Sharing(1, 1, 16, 0, -1),
        "turnGapNs must be in [0, 9223372036854775807]: turnGapNs=-1");
  }

  private static void shouldFail(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  private static int byArrival(WorkloadRequest first, WorkloadRequest second) {
    return Long.compare(first.arrivalNs(), second.arrivalNs());
  }

  private static List<String> lengths(List<WorkloadRequest> requests) {
    return requests.stream().map(r -> r.inputTokens() + "/" + r.outputTokens()).toList();
  }

  /** The latest earlier request of the same conversation: without system prompts, first blocks. */
  private static WorkloadRequest lastWithFirstBlock(List<WorkloadRequest> requests, int index) {
    final int first = requests.get(index).prefixBlockIds()[0];
    for (int i = index - 1; i >= 0; i--) {
      if (requests.get(i).prefixBlockIds()[0] == first) {
        return requests.get(i);
      }
    }
    return null;
  }

  /** The latest earlier request whose every block leads this one. */
  private static WorkloadRequest lastWithLastSharedBlock(
      List<WorkloadRequest> requests, int index) {
    final int[] ids = requests.get(index).prefixBlockIds();
    for (int i = index - 1; i >= 0; i--) {
      final int[] other = requests.get(i).prefixBlockIds();
      if (other.length <= ids.length && other[other.length - 1] == ids[other.length - 1]) {
        return requests.get(i);
      }
    }
    return null;
  }

  private static double gapVariation(double burstiness) {
    final List<WorkloadRequest> requests =
        all(
            SyntheticWorkload.builder()
                .requests(50_000)
                .burstiness(burstiness)
                .sharing(Sharing.NONE)
                .build());
    final double[] gaps = new double[requests.size()];
    long previous = 0;
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = requests.get(i).arrivalNs() - previous;
      previous = requests.get(i).arrivalNs();
    }
    final double mean = mean(gaps);
    assertThat(mean).isCloseTo(1e9 / 5.53, within(2e-2 * 1e9 / 5.53));
    return Math.sqrt(Arrays.stream(gaps).map(g -> (g - mean) * (g - mean)).sum() / gaps.length)
        / mean;
  }

  static double[] sorted(List<WorkloadRequest> requests, ToIntFunction<WorkloadRequest> length) {
    return requests.stream().mapToDouble(r -> length.applyAsInt(r)).sorted().toArray();
  }

  static double mean(double[] values) {
    return Arrays.stream(values).average().orElseThrow();
  }

  static double quantile(double[] sorted, double probability) {
    return sorted[(int) (probability * (sorted.length - 1))];
  }

  static double correlation(List<WorkloadRequest> requests) {
    final double in = mean(sorted(requests, WorkloadRequest::inputTokens));
    final double out = mean(sorted(requests, WorkloadRequest::outputTokens));
    double both = 0;
    double inputs = 0;
    double outputs = 0;
    for (WorkloadRequest request : requests) {
      both += (request.inputTokens() - in) * (request.outputTokens() - out);
      inputs += (request.inputTokens() - in) * (request.inputTokens() - in);
      outputs += (request.outputTokens() - out) * (request.outputTokens() - out);
    }
    return both / Math.sqrt(inputs * outputs);
  }
}
