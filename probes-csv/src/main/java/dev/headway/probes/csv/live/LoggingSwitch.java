package dev.headway.probes.csv.live;

import dev.headway.api.probe.ProbeEnvironment;
import dev.headway.api.probe.ProbeRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The switches of the scheduler's log: ours, and those of the same meaning that scripts for vLLM
 * set.
 */
final class LoggingSwitch {

  private static final String DEFAULT_DIRECTORY = "scheduler_logs";
  private static final List<String> LOGGING =
      List.of("HEADWAY_SCHEDULER_LOGGING", "VLLM_SCHEDULER_LOGGING");
  private static final List<String> DIRECTORY =
      List.of("HEADWAY_SCHEDULER_LOG_DIR", "VLLM_SCHEDULER_LOG_DIR");

  private LoggingSwitch() {}

  /**
   * What is asked for; null if nothing is.
   *
   * @throws IllegalArgumentException if a value is not allowed
   */
  static @Nullable ProbeRequest read(ProbeEnvironment environment) {
    final String logging = firstSet(LOGGING, environment);
    if (logging == null) {
      return null;
    }
    final Map<String, String> options = new LinkedHashMap<>();
    switch (valueOf(logging).toLowerCase(Locale.ROOT)) {
      case "1", "true", "yes", "on", "full" -> {}
      case "summary" -> options.put("iterationRequests", "off");
      case "0", "false", "no", "off" -> {
        return null;
      }
      default ->
          throw new IllegalArgumentException("the switch must be 1, 0 or summary: " + logging);
    }
    final List<String> switches = new ArrayList<>(List.of(logging));
    final String directory = firstSet(DIRECTORY, environment);
    if (directory != null) {
      switches.add(directory);
    }
    options.put("dir", directory == null ? DEFAULT_DIRECTORY : valueOf(directory));
    options.put("place", "dir");
    options.put("ids", "full");
    return new ProbeRequest(options, switches);
  }

  /** As {@code NAME=value}; empty values count as not set. */
  private static @Nullable String firstSet(List<String> names, ProbeEnvironment environment) {
    for (String name : names) {
      final String value = environment.variable(name);
      if (value != null && !value.isBlank()) {
        return name + "=" + value.strip();
      }
    }
    return null;
  }

  private static String valueOf(String setting) {
    return setting.substring(setting.indexOf('=') + 1);
  }
}
