package dev.headway.loadgen.metrics;

import dev.headway.toolbox.stats.SortedSample;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The figures of a run, by the formulas of {@code vllm bench serve}: sums over requests that were
 * answered, rates over the whole run. Times are seconds. Immutable.
 *
 * @param completed requests that were answered
 * @param failed requests that were not
 * @param durationSeconds from just before the first request to the end of the last
 * @param inputTokens tokens of all prompts
 * @param outputTokens tokens of all answers
 * @param good answered requests that kept to every service level; -1 if none is given
 * @param goodOutputTokens tokens of their answers; -1 if none is given
 * @param peakConcurrency most requests under way at once
 * @param peakTokensPerSecond most tokens in a second
 * @param distributions of each latency
 * @param met how many requests kept to each service level, in their order
 */
public record BenchMetrics(
    int completed,
    int failed,
    double durationSeconds,
    long inputTokens,
    long outputTokens,
    int good,
    long goodOutputTokens,
    int peakConcurrency,
    double peakTokensPerSecond,
    Map<Latency, SortedSample> distributions,
    List<Integer> met) {

  /** Copies the collections. */
  public BenchMetrics {
    distributions = Map.copyOf(distributions);
    met = List.copyOf(met);
  }

  /**
   * Takes the figures.
   *
   * @param samples the requests that were answered
   * @param failed how many were not
   * @param levels what a good request keeps to; may be empty
   */
  public static BenchMetrics of(
      List<Sample> samples, int failed, double durationSeconds, List<ServiceLevel> levels) {
    final Map<Latency, SortedSample> distributions = new EnumMap<>(Latency.class);
    for (Latency latency : Latency.values()) {
      distributions.put(latency, SortedSample.of(latency.seconds(samples)));
    }
    final List<Sample> good =
        samples.stream().filter(s -> levels.stream().allMatch(level -> level.isMet(s))).toList();
    return new BenchMetrics(
        samples.size(),
        failed,
        durationSeconds,
        samples.stream().mapToLong(Sample::promptTokens).sum(),
        samples.stream().mapToLong(Sample::outputTokens).sum(),
        levels.isEmpty() ? -1 : good.size(),
        levels.isEmpty() ? -1 : good.stream().mapToLong(Sample::outputTokens).sum(),
        Concurrency.peak(samples),
        Concurrency.peakTokensPerSecond(samples),
        distributions,
        levels.stream().map(l -> (int) samples.stream().filter(l::isMet).count()).toList());
  }

  /** The figures of one latency. */
  public SortedSample of(Latency latency) {
    return distributions.getOrDefault(latency, SortedSample.of(new double[0]));
  }

  /** All requests, answered or not. */
  public int requests() {
    return completed + failed;
  }

  /** Requests answered per second. */
  public double requestThroughput() {
    return completed / durationSeconds;
  }

  /** Tokens generated per second. */
  public double outputThroughput() {
    return outputTokens / durationSeconds;
  }

  /** Tokens of prompts per second. */
  public double inputThroughput() {
    return inputTokens / durationSeconds;
  }

  /** Tokens of prompts and answers per second. */
  public double totalTokenThroughput() {
    return (inputTokens + outputTokens) / durationSeconds;
  }

  /** Good requests per second; NaN if no service level is given. */
  public double requestGoodput() {
    return good < 0 ? Double.NaN : good / durationSeconds;
  }

  /** Share of all requests that are good; NaN if no service level is given. */
  public double attainment() {
    return good < 0 || requests() == 0 ? Double.NaN : (double) good / requests();
  }

  /** Requests under way in the mean over the run, by Little's law. */
  public double meanConcurrency() {
    final SortedSample latency = of(Latency.E2EL);
    return latency.count() == 0 ? 0 : latency.mean() * latency.count() / durationSeconds;
  }
}
