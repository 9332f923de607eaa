package dev.headway.probes.dashboard.probe;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.live.NamedOptions;
import dev.headway.events.model.RunModel;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a probe that logs why a request waited, when it has ended and waited longer than a
 * threshold; its name is {@code slow-requests}. Logs at level WARN, logger {@code
 * dev.headway.probes.dashboard.slow}.
 *
 * <table>
 *   <caption>Options</caption>
 *   <tr><td>threshold</td><td>longest wait that is not logged, from arrival on and over all stays in
 *     the queue: 2s unless set, as in 500ms, 2s, 1m</td></tr>
 *   <tr><td>perMinute</td><td>most requests logged in a minute, 60 unless set; the rest are
 *     counted</td></tr>
 * </table>
 *
 * <p>And those of {@link NamedOptions}.
 */
public final class SlowRequestsProbeProvider implements ProbeProvider {

  private static final Logger SLOW = LoggerFactory.getLogger("dev.headway.probes.dashboard.slow");

  /** Called by {@link java.util.ServiceLoader}. */
  public SlowRequestsProbeProvider() {}

  @Override
  public String name() {
    return "slow-requests";
  }

  @Override
  public String description() {
    return "Logs why a request waited longer than a threshold.";
  }

  /**
   * Makes the probe.
   *
   * @throws IllegalArgumentException if an option is unknown or out of range
   */
  @Override
  public Probe create(ProbeContext context) {
    final NamedOptions options =
        new NamedOptions(name(), context.options(), "threshold", "perMinute");
    final SlowRequestLog log =
        new SlowRequestLog(
            threshold(options.text("threshold")),
            (int) options.number("perMinute", 60, 1, 1_000_000),
            SLOW::warn);
    return LiveProbe.of(options.live(), List.of(new RunModel(log)));
  }

  private static Duration threshold(@Nullable String value) {
    if (value == null) {
      return Duration.ofSeconds(2);
    }
    try {
      final Duration given =
          value.endsWith("ms")
              ? Duration.ofMillis(Long.parseLong(value.substring(0, value.length() - 2)))
              : Duration.parse("PT" + value);
      if (!given.isNegative()) {
        return given;
      }
    } catch (DateTimeParseException | NumberFormatException e) {
      // falls through to the same message
    }
    throw new IllegalArgumentException(
        "slow-requests option threshold must be a duration as in 500ms, 2s or 1m: threshold="
            + value);
  }
}
