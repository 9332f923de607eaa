package dev.headway.cli.simulate;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.step.LatencyModel;
import dev.headway.cli.command.Excludes;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.simulation.run.EngineSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The simulated model, on the command line. */
final class ModelOptions {

  @Option(
      names = "--speculative-method",
      paramLabel = "METHOD",
      description =
          "Who drafts tokens: none, ngram, eagle, draft_model, mtp_multi or dflash"
              + " (${DEFAULT-VALUE}).")
  private SpeculativeMethod speculativeMethod = SpeculativeMethod.NONE;

  @Needs("--speculative-method")
  @InRange(from = 0)
  @Option(
      names = "--num-speculative-tokens",
      paramLabel = "N",
      description = "Draft tokens per request and step (${DEFAULT-VALUE}).")
  private int numSpeculativeTokens;

  @Needs("--speculative-method")
  @InRange(from = 0, to = 1)
  @Option(
      names = "--draft-acceptance",
      paramLabel = "SHARE",
      description =
          "Chance that a draft is accepted when those before it were, in [0, 1]"
              + " (${DEFAULT-VALUE}).")
  private double draftAcceptance = 0.7;

  @Needs(value = "--executor", is = "simulated", byDefault = true)
  @Excludes("--model")
  @Option(names = "--latency", paramLabel = "F,P,D,K", description = LinearLatency.DESCRIPTION)
  private @Nullable String latency;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the made-up tokens; equal seeds give equal files (${DEFAULT-VALUE}).")
  private long seed = 1;

  void addTo(SchedulerConfig.Builder config) {
    config.speculation(SpeculationOptions.of(speculativeMethod, numSpeculativeTokens));
  }

  /** The engine of a configuration. */
  EngineSettings engine(
      SchedulerConfig config, KvCacheOptions kvCache, SimulatedDevice device, PolicyChoice policy) {
    if (!(draftAcceptance >= 0 && draftAcceptance <= 1)) {
      throw new IllegalArgumentException(
          "--draft-acceptance must be in [0, 1]: --draft-acceptance=" + draftAcceptance);
    }
    return new EngineSettings(config, kvCache.shape(), latency(kvCache, device), seed)
        .withPolicies(policy.policies())
        .withDraftAcceptance(draftAcceptance)
        .withAttributes(device.attributes());
  }

  private LatencyModel latency(KvCacheOptions kvCache, SimulatedDevice device) {
    if (!device.isGiven()) {
      return kvCache.hostBlocks() == 0
          ? LinearLatency.parse(latency)
          : LinearLatency.parse(latency).withTransfersOverPcie5(kvCache.bytesPerBlock());
    }
    return device.latency(kvCache.bytesPerBlock());
  }
}
