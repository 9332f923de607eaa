package dev.headway.cli.simulate;

import dev.headway.api.config.QueuePolicy;
import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.load.RecordedSettings;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.workload.TraceFormat;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ParseResult;

/** The settings of a recorded run, for those that the command line does not give. */
final class RecordedDefaults {

  private static final String POLICY = "policy";
  private static final String DISPLACEMENT = "displacement";

  /** Options of a recorded order, which alone it makes sense with. */
  private static final Set<String> OF_THE_ORDER =
      Set.of(DISPLACEMENT, DISPLACEMENT + "-gap", DISPLACEMENT + "-steps");

  /** Options that say what another says: where they are given, it is not taken over. */
  private static final Map<String, List<String>> INSTEAD_OF =
      Map.of(
          "num-blocks", List.of("kv-gib", "gpu-memory-utilization"),
          "gpu-memory-utilization", List.of("num-blocks", "kv-gib"),
          "link-gb-per-s", List.of("step-model"),
          "link-us", List.of("step-model", "link-gb-per-s"),
          "num-host-blocks", List.of("host-kv-gib"),
          "num-speculative-tokens", List.of("speculative-method"),
          "draft-acceptance", List.of("speculative-method"),
          "displacement-gap", List.of("displacement"),
          "displacement-steps", List.of("displacement"));

  private final String from;
  private final Map<String, String> options;
  private final Map<String, String> notTaken;
  private final Map<String, String> ranOn;
  private final ParseResult parsed;

  private RecordedDefaults(
      Map<String, String> options, RecordedSettings settings, ParseResult parsed) {
    this.from = settings.from();
    this.options = options;
    this.notTaken = settings.notTaken();
    this.ranOn = settings.ranOn();
    this.parsed = parsed;
  }

  /** Reads those of a load if it has some, for runs with one policy. */
  static RecordedDefaults of(Load load, CommandMessages messages) throws IOException {
    final RecordedDefaults recorded = read(load, messages);
    if (recorded.parsed.hasMatchedOption(POLICY)) {
      final List<String> given = recorded.parsed.matchedOptionValue(POLICY, List.of());
      try {
        removeOrder(recorded.options, PolicyChoice.parse(String.join("+", given)));
      } catch (IllegalArgumentException e) {
        throw messages.wrong(e.getMessage());
      }
    }
    return recorded;
  }

  /** Reads those of a load if it has some, for runs with a policy each. */
  static RecordedDefaults ofPolicies(Load load, CommandMessages messages) throws IOException {
    final RecordedDefaults recorded = read(load, messages);
    recorded.options.remove(POLICY);
    return recorded;
  }

  private static RecordedDefaults read(Load load, CommandMessages messages) throws IOException {
    final ParseResult parsed = messages.spec().commandLine().getParseResult();
    final RecordedSettings settings =
        (!load.isMade() && load.format() == TraceFormat.AUTO
                ? RecordedSettings.of(load.source())
                : RecordedSettings.NONE)
            .with(parsed.hasMatchedOption("model"));
    final Map<String, String> options = new LinkedHashMap<>(settings.options());
    removeSaid(options, parsed::hasMatchedOption);
    return new RecordedDefaults(options, settings, parsed);
  }

  /**
   * Takes out what is said otherwise.
   *
   * @param options recorded values by option name
   * @param isGiven whether an option is given
   */
  private static void removeSaid(Map<String, String> options, Predicate<String> isGiven) {
    options.keySet().removeIf(isGiven);
    INSTEAD_OF.forEach(
        (option, others) -> {
          if (others.stream().anyMatch(isGiven)) {
            options.remove(option);
          }
        });
  }

  /**
   * Takes out what is said otherwise, by the run's policy too, and displacement where the order is
   * not the recorded one, which it needs.
   *
   * @param options recorded values by option name
   * @param isGiven whether an option is given
   */
  static void removeSaid(
      Map<String, String> options, Predicate<String> isGiven, PolicyChoice policy) {
    removeSaid(options, isGiven.or(policy.engineOptions()::containsKey));
    if (!options.containsKey(POLICY)) {
      removeOrder(options, policy);
    }
  }

  private static void removeOrder(Map<String, String> options, PolicyChoice policy) {
    if (policy.queuePolicy() != QueuePolicy.PRIORITY) {
      options.keySet().removeAll(OF_THE_ORDER);
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

  /**
   * The engine's options as words, for a run with a policy: the recorded ones that it does not say
   * otherwise, then those of the command line.
   */
  List<String> words(PolicyChoice policy) {
    final Map<String, String> own = new LinkedHashMap<>(options);
    removeSaid(own, option -> false, policy);
    return Stream.concat(
            own.entrySet().stream().map(each -> "--" + each.getKey() + "=" + each.getValue()),
            EngineOptions.written(parsed).stream())
        .toList();
  }

  /** The policies, or the recorded order if there is none. */
  List<String> policies(List<String> given) {
    return options.containsKey(POLICY) ? List.of(options.getOrDefault(POLICY, "")) : given;
  }

  /** Lines of the summary that say what was recorded; empty if nothing was. */
  String text() {
    return line("settings      from " + from + ": ", options)
        + line("not taken     of the settings of " + from + ", no option has them: ", notTaken)
        + line("recorded on   (steps of this run take what its own options say) ", ranOn);
  }

  private static String line(String what, Map<String, String> settings) {
    return settings.isEmpty()
        ? ""
        : settings.entrySet().stream()
            .map(each -> each.getKey() + "=" + each.getValue())
            .collect(Collectors.joining(", ", "  " + what, "\n"));
  }
}
