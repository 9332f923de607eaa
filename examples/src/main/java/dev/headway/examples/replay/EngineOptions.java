package dev.headway.examples.replay;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.PrefixCaching;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.scheduler.sim.LatencyModel;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/*
 * The defaults are one H100 with 80 GB that serves Llama-3.1-8B in bf16: 16 GB of weights and some
 * working memory leave about 60 GiB for the KV cache, at 131,072 bytes per token (32 layers, 8 KV
 * heads of 128, keys and values, 2 bytes each). 8,192 tokens per step is what `vllm serve` takes on
 * that device, so that a replay compares with a server left as it comes; 2,048 makes steps shorter
 * and TPOT smoother. 131,072 is the model's context.
 */

/** The engine's side of the command line. Names are vLLM's where it has the option. */
final class EngineOptions {

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
      names = "--no-chunked-prefill",
      description = "Admit a prompt only when it fits into a step as a whole.")
  private boolean noChunkedPrefill;

  @Option(
      names = "--long-prefill-token-threshold",
      paramLabel = "N",
      description =
          "Most tokens that one request gets in a step, 0 for no cap" + " (${DEFAULT-VALUE}).")
  private int longPrefillTokenThreshold;

  @Option(
      names = "--policy",
      paramLabel = "POLICY",
      description = "Order of admission: fcfs or priority (fcfs).")
  private String policy = "fcfs";

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

  /**
   * The engine that the options ask for.
   *
   * @throws IllegalArgumentException naming the option as the user writes it
   */
  EngineSettings settings() {
    try {
      final SchedulerConfig config =
          SchedulerConfig.builder(new SchedulerLimits(maxNumSeqs, maxNumBatchedTokens, maxModelLen))
              .chunkedPrefill(noChunkedPrefill ? ChunkedPrefill.DISABLED : ChunkedPrefill.ENABLED)
              .longPrefillTokenThreshold(longPrefillTokenThreshold)
              .queuePolicy(queuePolicy())
              .prefixCaching(noPrefixCaching ? PrefixCaching.DISABLED : PrefixCaching.ENABLED)
              .admission(new AdmissionOptions(gate(), watermark))
              .build();
      return new EngineSettings(config, kvCache(), latencyModel(), seed);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(OptionNames.asWritten(e.getMessage()), e);
    }
  }

  private QueuePolicy queuePolicy() {
    return switch (policy.toLowerCase(Locale.ROOT)) {
      case "fcfs" -> QueuePolicy.FCFS;
      case "priority" -> QueuePolicy.PRIORITY;
      default ->
          throw new IllegalArgumentException(
              "--policy must be fcfs or priority: --policy=" + policy);
    };
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
    return new KvCacheShape(blockSize, blocks, BYTES_PER_TOKEN * blockSize);
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

  /** The library's option names, as this command line spells them. */
  private static final class OptionNames {

    private static final Map<String, String> WRITTEN = new LinkedHashMap<>();

    static {
      WRITTEN.put("maxNumBatchedTokens", "--max-num-batched-tokens");
      WRITTEN.put("maxNumSeqs", "--max-num-seqs");
      WRITTEN.put("maxModelLen", "--max-model-len");
      WRITTEN.put("longPrefillTokenThreshold", "--long-prefill-token-threshold");
      WRITTEN.put("chunkedPrefill is DISABLED", "--no-chunked-prefill is given");
      WRITTEN.put("blockSize", "--block-size");
      WRITTEN.put("numBlocks", "--num-blocks");
    }

    private OptionNames() {}

    static String asWritten(@Nullable String message) {
      String result = String.valueOf(message);
      for (Map.Entry<String, String> name : WRITTEN.entrySet()) {
        result = result.replace(name.getKey(), name.getValue());
      }
      return result.replaceFirst("^watermark must", "--watermark must");
    }
  }
}
