package dev.headway.simulation.workload.arrival;

import java.util.List;

/**
 * How many requests are expected as time passes: the integral of a rate that changes with time, and
 * its inverse. Immutable.
 */
public interface RateProfile {
  /**
   * How many requests are expected by a time.
   *
   * @param seconds at least 0
   * @return at least 0; it never falls as time passes
   */
  double expectedBy(double seconds);

  /**
   * The earliest time by which so many requests are expected.
   *
   * @param expected at least 0
   * @return seconds, or positive infinity if so many never are
   */
  double timeOf(double expected);

  /**
   * A part of a profile, in which the rate changes evenly.
   *
   * @param seconds how long, above 0
   * @param fromRate requests per second at its start, at least 0
   * @param toRate requests per second at its end, at least 0
   */
  record Stage(double seconds, double fromRate, double toRate) {
    /** Checks every component. */
    public Stage {
      Ranges.requirePositive("seconds", seconds);
      Ranges.requireNotNegative("fromRate", fromRate);
      Ranges.requireNotNegative("toRate", toRate);
    }
  }

  /**
   * The same rate all the time.
   *
   * @param ratePerSecond above 0
   * @return the profile
   */
  static RateProfile constant(double ratePerSecond) {
    return new PiecewiseRate(List.of(), Ranges.requirePositive("rate", ratePerSecond));
  }

  /**
   * Stages one after the other, then a constant rate.
   *
   * @param stages the stages, from 0 s
   * @param rateAfter requests per second after the last one; 0 ends the arrivals
   * @return the profile
   */
  static RateProfile stages(List<Stage> stages, double rateAfter) {
    return new PiecewiseRate(stages, Ranges.requireNotNegative("rateAfter", rateAfter));
  }

  /**
   * From one rate to another, evenly in time, and then on at the second. ({@code vllm bench serve
   * --ramp-up-strategy} ramps by the number of the request instead.)
   *
   * @param fromRate requests per second at the start, at least 0
   * @param toRate requests per second from {@code seconds} on, at least 0; 0 drains the load
   * @param seconds duration of the ramp, above 0
   * @return the profile
   */
  static RateProfile linearRamp(double fromRate, double toRate, double seconds) {
    return stages(List.of(new Stage(seconds, fromRate, toRate)), toRate);
  }

  /**
   * From one rate to another by a constant factor per second, and then on at the second.
   *
   * @param fromRate requests per second at the start, above 0
   * @param toRate requests per second from {@code seconds} on, above 0
   * @param seconds duration of the ramp, above 0
   * @return the profile
   */
  static RateProfile exponentialRamp(double fromRate, double toRate, double seconds) {
    return fromRate == toRate ? constant(fromRate) : new ExponentialRamp(fromRate, toRate, seconds);
  }

  /**
   * A constant rate with a time of another one.
   *
   * @param rate requests per second, above 0
   * @param spikeRate requests per second in the spike, at least 0
   * @param startSeconds when the spike starts, above 0
   * @param seconds how long it lasts, above 0
   * @return the profile
   */
  static RateProfile spike(double rate, double spikeRate, double startSeconds, double seconds) {
    Ranges.requirePositive("rate", rate);
    return stages(
        List.of(new Stage(startSeconds, rate, rate), new Stage(seconds, spikeRate, spikeRate)),
        rate);
  }

  /**
   * A cosine over each period: {@code mean * (1 + (r - 1) / (r + 1) * cos(2 pi (t - peak) /
   * period))}, whose highest rate is {@code r} times its lowest.
   *
   * @param meanRate requests per second over a whole period, above 0
   * @param peakToTrough {@code r}, at least 1
   * @param periodSeconds the period, above 0; 86,400 is a day
   * @param peakSeconds when the first peak is, at least 0
   * @return the profile
   */
  static RateProfile diurnal(
      double meanRate, double peakToTrough, double periodSeconds, double peakSeconds) {
    return new DiurnalRate(meanRate, peakToTrough, periodSeconds, peakSeconds);
  }
}
