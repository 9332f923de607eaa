package dev.headway.cli.simulate;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import picocli.CommandLine.Option;

/** Which requests may wait and are admitted, on the command line. */
final class QueueOptions {

  private static final double NS_PER_SECOND = 1e9;

  @InRange(from = 0, to = 1, below = true)
  @Option(
      names = "--watermark",
      paramLabel = "SHARE",
      description = "Share of the blocks kept free at admissions, in [0, 1) (${DEFAULT-VALUE}).")
  private double watermark;

  @Option(
      names = "--no-full-sequence-gate",
      description = "Admit a prompt when the blocks of its first chunk are free, not of all of it.")
  private boolean noFullSequenceGate;

  @Option(
      names = "--displacement",
      description =
          "More important waiting requests take the place of running ones; needs --policy priority.")
  private boolean displacement;

  @Needs("--displacement")
  @InRange(from = 1)
  @Option(
      names = "--displacement-gap",
      paramLabel = "N",
      description = "By how much their priority number must be smaller (${DEFAULT-VALUE}).")
  private int displacementGap = 1;

  @Needs("--displacement")
  @InRange(from = 0)
  @Option(
      names = "--displacement-steps",
      paramLabel = "N",
      description = "Steps that a request runs at least before it is displaced (${DEFAULT-VALUE}).")
  private int displacementSteps;

  @InRange(from = 0)
  @Option(
      names = "--max-loras",
      paramLabel = "N",
      description =
          "Most LoRA adapters in a step, of loads that name some; 0 for no limit"
              + " (${DEFAULT-VALUE}).")
  private int maxLoras;

  @Needs("--max-loras")
  @InRange(from = 0, to = 1e9)
  @Option(
      names = "--lora-drain-wait-threshold",
      paramLabel = "SECONDS",
      description =
          "How long an adapter waits for a place before another one admits no more requests for its"
              + " sake; 0 for ever (${DEFAULT-VALUE}).")
  private double loraDrainWaitThreshold;

  @InRange(from = 0)
  @Option(
      names = "--max-num-queued-reqs",
      paramLabel = "N",
      description =
          "Most requests waiting or running; more are rejected, 0 for no limit (${DEFAULT-VALUE}).")
  private int maxNumQueuedReqs;

  @InRange(from = 0)
  @Option(
      names = "--max-num-queued-tokens",
      paramLabel = "N",
      description =
          "Most prompt tokens waiting; more are rejected, 0 for no limit (${DEFAULT-VALUE}).")
  private long maxNumQueuedTokens;

  void addTo(SchedulerConfig.Builder config) {
    config
        .admission(
            new AdmissionOptions(
                noFullSequenceGate ? FullSequenceGate.NEXT_CHUNK : FullSequenceGate.WHOLE_SEQUENCE,
                watermark))
        .maxLoras(maxLoras)
        .loraDrainWaitThresholdNs(Math.round(loraDrainWaitThreshold * NS_PER_SECOND))
        .displacement(
            new Displacement(
                displacement ? Displacement.Mode.ON : Displacement.Mode.OFF,
                displacementGap,
                displacementSteps))
        .queueLimits(new QueueLimits(maxNumQueuedReqs, maxNumQueuedTokens));
  }
}
