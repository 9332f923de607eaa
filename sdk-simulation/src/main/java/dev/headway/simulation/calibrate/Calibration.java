package dev.headway.simulation.calibrate;

import dev.headway.simulation.regression.Gram;
import dev.headway.simulation.regression.LeastSquares;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A measured run against a simulated one. Requests are matched by their ids or, where no id is in
 * both, in the order of arrival. Immutable.
 */
public final class Calibration {

  private static final int FEWEST_FOR_TERMS = 20;
  private static final double LEAST_QUEUED = 0.25;

  /** Of two runs of one load, however many of their requests failed. */
  private static final double LEAST_MATCHED = 0.2;

  private final TimedRequests measured;
  private final TimedRequests simulated;
  private final List<Pair> pairs;
  private final boolean byId;
  private final FirstSteps firstSteps;
  private final Map<LatencyMetric, LatencyComparison> metrics = new EnumMap<>(LatencyMetric.class);

  /** A request in both runs. */
  public record Pair(TimedRequest measured, TimedRequest simulated) {
    /** Whether both have the same prompt and output length. */
    public boolean isAlike() {
      return measured.inputTokens() == simulated.inputTokens()
          && measured.outputTokens() == simulated.outputTokens();
    }
  }

  /**
   * Where the error of the first token comes from, over requests that found the shortest queues.
   *
   * @param requests how many these are
   * @param constantNs simulated less measured, whatever the prompt: ingress, a step's constant
   * @param perTokenNs simulated less measured for each prompt token: prefill
   */
  public record FirstTokenTerms(int requests, double constantNs, double perTokenNs) {}

  private Calibration(
      TimedRequests measured,
      TimedRequests simulated,
      List<Pair> pairs,
      boolean byId,
      FirstSteps firstSteps) {
    this.measured = measured;
    this.simulated = simulated;
    this.pairs = List.copyOf(pairs);
    this.byId = byId;
    this.firstSteps = firstSteps;
    for (LatencyMetric metric : LatencyMetric.values()) {
      metrics.put(metric, LatencyComparison.of(metric, this.pairs));
    }
  }

  /** Matches two runs of which only the requests are known. */
  public static Calibration of(TimedRequests measured, TimedRequests simulated) {
    final ExecutedSteps none = new ExecutedSteps(List.of());
    return of(measured, none, simulated, none);
  }

  /**
   * Matches two runs.
   *
   * @param steps of the measured run, on the clock of its requests; none where they are not known
   * @param simulatedSteps of the other one
   * @throws IllegalArgumentException if they have next to nothing in common
   */
  public static Calibration of(
      TimedRequests measured,
      ExecutedSteps steps,
      TimedRequests simulated,
      ExecutedSteps simulatedSteps) {
    final FirstSteps firstSteps = FirstSteps.of(steps, simulatedSteps);
    final int both = Math.min(measured.requests().size(), simulated.requests().size());
    final List<Pair> byId = byId(measured, simulated);
    if (!byId.isEmpty()) {
      if (byId.size() < LEAST_MATCHED * both) {
        throw new IllegalArgumentException(
            "both must be runs of one load: of %d and %d requests %d are in both; simulate the load"
                    .formatted(measured.requests().size(), simulated.requests().size(), byId.size())
                + " that was measured");
      }
      return new Calibration(measured, simulated, byId, true, firstSteps);
    }
    final List<Pair> inOrder = new ArrayList<>();
    for (int i = 0; i < both; i++) {
      inOrder.add(new Pair(measured.requests().get(i), simulated.requests().get(i)));
    }
    final long alike = inOrder.stream().filter(Pair::isAlike).count();
    if (alike < LEAST_MATCHED * both && measured.requests().size() != simulated.requests().size()) {
      throw new IllegalArgumentException(
          "both must be runs of one load: no request_id is in both, and in the order of arrival only"
              + " %d of %d requests have equal lengths".formatted(alike, both));
    }
    return new Calibration(measured, simulated, inOrder, false, firstSteps);
  }

  private static List<Pair> byId(TimedRequests measured, TimedRequests simulated) {
    final Map<String, TimedRequest> byName = new HashMap<>();
    simulated
        .requests()
        .forEach(request -> request.names().forEach(name -> byName.put(name, request)));
    final List<Pair> pairs = new ArrayList<>();
    for (TimedRequest request : measured.requests()) {
      request.names().stream()
          .map(byName::get)
          .filter(Objects::nonNull)
          .findFirst()
          .ifPresent(other -> pairs.add(new Pair(request, other)));
    }
    return pairs;
  }

  /** Requests in both runs, in the order of their measured arrival. */
  public List<Pair> pairs() {
    return pairs;
  }

  /** Whether ids matched; otherwise requests were matched by their order. */
  public boolean isById() {
    return byId;
  }

  /** Matched requests whose lengths differ: they cannot have equal times. */
  public long unlike() {
    return pairs.stream().filter(pair -> !pair.isAlike()).count();
  }

  /** The measured run. */
  public TimedRequests measured() {
    return measured;
  }

  /** The simulated run. */
  public TimedRequests simulated() {
    return simulated;
  }

  /** One latency. */
  public LatencyComparison metric(LatencyMetric metric) {
    final LatencyComparison comparison = metrics.get(metric);
    if (comparison == null) {
      throw new IllegalStateException("every metric is compared: metric=" + metric);
    }
    return comparison;
  }

  /** Measured steps that were the first of their kind, and took longer than others. */
  public FirstSteps firstSteps() {
    return firstSteps;
  }

  /** The latencies as if these had taken no longer than others. */
  public Map<LatencyMetric, LatencyComparison> withoutFirstSteps() {
    return firstSteps.without(pairs, measured.firstArrivalNs());
  }

  /** From the first arrival to the last token of a run. */
  public static long durationNs(TimedRequests run) {
    return run.requests().stream()
        .mapToLong(request -> request.arrivalNs() + request.endToEndNs())
        .max()
        .orElse(0);
  }

  /** Output tokens of a run per second. */
  public static double outputTokensPerSecond(TimedRequests run) {
    final long tokens = run.requests().stream().mapToLong(TimedRequest::outputTokens).sum();
    return tokens * 1e9 / durationNs(run);
  }

  /** Requests that waited for their first token, over {@link #spanNs} each, of a run. */
  public double[] queue(TimedRequests run) {
    return QueueOverTime.of(run.requests(), spanNs() * QueueOverTime.SPANS);
  }

  /** The span of time of a figure of {@link #queue}. */
  public long spanNs() {
    final long endNs = Math.max(durationNs(measured), durationNs(simulated));
    return Math.max(1, (endNs + QueueOverTime.SPANS - 1) / QueueOverTime.SPANS);
  }

  /** Where the error of the first token comes from; zeros from fewer than 20 requests. */
  public FirstTokenTerms firstTokenTerms() {
    final double[] queue = queue(measured);
    final long spanNs = spanNs();
    final List<Pair> byQueue = new ArrayList<>(pairs);
    byQueue.sort(
        Comparator.comparingDouble(
            pair -> queue[(int) Math.min(queue.length - 1L, pair.measured.arrivalNs() / spanNs)]));
    final int count = (int) Math.ceil(LEAST_QUEUED * byQueue.size());
    if (count < FEWEST_FOR_TERMS) {
      return new FirstTokenTerms(count, 0, 0);
    }
    final Gram rows = new Gram(2);
    for (Pair pair : byQueue.subList(0, count)) {
      final double difference = (double) (pair.simulated.ttftNs() - pair.measured.ttftNs());
      final double real = Math.max(1, pair.measured.ttftNs());
      rows.add(new double[] {1, pair.measured.inputTokens()}, difference, 1 / (real * real));
    }
    final double[] found = LeastSquares.ordinary(rows, LeastSquares.independent(rows));
    return new FirstTokenTerms(count, found[0], found[1]);
  }
}
