package dev.headway.simulation.workload;

import static dev.headway.simulation.workload.SyntheticWorkloadTest.correlation;
import static dev.headway.simulation.workload.SyntheticWorkloadTest.mean;
import static dev.headway.simulation.workload.SyntheticWorkloadTest.sorted;
import static dev.headway.simulation.workload.TraceFixture.all;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The public traces themselves, where a copy lies beside the repository in {@code ../shared/traces}
 * or where {@code -Dheadway.traces=DIR} says; skipped elsewhere, since they are not part of it.
 */
class RealTracesTest {
  @Test
  void shouldReadTheAzureConversationTrace() throws IOException {
    final List<WorkloadRequest> requests = azure();

    assertThat(requests).hasSize(19_366);
    assertThat(requests.getFirst().arrivalNs()).isZero();
    assertThat(requests.getLast().arrivalNs()).isEqualTo(3_501_721_937_000L);
    assertThat(mean(sorted(requests, WorkloadRequest::inputTokens)))
        .isCloseTo(1154.697, within(0.001));
    assertThat(mean(sorted(requests, WorkloadRequest::outputTokens)))
        .isCloseTo(211.126, within(0.001));
  }

  @Test
  void shouldReadTheMooncakeConversationTrace() throws IOException {
    final Set<Integer> unique = new HashSet<>();
    long rows = 0;
    long blocks = 0;
    try (Workload given =
        TraceReaders.open(existing("mooncake-fast25/conversation_trace.jsonl.gz"))) {
      for (WorkloadRequest next = given.next(); next != null; next = given.next()) {
        rows++;
        blocks += next.prefixBlockIds().length;
        Arrays.stream(next.prefixBlockIds()).forEach(unique::add);
        assertThat(next.prefixTokens()).isEqualTo(next.inputTokens());
      }
      assertThat(given.adjustedRows()).isZero();
    }

    assertThat(rows).isEqualTo(12_031);
    assertThat(blocks).isEqualTo(288_500);
    assertThat(unique).hasSize(182_790);
  }

  @Test
  void shouldReadTheShareGptTrace() throws IOException {
    final List<WorkloadRequest> requests =
        all(
            TraceReaders.open(
                existing("sharegpt-llmservingsim/sharegpt-llama-3.1-8b-300-sps10.blk16.jsonl.gz")));

    assertThat(requests).hasSize(300);
    assertThat(requests.getFirst().arrivalNs()).isEqualTo(46_926_808);
    assertThat(requests.stream().mapToInt(WorkloadRequest::prefixBlockCount).sum())
        .isEqualTo(15_942);
  }

  /** What the Javadoc of {@link AzureConversationLengths} claims. */
  @Test
  void shouldFindTheSyntheticLengthsCloseToTheTrace() throws IOException {
    final List<WorkloadRequest> trace = azure();
    final List<WorkloadRequest> synthetic =
        all(SyntheticWorkload.builder().requests(200_000).build());

    assertThat(
            distance(
                sorted(trace, WorkloadRequest::inputTokens),
                sorted(synthetic, WorkloadRequest::inputTokens)))
        .isLessThan(0.013);
    assertThat(
            distance(
                sorted(trace, WorkloadRequest::outputTokens),
                sorted(synthetic, WorkloadRequest::outputTokens)))
        .isLessThan(0.013);
    assertThat(correlation(synthetic)).isCloseTo(correlation(trace), within(0.02));
  }

  private static List<WorkloadRequest> azure() throws IOException {
    return all(TraceReaders.open(existing("azure-llm-2023/AzureLLMInferenceTrace_conv.csv.gz")));
  }

  private static Path existing(String name) {
    final Path file = directory().resolve(name);
    assumeTrue(
        Files.isRegularFile(file),
        () ->
            "not tested with the public trace "
                + name
                + ": give its parent by -Dheadway.traces=DIR");
    return file;
  }

  /** Maven runs tests in the module's directory, an editor perhaps in the repository's root. */
  private static Path directory() {
    final String given = System.getProperty("headway.traces");
    if (given != null) {
      return Path.of(given);
    }
    final Path fromModule = Path.of("..", "..", "shared", "traces");
    return Files.isDirectory(fromModule) ? fromModule : Path.of("..", "shared", "traces");
  }

  private static double distance(double[] first, double[] second) {
    double worst = 0;
    for (double value : first) {
      worst = Math.max(worst, Math.abs(atMost(first, value) - atMost(second, value)));
    }
    return worst;
  }

  private static double atMost(double[] sorted, double value) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      final int middle = (low + high) >>> 1;
      if (sorted[middle] <= value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return (double) low / sorted.length;
  }
}
