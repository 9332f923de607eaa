package dev.headway.simulation.calibrate;

import dev.headway.simulation.calibrate.ExecutedSteps.Step;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What steps that were the first of their kind cost a measured run: a process that has just started
 * records, plans and loads in its first requests, which no simulation of a warm one does. It is
 * distinguished from what the simulation gets wrong by comparing each of them with the simulated
 * steps most like it.
 *
 * <p>Where the executor does not say which steps these are, the first step with prefill of each
 * number of tokens (to {@value #TILE}, a tile of the tensor cores) and the first of each number of
 * decodes are taken for it. Only what goes beyond a fifth of the simulated time counts.
 */
public final class FirstSteps {

  private static final int TILE = 16;
  private static final double NOTABLE = 1.2;
  private static final double PER_OCTAVE = 8;
  private static final int NEIGHBOURS = 8;

  private final List<Step> firsts = new ArrayList<>(); // those that took longer
  private final List<Long> excessesNs = new ArrayList<>();
  private final boolean isGuessed;

  private FirstSteps(ExecutedSteps measured, ExecutedSteps simulated) {
    isGuessed = measured.steps().stream().allMatch(step -> step.isFirst() == null);
    final Map<Long, Mean> usual = usual(simulated);
    final Set<Long> seen = new HashSet<>();
    for (Step step : measured.steps()) {
      final boolean isNew = seen.add(kind(step));
      if (isGuessed ? isNew : Boolean.TRUE.equals(step.isFirst())) {
        final double usualNs = usualNs(usual, step);
        if ((double) step.durationNs() > NOTABLE * usualNs) {
          firsts.add(step);
          excessesNs.add(Math.round((double) step.durationNs() - usualNs));
        }
      }
    }
  }

  /** Finds them by the steps of both runs; none if either has no steps. */
  public static FirstSteps of(ExecutedSteps measured, ExecutedSteps simulated) {
    return new FirstSteps(measured, simulated);
  }

  private static long kind(Step step) {
    return step.prefillTokens() == 0
        ? -step.decodeTokens()
        : (step.prefillTokens() + step.decodeTokens() + TILE - 1) / TILE;
  }

  /** Mean durations by the octaves of the tokens, in eighths. */
  private static Map<Long, Mean> usual(ExecutedSteps simulated) {
    final Map<Long, Mean> means = new HashMap<>();
    for (Step step : simulated.steps()) {
      means
          .computeIfAbsent(
              cell(octaves(step.prefillTokens()), octaves(step.decodeTokens())), none -> new Mean())
          .add((double) step.durationNs());
    }
    return means;
  }

  private static int octaves(long tokens) {
    return (int) Math.round(PER_OCTAVE * Math.log1p((double) tokens) / Math.log(2));
  }

  private static long cell(int prefill, int decode) {
    return ((long) prefill << Integer.SIZE) + decode;
  }

  /** Of the nearest cells, at most an octave away; infinity without one. */
  private static double usualNs(Map<Long, Mean> usual, Step step) {
    final int prefill = octaves(step.prefillTokens());
    final int decode = octaves(step.decodeTokens());
    for (int distance = 0; distance <= NEIGHBOURS; distance++) {
      final Mean mean = new Mean();
      for (int i = -distance; i <= distance; i++) {
        final int other = distance - Math.abs(i);
        add(usual, prefill + i, decode + other, mean);
        if (other > 0) {
          add(usual, prefill + i, decode - other, mean);
        }
      }
      if (mean.count > 0) {
        return mean.value();
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  private static void add(Map<Long, Mean> usual, int prefill, int decode, Mean into) {
    final Mean cell = prefill < 0 || decode < 0 ? null : usual.get(cell(prefill, decode));
    if (cell != null) {
      into.sum += cell.sum;
      into.count += cell.count;
    }
  }

  /** A mean of durations. */
  private static final class Mean {
    double sum;
    long count;

    void add(double value) {
      sum += value;
      count++;
    }

    double value() {
      return sum / (double) count;
    }
  }

  /** How many there were that took longer than the simulated steps most like them. */
  public int count() {
    return firsts.size();
  }

  /** By how much, all together. */
  public long excessNs() {
    return excessesNs.stream().mapToLong(Long::longValue).sum();
  }

  /** Whether the executor did not say which they are. */
  public boolean isGuessed() {
    return isGuessed;
  }

  /**
   * The latencies of matched requests as if these steps had taken no longer than others: without
   * what of the excess lies between the arrival of a request and its tokens. What other requests
   * that queued meanwhile would have gained further is not in it.
   *
   * @param firstArrivalNs of the measured run, on the clock of its steps
   */
  public Map<LatencyMetric, LatencyComparison> without(
      List<Calibration.Pair> pairs, long firstArrivalNs) {
    final List<Calibration.Pair> adjusted = new ArrayList<>();
    for (Calibration.Pair pair : pairs) {
      adjusted.add(
          new Calibration.Pair(without(pair.measured(), firstArrivalNs), pair.simulated()));
    }
    final Map<LatencyMetric, LatencyComparison> result = new EnumMap<>(LatencyMetric.class);
    for (LatencyMetric metric : LatencyMetric.values()) {
      result.put(metric, LatencyComparison.of(metric, adjusted));
    }
    return result;
  }

  private TimedRequest without(TimedRequest request, long firstArrivalNs) {
    final long arrivalNs = firstArrivalNs + request.arrivalNs();
    final long first = within(arrivalNs, arrivalNs + request.ttftNs());
    final long all = within(arrivalNs, arrivalNs + request.endToEndNs());
    return new TimedRequest(
        request.id(),
        request.arrivalNs(),
        request.inputTokens(),
        request.outputTokens(),
        request.ttftNs() - first,
        request.endToEndNs() - all);
  }

  /** The excess in a span: all of a step within it, and no more than what overlaps of another. */
  private long within(long fromNs, long toNs) {
    long ns = 0;
    for (int i = 0; i < firsts.size(); i++) {
      final Step step = firsts.get(i);
      final long overlapNs = Math.min(step.endNs(), toNs) - Math.max(step.startNs(), fromNs);
      ns += Math.clamp(overlapNs, 0, excessesNs.get(i));
    }
    return ns;
  }
}
