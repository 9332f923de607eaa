package dev.headway.cli.simulate;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.OptionConditions;
import dev.headway.cli.command.OptionNames;
import dev.headway.simulation.fit.FittedStepTime;
import dev.headway.simulation.model.ModelSpecException;
import dev.headway.simulation.run.EngineSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/*
 * The defaults are one H100 with 80 GB that serves Llama-3.1-8B in bf16: 16 GB of weights and some
 * working memory leave about 60 GiB for the KV cache, at 131,072 bytes per token (32 layers, 8 KV
 * heads of 128, keys and values, 2 bytes each). 8,192 tokens per step is what `vllm serve` takes on
 * that device, so that a replay compares with a server left as it comes; 2,048 makes steps shorter
 * and TPOT smoother. 131,072 is the model's context.
 */

/**
 * The engine's side of the command line, for every command that runs one. Names are vLLM's where it
 * has the option. Policies are given apart from it, as a {@link PolicyChoice}.
 */
public final class EngineOptions {

  private static final String ONE_RANK =
      "--data-parallel-size must be 1 where one engine is run; headway simulate runs all ranks:"
          + " --data-parallel-size=";

  @ArgGroup(validate = false)
  private StepOptions step = new StepOptions();

  @ArgGroup(validate = false)
  private KvCacheOptions kvCache = new KvCacheOptions();

  @ArgGroup(validate = false)
  private QueueOptions queue = new QueueOptions();

  @ArgGroup(validate = false)
  private ModelOptions model = new ModelOptions();

  @ArgGroup(validate = false)
  private SimulatedDevice device = new SimulatedDevice();

  /**
   * These options as they were written, with others on top.
   *
   * @param written words of a command line, options of this class only
   * @param more values by option name, without the dashes; {@code true} for one that has no value
   * @throws IllegalArgumentException if there is no such option, or its value cannot be
   */
  public static EngineOptions of(List<String> written, Map<String, String> more) {
    final List<String> words = new ArrayList<>(written);
    more.forEach((name, value) -> words.add("--" + name + "=" + value));
    final EngineOptions options = new EngineOptions();
    try {
      OptionConditions.require(
          new CommandLine(options)
              .setOverwrittenOptionsAllowed(true)
              .setCaseInsensitiveEnumValuesAllowed(true)
              .parseArgs(words.toArray(new String[0])),
          Map.of());
    } catch (CommandLine.ParameterException e) {
      throw new IllegalArgumentException("engine option: " + e.getMessage(), e);
    }
    return options;
  }

  /** The options of this class among those of a command line, as words. */
  static List<String> written(CommandLine.ParseResult parsed) {
    final CommandSpec own = CommandSpec.forAnnotatedObject(new EngineOptions());
    final List<String> words = new ArrayList<>();
    for (OptionSpec option : parsed.matchedOptions()) {
      final String name = option.longestName();
      if (own.findOption(name) != null) {
        words.addAll(option.originalStringValues().stream().map(v -> name + "=" + v).toList());
      }
    }
    return words;
  }

  /** KV blocks, if they are said as such. */
  @Nullable Integer blocksAskedFor() {
    return kvCache.numBlocks();
  }

  /** Share of a device's memory that may be used. */
  double memoryShare() {
    return device.memoryShare();
  }

  /** What keys and values are kept as. */
  KvCacheDtype kvCacheDtype() {
    return device.kvCacheDtype();
  }

  /** How many devices serve. */
  int devices() {
    return device.devices();
  }

  /** The name of each of them. */
  String gpu() {
    return device.gpu();
  }

  /** Data parallel ranks of the server. */
  int ranks() {
    return device.ranks();
  }

  /** Whether these run every step together. */
  boolean ranksShareExperts() {
    return device.ranksShareExperts();
  }

  /** The engine that the command line of a single run asks for; all of it is checked. */
  EngineSettings settings(List<String> policies, CommandMessages messages) {
    if (ranks() > 1) {
      throw messages.wrong(ONE_RANK + ranks());
    }
    return settingsOfRank(policies, messages);
  }

  /** The engine of each rank. */
  EngineSettings settingsOfRank(List<String> policies, CommandMessages messages) {
    try {
      final EngineSettings settings =
          settingsOfRank(PolicyChoice.parse(String.join("+", policies)).requireNoEngineOptions());
      if (settings.latency() instanceof FittedStepTime model && !model.carriedFrom().isEmpty()) {
        messages.say(
            "the step model was fitted on "
                + String.join(" and ", model.carriedFrom())
                + ", and this is another model or device: shares of the peaks are carried over, and"
                + " how far off they are is not known");
      }
      return settings;
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  /**
   * The engine that the options and a policy ask for.
   *
   * @throws IllegalArgumentException naming the option as the user writes it
   */
  public EngineSettings settings(PolicyChoice policy) {
    if (ranks() > 1) {
      throw new IllegalArgumentException(ONE_RANK + ranks());
    }
    return settingsOfRank(policy);
  }

  private EngineSettings settingsOfRank(PolicyChoice policy) {
    try {
      final SchedulerConfig.Builder builder = step.config().queuePolicy(policy.queuePolicy());
      if (device.isGiven()) {
        device.requireFits();
        kvCache.of(device, step.maxNumBatchedTokens());
      }
      kvCache.addTo(builder);
      queue.addTo(builder);
      model.addTo(builder);
      final SchedulerConfig config = builder.build();
      final EngineSettings settings =
          model.engine(config, kvCache, device, policy).withEviction(kvCache.eviction());
      policy.requireKnown(config, settings.kvCache());
      return settings;
    } catch (ModelSpecException e) {
      throw new IllegalArgumentException("--model " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          OptionNames.asWritten(e.getMessage(), CommandSpec.forAnnotatedObject(this)), e);
    }
  }
}
