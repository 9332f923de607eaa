package dev.headway.report.profile;

import dev.headway.api.probe.ProbeEnvironment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What can be set from outside, and under which names. The API comes first, the last one last. */
public enum ProfileSwitch {
  /** Whether a profile is written: true, 1, yes, on, or false, 0, no, off. */
  ENABLED("headway.scheduler.profiling", "ENABLE_SCHEDULER_PROFILING"),
  /** File or directory. */
  LOG("headway.scheduler.profiling.log", "SCHEDULER_PROFILING_LOG"),
  /** Name of the file in the directory. */
  FILE_NAME("headway.scheduler.profiling.log.filename", "SCHEDULER_PROFILING_LOG_FILENAME"),
  /** Whether the console gets a line per second; values as of the first. */
  CONSOLE("headway.scheduler.profiling.console", "SCHEDULER_PROFILING_CONSOLE"),
  /** Bytes at which the file is put aside and a new one begun; 0 for never. */
  ROTATE_BYTES(
      "headway.scheduler.profiling.log.rotateBytes", "SCHEDULER_PROFILING_LOG_ROTATE_BYTES");

  private final String property;
  private final String variable;

  ProfileSwitch(String property, String variable) {
    this.property = property;
    this.variable = variable;
  }

  /** What is set of these switches, as {@code NAME=value}; the first name of each counts. */
  static List<String> setIn(ProbeEnvironment environment) {
    final List<String> set = new ArrayList<>();
    for (ProfileSwitch each : values()) {
      Stream.of(
              setting(each.property, environment.property(each.property)),
              setting(each.variable(), environment.variable(each.variable())),
              setting(each.vllmVariable(), environment.variable(each.vllmVariable())))
          .flatMap(Optional::stream)
          .findFirst()
          .ifPresent(set::add);
    }
    return set;
  }

  private static Optional<String> setting(String name, @Nullable String value) {
    return value == null || value.isBlank() ? Optional.empty() : Optional.of(name + "=" + value);
  }

  /** Its system property. */
  public String property() {
    return property;
  }

  /** Its environment variable. */
  public String variable() {
    return "HEADWAY_" + variable;
  }

  /** The environment variable that vLLM's fork reads, which counts after ours. */
  public String vllmVariable() {
    return "VLLM_" + variable;
  }
}
