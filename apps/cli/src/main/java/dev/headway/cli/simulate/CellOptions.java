package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.load.RecordedSettings;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.sweep.CellSetup;
import dev.headway.simulation.sweep.CellSource;
import dev.headway.simulation.sweep.ServiceLimits;
import dev.headway.simulation.workload.TraceFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/**
 * The parameters of a cell of a sweep: the options of {@code replay} and {@code compare}, read by
 * the same classes. A new option of theirs is a parameter at once.
 */
public final class CellOptions {

  /** The parameter that names the load. */
  public static final String LOAD = "load";

  /** Prefix of an option of a made-up load. */
  public static final String OF_LOAD = "load.";

  private static final String SEED = "seed";
  private static final String POLICY = "policy";

  private CellOptions() {}

  /** The command line that the parameters are turned into. */
  @Command(name = "cell")
  private static final class Line {
    @Mixin private CommandMessages messages;
    @Mixin private LoadOptions loading;

    @Option(names = "--policy")
    private String policy = "";

    @SuppressWarnings("UnusedVariable") // read again with the options of the policy on top
    @ArgGroup(validate = false)
    private EngineOptions engine = new EngineOptions();
  }

  /**
   * What the cells of a plan have in common.
   *
   * @param base the directory that relative paths are relative to
   * @param fixed parameters of all cells
   * @param limits what requests shall meet, null for none
   * @param prices of a GPU for an hour by its name, or under {@code ""} of any; empty if unknown
   */
  public record Common(
      Path base,
      Map<String, String> fixed,
      @Nullable ServiceLimits limits,
      Map<String, Double> prices) {

    /** Copies the maps. */
    public Common {
      fixed = Map.copyOf(fixed);
      prices = Map.copyOf(prices);
    }
  }

  /** The names of all parameters, but for those that begin with {@link #OF_LOAD}. */
  public static Set<String> names() {
    final Set<String> names = new TreeSet<>(Set.of(LOAD));
    CommandSpec.forAnnotatedObject(new Line()).options().stream()
        .map(option -> option.longestName().substring(2))
        .forEach(names::add);
    return names;
  }

  /**
   * Reads cells; what it makes may be called by several threads at once.
   *
   * @param remarks gets what was left out of loads; any thread
   */
  public static CellSource source(Common common, Consumer<String> remarks) {
    return new Source(common, remarks);
  }

  private record Source(Common common, Consumer<String> remarks) implements CellSource {
    @Override
    public CellSetup setup(Map<String, String> parameters) {
      try {
        return CellOptions.setup(common, parameters, remarks);
      } catch (CommandLine.ParameterException e) {
        throw new IllegalArgumentException(e.getMessage(), e);
      }
    }

    @Override
    public String anywhere(String message) {
      return message.replace(common.base + common.base.getFileSystem().getSeparator(), "");
    }
  }

  private static CellSetup setup(
      Common common, Map<String, String> parameters, Consumer<String> remarks) {
    final Map<String, String> given = new LinkedHashMap<>(common.fixed);
    given.putAll(parameters);
    final RecordedSettings recorded = recorded(common.base, given);
    final Map<String, String> all = new LinkedHashMap<>(recorded.options());
    if (!all.isEmpty()) {
      remarks.accept(
          given.get(LOAD)
              + ": settings from "
              + recorded.from()
              + " where the plan gives none: "
              + all);
    }
    if (!recorded.notTaken().isEmpty()) {
      remarks.accept(
          given.get(LOAD)
              + ": settings of "
              + recorded.from()
              + " that no option has: "
              + recorded.notTaken());
    }
    all.putAll(given);
    final Line line = new Line();
    final CommandLine.ParseResult parsed =
        new CommandLine(line)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setExpandAtFiles(false)
            .parseArgs(words(common.base, all));
    final PolicyChoice choice = PolicyChoice.parse(line.policy);
    final EngineOptions options =
        EngineOptions.of(EngineOptions.written(parsed), choice.engineOptions());
    final Load load = load(line, all);
    final EngineSettings settings = options.settings(choice);
    final String stepTimes = StepTimesText.sourceAndRemark(settings.latency());
    if (!stepTimes.isEmpty()) {
      remarks.accept(stepTimes);
    }
    return new CellSetup(
        load.reading(load.strict(), remarks),
        settings,
        common.limits,
        options.devices(),
        price(common.prices, options));
  }

  /**
   * The options of a recorded load, by name without dashes.
   *
   * @param base the directory that a relative path is relative to
   * @param given parameters, the load among them
   * @return empty if the load has none
   */
  public static Map<String, String> recordedOptions(Path base, Map<String, String> given) {
    return settings(base, given).options();
  }

  private static RecordedSettings settings(Path base, Map<String, String> given) {
    try {
      return RecordedSettings.of(resolved(base, given.getOrDefault(LOAD, "")))
          .with(given.containsKey("model"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The settings of a recorded load that the plan does not give. */
  private static RecordedSettings recorded(Path base, Map<String, String> given) {
    final RecordedSettings recorded = settings(base, given);
    final Map<String, String> options = new LinkedHashMap<>(recorded.options());
    RecordedDefaults.removeSaid(
        options, given::containsKey, PolicyChoice.parse(given.getOrDefault(POLICY, "")));
    return recorded.withOptions(options);
  }

  private static Load load(Line line, Map<String, String> parameters) {
    final Load load = line.loading.load(line.messages);
    final Map<String, String> options = new LinkedHashMap<>();
    final String seed = parameters.get(SEED);
    if (seed != null && load.isMade() && !load.names(SEED)) {
      options.put(SEED, seed);
    }
    parameters.forEach(
        (name, value) -> {
          if (name.startsWith(OF_LOAD)) {
            options.put(name.substring(OF_LOAD.length()), value);
          }
        });
    return load.with(options);
  }

  private static double price(Map<String, Double> prices, EngineOptions options) {
    if (prices.isEmpty()) {
      return Double.NaN;
    }
    final Double price = prices.getOrDefault(options.gpu(), prices.get(""));
    if (price == null) {
      throw new IllegalArgumentException(
          "price_per_gpu_hour must have the GPU: gpu="
              + options.gpu()
              + ", found="
              + new TreeSet<>(prices.keySet()));
    }
    return price;
  }

  private static String[] words(Path base, Map<String, String> parameters) {
    final CommandSpec spec = CommandSpec.forAnnotatedObject(new Line());
    final List<String> words = new ArrayList<>();
    parameters.forEach(
        (name, value) -> {
          if (!name.equals(LOAD) && !name.startsWith(OF_LOAD)) {
            final OptionSpec option = spec.findOption("--" + name);
            final boolean isPath = option != null && option.type() == Path.class;
            words.add("--" + name + "=" + (isPath ? base.resolve(value) : value));
          }
        });
    words.add("--");
    words.add(resolved(base, parameters.getOrDefault(LOAD, "")));
    return words.toArray(new String[0]);
  }

  private static String resolved(Path base, String load) {
    final Path file = base.resolve(load);
    final boolean isMade = new Load(load, TraceFormat.AUTO, 1, -1, 0).isMade();
    return isMade && !Files.exists(file) ? load : file.toString();
  }
}
