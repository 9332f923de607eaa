package dev.headway.loadgen.arrival;

import java.util.Locale;

/**
 * A rate that grows with the number of the request, as {@code vllm bench serve --ramp-up-strategy}
 * has it.
 *
 * @param strategy how it grows
 * @param from requests per second at the first request, above 0
 * @param to requests per second at the last request, at least {@code from}
 */
public record Ramp(Strategy strategy, double from, double to) {

  /** How a rate grows. */
  public enum Strategy {
    /** By the same number of requests per second for each request. */
    LINEAR,
    /** By the same factor for each request. */
    EXPONENTIAL;

    /** The word on the command line and in results. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Checks the rates.
   *
   * @throws IllegalArgumentException naming the rates that are out of range
   */
  public Ramp {
    if (!(from > 0 && to >= from && to < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "a ramp must have finite 0 < start <= end: start=" + from + ", end=" + to);
    }
  }

  /** The rate at request {@code index} of {@code requests}, in requests per second. */
  public double rateAt(int index, int requests) {
    final double progress = (double) index / Math.max(requests - 1, 1);
    return strategy == Strategy.LINEAR
        ? from + (to - from) * progress
        : from * Math.pow(to / from, progress);
  }
}
