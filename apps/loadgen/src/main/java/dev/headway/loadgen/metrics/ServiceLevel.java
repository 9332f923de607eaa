package dev.headway.loadgen.metrics;

import dev.headway.toolbox.stats.SortedSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A limit that a good request keeps to; the limit itself is kept.
 *
 * @param kind what is limited
 * @param limitMs at most this, in milliseconds, at least 0
 */
public record ServiceLevel(Kind kind, double limitMs) {

  private static final double MS_PER_SECOND = 1e3;

  /** What is limited. */
  public enum Kind {
    /** Time to first token; of an answer that came whole, its latency. */
    TTFT(s -> Double.isNaN(s.ttft()) ? s.latency() : s.ttft()),
    /** Time per output token; 0 for an answer of one token. */
    TPOT(Sample::tpot),
    /** End-to-end latency. */
    E2EL(Sample::latency),
    /** The 99th percentile of the gaps in one answer; 0 where there are none. */
    ITL_P99(s -> s.itl().length == 0 ? 0 : SortedSample.of(s.itl()).percentile(99));

    @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
    private final ToDoubleFunction<Sample> seconds;

    Kind(ToDoubleFunction<Sample> seconds) {
      this.seconds = seconds;
    }

    /** The word on the command line. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Whether a request kept to it. */
  public boolean isMet(Sample sample) {
    return limitMs / MS_PER_SECOND >= kind.seconds.applyAsDouble(sample);
  }

  /**
   * Reads limits as the command line has them.
   *
   * @param texts each {@code KIND:MS}
   * @throws IllegalArgumentException if one is not, naming it
   */
  public static List<ServiceLevel> parse(List<String> texts) {
    final List<ServiceLevel> levels = new ArrayList<>();
    for (String text : texts) {
      levels.add(parse(text));
    }
    return levels;
  }

  private static ServiceLevel parse(String text) {
    final int colon = text.indexOf(':');
    for (Kind kind : Kind.values()) {
      if (colon > 0 && kind.label().equals(text.substring(0, colon))) {
        try {
          final double limitMs = Double.parseDouble(text.substring(colon + 1));
          if (limitMs >= 0) {
            return new ServiceLevel(kind, limitMs);
          }
        } catch (NumberFormatException e) {
          break; // said below
        }
      }
    }
    throw new IllegalArgumentException(
        "a service level must be ttft, tpot, e2el or itl_p99, a colon, and milliseconds >= 0: "
            + text);
  }
}
