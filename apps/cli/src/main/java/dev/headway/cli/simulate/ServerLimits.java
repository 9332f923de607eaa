package dev.headway.cli.simulate;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.cli.command.OptionConditions;
import dev.headway.cli.command.OptionNames;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.run.EngineSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The limits of a server that was measured, on the command line; names are vLLM's where it has
 * them.
 */
public final class ServerLimits {

  private static final long SEED = 1;

  @ArgGroup(validate = false)
  private StepOptions step = new StepOptions();

  @ArgGroup(validate = false)
  private KvCacheOptions kvCache = new KvCacheOptions();

  /** As they come. */
  public ServerLimits() {}

  /** Those of these options that were given, as words. */
  public static List<String> written(CommandLine.ParseResult parsed) {
    final CommandSpec own = CommandSpec.forAnnotatedObject(new ServerLimits());
    final List<String> words = new ArrayList<>();
    for (OptionSpec option : parsed.matchedOptions()) {
      final String name = option.longestName();
      if (own.findOption(name) != null) {
        option.originalStringValues().forEach(value -> words.add(name + "=" + value));
      }
    }
    return words;
  }

  /**
   * These options as they were written, with others on top.
   *
   * @param written words of a command line, options of this class only
   * @param more values by option name, without the dashes
   * @throws IllegalArgumentException if there is no such option, or its value cannot be
   */
  public static ServerLimits of(List<String> written, Map<String, String> more) {
    final List<String> words = new ArrayList<>(written);
    more.forEach((name, value) -> words.add("--" + name + "=" + value));
    final ServerLimits limits = new ServerLimits();
    try {
      OptionConditions.require(
          new CommandLine(limits)
              .setOverwrittenOptionsAllowed(true)
              .parseArgs(words.toArray(new String[0])),
          Map.of());
    } catch (CommandLine.ParameterException e) {
      throw new IllegalArgumentException("limit of a server: " + e.getMessage(), e);
    }
    return limits;
  }

  /**
   * An engine with these limits, whose steps take no time that says anything.
   *
   * @throws IllegalArgumentException naming the option as the user writes it
   */
  public EngineSettings settings(ServedDevice device) {
    try {
      final SchedulerConfig.Builder config = step.config();
      kvCache.of(device, step.maxNumBatchedTokens());
      kvCache.addTo(config);
      return new EngineSettings(
              config.build(), kvCache.shape(), LinearLatencyModel.LLAMA_3_1_8B_ON_H100, SEED)
          .withEviction(kvCache.eviction());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          OptionNames.asWritten(e.getMessage(), CommandSpec.forAnnotatedObject(this)), e);
    }
  }
}
