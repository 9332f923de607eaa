package dev.headway.cli.simulate;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.PrefixCaching;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.scheduler.sim.LatencyModel;
import dev.headway.simulation.run.EngineSettings;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

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

  private static final long BYTES_PER_TOKEN = 131_072;
  private static final double BYTES_PER_GIB = 1L << 30;
  private static final int DEFAULT_NUM_BLOCKS = 30_720;

  @Option(
      names = "--max-num-seqs",
      paramLabel = "N",
      description = "Most requests running at once (${DEFAULT-VALUE}).")
  private int maxNumSeqs = 256;

  @Option(
      names = "--max-num-batched-tokens",
      paramLabel = "N",
      description = "Most tokens scheduled in a step (${DEFAULT-VALUE}).")
  private int maxNumBatchedTokens = 8_192;

  @Option(
      names = "--max-model-len",
      paramLabel = "N",
      description =
          "Longest prompt and output together; longer prompts are rejected"
              + " (${DEFAULT-VALUE}).")
  private int maxModelLen = 131_072;

  @Option(
      names = "--block-size",
      paramLabel = "N",
      description = "Tokens per KV block (${DEFAULT-VALUE}).")
  private int blockSize = 16;

  @Option(
      names = "--num-blocks",
      paramLabel = "N",
      description = "KV blocks, the null block included (30720: 60 GiB at 16 tokens).")
  private @Nullable Integer numBlocks;

  @Option(
      names = "--kv-gib",
      paramLabel = "GIB",
      description = "Size of the KV cache instead of --num-blocks, at 131072 bytes per token.")
  private @Nullable Double kvGib;

  @Option(
      names = "--num-host-blocks",
      paramLabel = "N",
      description = "KV blocks in host memory, which keep what the cache gives up (0: none).")
  private @Nullable Integer numHostBlocks;

  @Option(
      names = "--host-kv-gib",
      paramLabel = "GIB",
      description =
          "Size of that tier instead of --num-host-blocks, at 131072 bytes per token; blocks move"
              + " at 50 GB/s (PCIe 5.0).")
  private @Nullable Double hostKvGib;

  @Option(
      names = "--no-chunked-prefill",
      description = "Admit a prompt only when it fits into a step as a whole.")
  private boolean noChunkedPrefill;

  @Option(
      names = "--long-prefill-token-threshold",
      paramLabel = "N",
      description =
          "Most tokens that one request gets in a step, 0 for no cap" + " (${DEFAULT-VALUE}).")
  private int longPrefillTokenThreshold;

  @Option(names = "--no-prefix-caching", description = "Share no computed blocks.")
  private boolean noPrefixCaching;

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
      names = "--max-num-scheduled-tokens",
      paramLabel = "N",
      description =
          "Most tokens scheduled in a step, drafts included; 0 for --max-num-batched-tokens"
              + " (${DEFAULT-VALUE}).")
  private int maxNumScheduledTokens;

  @Option(
      names = "--max-num-active-seqs",
      paramLabel = "N",
      description = "Most requests admitted at once; 0 for --max-num-seqs (${DEFAULT-VALUE}).")
  private int maxNumActiveSeqs;

  @Option(
      names = "--prefill-schedule-interval",
      paramLabel = "STEPS",
      description =
          "While decodes run, compute prompts in every so manieth step only (${DEFAULT-VALUE}).")
  private int prefillScheduleInterval = 1;

  @Option(
      names = "--async-scheduling",
      description = "Plan the next step while one runs, ahead of its tokens.")
  private boolean asyncScheduling;

  @Option(
      names = "--displacement",
      description =
          "More important waiting requests take the place of running ones; needs --policy"
              + " priority.")
  private boolean displacement;

  @Option(
      names = "--displacement-gap",
      paramLabel = "N",
      description = "By how much their priority number must be smaller (${DEFAULT-VALUE}).")
  private int displacementGap = 1;

  @Option(
      names = "--displacement-steps",
      paramLabel = "N",
      description = "Steps that a request runs at least before it is displaced (${DEFAULT-VALUE}).")
  private int displacementSteps;

  @Option(
      names = "--max-num-queued-reqs",
      paramLabel = "N",
      description =
          "Most requests waiting or running; more are rejected, 0 for no limit (${DEFAULT-VALUE}).")
  private int maxNumQueuedReqs;

  @Option(
      names = "--max-num-queued-tokens",
      paramLabel = "N",
      description =
          "Most prompt tokens waiting; more are rejected, 0 for no limit (${DEFAULT-VALUE}).")
  private long maxNumQueuedTokens;

  @Option(
      names = "--speculative-method",
      paramLabel = "METHOD",
      description =
          "Who drafts tokens: none, ngram, eagle, draft_model, mtp_multi or dflash"
              + " (${DEFAULT-VALUE}).")
  private SpeculativeMethod speculativeMethod = SpeculativeMethod.NONE;

  @Option(
      names = "--num-speculative-tokens",
      paramLabel = "N",
      description = "Draft tokens per request and step (${DEFAULT-VALUE}).")
  private int numSpeculativeTokens;

  @Option(
      names = "--draft-acceptance",
      paramLabel = "SHARE",
      description =
          "Chance that a draft is accepted when those before it were, in [0, 1]"
              + " (${DEFAULT-VALUE}).")
  private double draftAcceptance = 0.7;

  @Option(
      names = "--latency",
      paramLabel = "F,P,D,K",
      description =
          "How long a step takes, in ns: fixed, per prefill token, per decoding request,"
              + " per context token read (6200000,26300,12000,44: Llama-3.1-8B, one H100).")
  private @Nullable String latency;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the made-up tokens; equal seeds give equal files (${DEFAULT-VALUE}).")
  private long seed = 1;

  /** Everything as by default; picocli fills it. */
  public EngineOptions() {}

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
      new CommandLine(options)
          .setOverwrittenOptionsAllowed(true)
          .setCaseInsensitiveEnumValuesAllowed(true)
          .parseArgs(words.toArray(new String[0]));
    } catch (CommandLine.ParameterException e) {
      throw new IllegalArgumentException("engine option: " + e.getMessage(), e);
    }
    return options;
  }

  /** The options of this class among those of a command line, as words. */
  public static List<String> written(CommandLine.ParseResult parsed) {
    final List<String> words = new ArrayList<>();
    for (CommandLine.Model.OptionSpec option : parsed.matchedOptions()) {
      if (option.userObject() instanceof Field field
          && field.getDeclaringClass() == EngineOptions.class) {
        final String name = option.longestName();
        words.addAll(option.originalStringValues().stream().map(v -> name + "=" + v).toList());
      }
    }
    return words;
  }

  /**
   * The engine that the options and a policy ask for.
   *
   * @throws IllegalArgumentException naming the option as the user writes it
   */
  public EngineSettings settings(PolicyChoice policy) {
    try {
      final SchedulerConfig config =
          SchedulerConfig.builder(new SchedulerLimits(maxNumSeqs, maxNumBatchedTokens, maxModelLen))
              .maxNumScheduledTokens(maxNumScheduledTokens)
              .maxNumActiveSeqs(maxNumActiveSeqs)
              .chunkedPrefill(noChunkedPrefill ? ChunkedPrefill.DISABLED : ChunkedPrefill.ENABLED)
              .longPrefillTokenThreshold(longPrefillTokenThreshold)
              .queuePolicy(policy.queuePolicy())
              .displacement(displacement())
              .prefixCaching(noPrefixCaching ? PrefixCaching.DISABLED : PrefixCaching.ENABLED)
              .kvOffload(new KvOffloadOptions(hostBlocks()))
              .admission(new AdmissionOptions(gate(), watermark))
              .queueLimits(new QueueLimits(maxNumQueuedReqs, maxNumQueuedTokens))
              .prefillScheduleInterval(prefillScheduleInterval)
              .speculation(SpeculationOptions.of(speculativeMethod, numSpeculativeTokens))
              .pipeline(asyncScheduling ? PipelineOptions.ASYNC : PipelineOptions.DEFAULT)
              .build();
      requireAcceptance();
      final EngineSettings settings =
          new EngineSettings(
              config, kvCache(), latencyModel(), seed, policy.policies(), draftAcceptance);
      policy.requireKnown(config, settings.kvCache());
      return settings;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(OptionNames.asWritten(e.getMessage()), e);
    }
  }

  private void requireAcceptance() {
    if (!(draftAcceptance >= 0 && draftAcceptance <= 1)) {
      throw new IllegalArgumentException(
          "--draft-acceptance must be in [0, 1]: --draft-acceptance=" + draftAcceptance);
    }
  }

  private Displacement displacement() {
    return new Displacement(
        displacement ? Displacement.Mode.ON : Displacement.Mode.OFF,
        displacementGap,
        displacementSteps);
  }

  private FullSequenceGate gate() {
    return noFullSequenceGate ? FullSequenceGate.NEXT_CHUNK : FullSequenceGate.WHOLE_SEQUENCE;
  }

  private KvCacheShape kvCache() {
    if (numBlocks != null && kvGib != null) {
      throw new IllegalArgumentException(
          "--num-blocks and --kv-gib exclude each other: --num-blocks="
              + numBlocks
              + ", --kv-gib="
              + kvGib);
    }
    final int blocks;
    if (kvGib != null) {
      blocks = blocksIn(kvGib);
    } else {
      blocks = numBlocks != null ? numBlocks : DEFAULT_NUM_BLOCKS;
    }
    return KvCacheShape.builder()
        .blockSize(blockSize)
        .blocks(blocks)
        .bytesPerBlock(BYTES_PER_TOKEN * blockSize)
        .build();
  }

  private int hostBlocks() {
    if (numHostBlocks != null && hostKvGib != null) {
      throw new IllegalArgumentException(
          "--num-host-blocks and --host-kv-gib exclude each other: --num-host-blocks="
              + numHostBlocks
              + ", --host-kv-gib="
              + hostKvGib);
    }
    if (hostKvGib == null) {
      return numHostBlocks != null ? numHostBlocks : 0;
    }
    final double blocks = hostKvGib * BYTES_PER_GIB / (BYTES_PER_TOKEN * Math.max(1, blockSize));
    if (!(blocks >= 0 && blocks <= Integer.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "--host-kv-gib must be >= 0 and hold at most 2147483647 blocks: --host-kv-gib="
              + hostKvGib
              + ", --block-size="
              + blockSize);
    }
    return (int) blocks;
  }

  private int blocksIn(double gib) {
    final double blocks = gib * BYTES_PER_GIB / (BYTES_PER_TOKEN * Math.max(1, blockSize));
    if (!(blocks >= 2 && blocks <= Integer.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "--kv-gib must hold at least 2 blocks of "
              + BYTES_PER_TOKEN * blockSize
              + " bytes: --kv-gib="
              + gib
              + ", --block-size="
              + blockSize);
    }
    return (int) blocks;
  }

  private LatencyModel latencyModel() {
    final LatencyModel resident = residentLatencyModel();
    return hostBlocks() == 0
        ? resident
        : resident.withTransfersOverPcie5(BYTES_PER_TOKEN * blockSize);
  }

  private LatencyModel residentLatencyModel() {
    if (latency == null) {
      return LatencyModel.LLAMA_3_1_8B_ON_H100;
    }
    final String[] parts = latency.split(",", -1);
    try {
      if (parts.length == 4) {
        return new LatencyModel(
            Long.parseLong(parts[0].strip()),
            Long.parseLong(parts[1].strip()),
            Long.parseLong(parts[2].strip()),
            Long.parseLong(parts[3].strip()));
      }
    } catch (NumberFormatException e) {
      // falls through to the same message: four whole numbers are needed
    }
    throw new IllegalArgumentException(
        "--latency must be four whole numbers of ns, fixed,prefill,decode,kv: --latency="
            + latency);
  }
}
