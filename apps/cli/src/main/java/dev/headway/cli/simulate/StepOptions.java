package dev.headway.cli.simulate;

import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import picocli.CommandLine.Option;

/** What a step of the engine may hold, on the command line. */
final class StepOptions {

  @InRange(from = 1)
  @Option(
      names = "--max-num-seqs",
      paramLabel = "N",
      description = "Most requests running at once (${DEFAULT-VALUE}).")
  private int maxNumSeqs = 256;

  @InRange(from = 1)
  @Option(
      names = "--max-num-batched-tokens",
      paramLabel = "N",
      description = "Most tokens scheduled in a step (${DEFAULT-VALUE}).")
  private int maxNumBatchedTokens = 8_192;

  @InRange(from = 2)
  @Option(
      names = "--max-model-len",
      paramLabel = "N",
      description =
          "Longest prompt and output together; longer prompts are rejected"
              + " (${DEFAULT-VALUE}).")
  private int maxModelLen = 131_072;

  @InRange(from = 0)
  @Option(
      names = "--max-num-scheduled-tokens",
      paramLabel = "N",
      description =
          "Most tokens scheduled in a step, drafts included; 0 for --max-num-batched-tokens"
              + " (${DEFAULT-VALUE}).")
  private int maxNumScheduledTokens;

  @InRange(from = 0)
  @Option(
      names = "--max-num-active-seqs",
      paramLabel = "N",
      description = "Most requests admitted at once; 0 for --max-num-seqs (${DEFAULT-VALUE}).")
  private int maxNumActiveSeqs;

  @Option(
      names = "--no-chunked-prefill",
      description = "Admit a prompt only when it fits into a step as a whole.")
  private boolean noChunkedPrefill;

  @InRange(from = 0)
  @Option(
      names = "--long-prefill-token-threshold",
      paramLabel = "N",
      description =
          "Most tokens that one request gets in a step, 0 for no cap" + " (${DEFAULT-VALUE}).")
  private int longPrefillTokenThreshold;

  @InRange(from = 0)
  @Option(
      names = "--max-num-partial-prefills",
      paramLabel = "N",
      description =
          "Most requests in the middle of their prompt at once, 0 for no limit (${DEFAULT-VALUE}).")
  private int maxNumPartialPrefills;

  @Needs("--long-prefill-token-threshold")
  @InRange(from = 0)
  @Option(
      names = "--max-long-partial-prefills",
      paramLabel = "N",
      description =
          "Most of them with a prompt of more tokens than the threshold, which shorter ones overtake;"
              + " 0 for no limit of their own (${DEFAULT-VALUE}).")
  private int maxLongPartialPrefills;

  @InRange(from = 1)
  @Option(
      names = "--prefill-schedule-interval",
      paramLabel = "STEPS",
      description = "While decodes run, compute prompts in every Nth step only (${DEFAULT-VALUE}).")
  private int prefillScheduleInterval = 1;

  @Option(
      names = "--async-scheduling",
      description = "Plan the next step while one runs, ahead of its tokens.")
  private boolean asyncScheduling;

  /** Most tokens scheduled in a step. */
  int maxNumBatchedTokens() {
    return maxNumBatchedTokens;
  }

  /** A configuration with these options. */
  SchedulerConfig.Builder config() {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(maxNumSeqs)
                .maxNumBatchedTokens(maxNumBatchedTokens)
                .maxModelLen(maxModelLen)
                .build())
        .maxNumScheduledTokens(maxNumScheduledTokens)
        .maxNumActiveSeqs(maxNumActiveSeqs)
        .chunkedPrefill(noChunkedPrefill ? ChunkedPrefill.DISABLED : ChunkedPrefill.ENABLED)
        .longPrefillTokenThreshold(longPrefillTokenThreshold)
        .maxNumPartialPrefills(maxNumPartialPrefills)
        .maxLongPartialPrefills(maxLongPartialPrefills)
        .prefillScheduleInterval(prefillScheduleInterval)
        .pipeline(asyncScheduling ? PipelineOptions.ASYNC : PipelineOptions.DEFAULT);
  }
}
