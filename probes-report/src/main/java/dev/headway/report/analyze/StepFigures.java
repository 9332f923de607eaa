package dev.headway.report.analyze;

import static dev.headway.api.Absent.ABSENT;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The figures of one step, filled from a line or from records; reused. NaN is an absent one. */
final class StepFigures {

  double scheduleMs;
  double runMs;
  double totalMs;
  double unixSeconds;
  long beginNs;
  long resultNs;
  double prefillRequests;
  double decodeRequests;
  double tokens;
  double prefillTokens;
  double producedTokens;
  double cachedPrefixTokens;
  double preempted;
  double waiting;
  double running;
  double kvUsage;
  final Tally computed = new Tally();
  final Tally prefillChunks = new Tally();
  double lookupRequests;
  double lookupRequestsHit;
  double lookupTokens;
  double lookupHitTokens;
  @Nullable String runId;

  StepFigures() {
    clear();
  }

  /** Makes all figures absent. */
  void clear() {
    scheduleMs = Double.NaN;
    runMs = Double.NaN;
    totalMs = Double.NaN;
    unixSeconds = Double.NaN;
    beginNs = ABSENT;
    resultNs = ABSENT;
    prefillRequests = Double.NaN;
    decodeRequests = Double.NaN;
    tokens = Double.NaN;
    prefillTokens = Double.NaN;
    producedTokens = Double.NaN;
    cachedPrefixTokens = Double.NaN;
    preempted = Double.NaN;
    waiting = Double.NaN;
    running = Double.NaN;
    kvUsage = Double.NaN;
    computed.clear();
    prefillChunks.clear();
    lookupRequests = Double.NaN;
    lookupRequestsHit = Double.NaN;
    lookupTokens = Double.NaN;
    lookupHitTokens = Double.NaN;
    runId = null;
  }

  /** A list of numbers. */
  static final class Tally {
    private double[] values = new double[16];
    int count;
    double sum;
    double max;

    void clear() {
      count = 0;
      sum = 0;
      max = Double.NaN;
    }

    void add(double value) {
      values = count == values.length ? Arrays.copyOf(values, 2 * count) : values;
      values[count++] = value;
      sum += value;
      max = Double.isNaN(max) ? value : Math.max(max, value);
    }

    double at(int index) {
      return values[index];
    }

    /** The sum, NaN of none. */
    double total() {
      return count == 0 ? Double.NaN : sum;
    }
  }
}
