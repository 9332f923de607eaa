package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.load.RecordedSettings;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.workload.TraceFormat;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.ParseResult;

/** The settings of a recorded run, for those that the command line does not give. */
final class RecordedDefaults {

  private static final String POLICY = "policy";

  private final Map<String, String> options;
  private final ParseResult parsed;

  private RecordedDefaults(Map<String, String> options, ParseResult parsed) {
    this.options = options;
    this.parsed = parsed;
  }

  /** Reads those of a load if it is a journal. */
  static RecordedDefaults of(Load load, CommandMessages messages) throws IOException {
    final ParseResult parsed = messages.spec().commandLine().getParseResult();
    final Map<String, String> options = new LinkedHashMap<>();
    if (!load.isMade() && load.format() == TraceFormat.AUTO) {
      options.putAll(RecordedSettings.of(load.source()));
    }
    options.keySet().removeIf(parsed::hasMatchedOption);
    removeIfGiven(options, parsed, "num-blocks", "kv-gib");
    removeIfGiven(options, parsed, "num-blocks", "gpu-memory-utilization");
    removeIfGiven(options, parsed, "num-host-blocks", "host-kv-gib");
    if (parsed.hasMatchedOption(POLICY)) {
      options.remove("displacement"); // it needs the recorded order
    }
    return new RecordedDefaults(options, parsed);
  }

  private static void removeIfGiven(
      Map<String, String> options, ParseResult parsed, String option, String other) {
    if (parsed.hasMatchedOption(other)) {
      options.remove(option);
    }
  }

  /** The engine's options, with the recorded ones. */
  EngineOptions engine(EngineOptions given) {
    if (options.isEmpty()) {
      return given;
    }
    final Map<String, String> ofEngine = new LinkedHashMap<>(options);
    ofEngine.remove(POLICY);
    return EngineOptions.of(EngineOptions.written(parsed), ofEngine);
  }

  /** The policies, or the recorded order if there is none. */
  List<String> policies(List<String> given) {
    return options.containsKey(POLICY) ? List.of(options.getOrDefault(POLICY, "")) : given;
  }

  /** A line of the summary that says what was recorded; empty if nothing was. */
  String text() {
    return options.isEmpty()
        ? ""
        : options.entrySet().stream()
            .map(each -> each.getKey() + "=" + each.getValue())
            .collect(Collectors.joining(", ", "  settings      from the journal: ", "\n"));
  }
}
