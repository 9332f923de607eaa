package dev.headway.cli.serve;

import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.RequestTimeouts;
import dev.headway.cli.command.Excludes;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.cli.simulate.DeviceKvCache;
import dev.headway.cli.simulate.KvCacheDtype;
import dev.headway.cli.simulate.NamedEviction;
import dev.headway.cli.simulate.PolicyChoice;
import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.wire.VllmBlockHasher;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.FullQueuePolicy;
import dev.headway.server.ExecutorSizes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The engine's side of {@code headway serve}. Names are vLLM's where it has the option. */
final class ServeEngineOptions {

  @InRange(from = 1)
  @Option(
      names = "--max-num-seqs",
      paramLabel = "N",
      description = "Most requests running at once (${DEFAULT-VALUE}).")
  int maxNumSeqs = 64;

  @InRange(from = 1)
  @Option(
      names = "--max-num-batched-tokens",
      paramLabel = "N",
      description = "Most tokens scheduled in a step (${DEFAULT-VALUE}).")
  int maxNumBatchedTokens = 512;

  @InRange(from = 2)
  @Option(
      names = "--max-model-len",
      paramLabel = "N",
      description =
          "Longest prompt and answer together (that of the model, or what the KV cache holds).")
  @Nullable Integer maxModelLen;

  @InRange(from = 1)
  @Option(
      names = "--block-size",
      paramLabel = "N",
      description = "Tokens per KV block (${DEFAULT-VALUE}).")
  int blockSize = 16;

  @InRange(from = 2)
  @Option(
      names = "--num-blocks",
      paramLabel = "N",
      description =
          "KV blocks, the null block included (on a device as many as fit, else "
              + ExecutorSizes.USUAL_BLOCKS
              + ").")
  @Nullable Integer numBlocks;

  @InRange(from = 0)
  @Option(
      names = "--num-host-blocks",
      paramLabel = "N",
      description =
          "KV blocks in host memory behind these: what is given up here is saved there, and loaded"
              + " when it is wanted again (${DEFAULT-VALUE}).")
  int numHostBlocks;

  @Needs(
      value = "--executor",
      is = {"auto", "cuda"},
      byDefault = true)
  @Excludes("--num-blocks")
  @InRange(from = 0, to = 1, above = true)
  @Option(
      names = "--gpu-memory-utilization",
      paramLabel = "SHARE",
      description =
          "Share of the device's memory in use once the KV cache is made (${DEFAULT-VALUE}).")
  double gpuMemoryUtilization = 0.9;

  @Needs(
      value = "--executor",
      is = {"auto", "cuda"},
      byDefault = true)
  @Option(
      names = KvCacheDtype.OPTION,
      paramLabel = "TYPE",
      description =
          "What keys and values are kept as on a device: auto (fp8 if the checkpoint has a"
              + " kv_cache_scheme, else bfloat16), bfloat16, or fp8 or fp8_e4m3, which take half the"
              + " memory, by the checkpoint's scales (${DEFAULT-VALUE}).")
  private KvCacheDtype kvCacheDtype = KvCacheDtype.AUTO;

  @Needs(
      value = "--executor",
      is = {"auto", "cuda"},
      byDefault = true)
  @Option(
      names = DevicePrecision.OPTION,
      paramLabel = "TYPE",
      description =
          "What a device multiplies: bfloat16, or quantized, which rounds the inputs of matrices in"
              + " eight-bit floats to eight bits as the checkpoint says, as vLLM does; on compute"
              + " capability 8.9 or newer (${DEFAULT-VALUE}).")
  private DevicePrecision precision = DevicePrecision.BFLOAT16;

  @Excludes("--no-prefix-caching")
  @Needs({"--metrics", "--metrics-compat"})
  @InRange(from = 0, to = 1)
  @Option(
      names = "--kv-cache-metrics-sample",
      paramLabel = "SHARE",
      description =
          "Share of KV blocks whose stay in the cache is measured, for /metrics; vLLM's"
              + " --kv-cache-metrics takes 0.01 (${DEFAULT-VALUE}).")
  private double kvCacheMetricsSample;

  @Option(names = "--no-prefix-caching", description = "Share no computed blocks.")
  boolean noPrefixCaching;

  @Excludes("--no-prefix-caching")
  @Option(
      names = "--kv-eviction-policy",
      paramLabel = "NAME",
      description = NamedEviction.DESCRIPTION)
  NamedEviction eviction = NamedEviction.LRU;

  @Excludes("--no-prefix-caching")
  @Option(
      names = "--prefix-caching-hash-algo",
      paramLabel = "NAME",
      description =
          "Names of blocks in the cache, the journal and the CSV: own, which is keyed and secret, or"
              + " sha256_cbor as vLLM's (${DEFAULT-VALUE}).")
  private BlockNaming hashAlgo = BlockNaming.OWN;

  @Needs(value = "--prefix-caching-hash-algo", is = "sha256_cbor")
  @Option(
      names = "--prefix-caching-hash-seed",
      paramLabel = "TEXT",
      defaultValue = BlockNaming.SEED,
      description = "Seed of sha256_cbor: the value of PYTHONHASHSEED, or vLLM's own without it.")
  private String hashSeed = VllmBlockHasher.DEFAULT_SEED;

  @InRange(from = 0)
  @Option(
      names = "--max-num-queued-reqs",
      paramLabel = "N",
      description =
          "Most requests waiting or running; more get 429, 0 for no limit (${DEFAULT-VALUE}).")
  int maxNumQueuedReqs = 1_024;

  @Needs("--policy")
  @Option(
      names = "--evict-when-full",
      description =
          "A request beyond --max-num-queued-reqs takes the place of the least important one that was"
              + " not begun, which gets 429; with --policy priority.")
  private boolean evictWhenFull;

  @InRange(from = 0)
  @Option(
      names = "--max-num-queued-tokens",
      paramLabel = "N",
      description = "Most prompt tokens waiting; more get 429, 0 for no limit (${DEFAULT-VALUE}).")
  long maxNumQueuedTokens;

  @InRange(from = 0, to = 1_000_000)
  @Option(
      names = "--queue-timeout",
      paramLabel = "SECONDS",
      description =
          "A request that is not begun by then gets 503, 0 for no limit (${DEFAULT-VALUE}).")
  int queueTimeoutSeconds;

  @InRange(from = 0, to = 1_000_000)
  @Option(
      names = "--run-timeout",
      paramLabel = "SECONDS",
      description =
          "A request that has not ended so long after it was begun gets 504, or an error in its"
              + " stream; 0 for no limit (${DEFAULT-VALUE}).")
  int runTimeoutSeconds;

  @Option(
      names = "--policy",
      paramLabel = "SPEC",
      description =
          "What decides instead of the scheduler: fcfs, priority, or policies joined by +, as for"
              + " headway replay (fcfs).")
  List<String> policies = new ArrayList<>();

  /** Has an engine name its blocks as these options say. */
  void nameBlocks(EngineBuilder engine) {
    if (hashAlgo == BlockNaming.SHA256_CBOR) {
      engine.hasher(BlockHasher.sha256Cbor(hashSeed)).attribute("block_names", blockNames());
    }
  }

  /** How blocks are named, in words; empty for the engine's own way. */
  String blockNames() {
    return hashAlgo == BlockNaming.OWN ? "" : "sha256_cbor of seed " + hashSeed;
  }

  /** How long requests may wait and run. */
  RequestTimeouts timeouts() {
    return RequestTimeouts.NONE
        .withQueue(seconds(queueTimeoutSeconds))
        .withRun(seconds(runTimeoutSeconds));
  }

  private static @Nullable Duration seconds(int value) {
    return value == 0 ? null : Duration.ofSeconds(value);
  }

  /**
   * What happens when as many requests are alive as may be.
   *
   * @throws IllegalArgumentException if none would be more important than another
   */
  FullQueuePolicy fullQueue() {
    if (evictWhenFull && policy().queuePolicy() != QueuePolicy.PRIORITY) {
      throw new IllegalArgumentException(
          "--evict-when-full needs --policy priority, or no request is less important than another:"
              + " --policy="
              + String.join("+", policies));
    }
    return evictWhenFull ? FullQueuePolicy.EVICT_WORST : FullQueuePolicy.REJECT_NEWCOMER;
  }

  /** What {@code --policy} asks for. */
  PolicyChoice policy() {
    return PolicyChoice.parse(String.join("+", policies)).requireNoEngineOptions();
  }

  /**
   * What the executor is given room for. What it refuses behind this is not the command line's.
   *
   * @param modelLen the model's longest context
   * @throws IllegalArgumentException if more is asked for, or an option is out of range
   */
  ExecutorSizes sizes(int modelLen) {
    final int longest = maxModelLen == null ? modelLen : maxModelLen;
    if (longest > modelLen) {
      throw new IllegalArgumentException(
          "--max-model-len must be <= the model's: --max-model-len="
              + longest
              + ", max_position_embeddings="
              + modelLen);
    }
    final SchedulerLimits limits =
        SchedulerLimits.builder()
            .maxNumSeqs(maxNumSeqs)
            .maxNumBatchedTokens(maxNumBatchedTokens)
            .maxModelLen(longest)
            .build();
    return new ExecutorSizes(
            blockSize,
            numBlocks,
            numHostBlocks,
            limits.maxNumSeqs(),
            limits.maxNumBatchedTokens(),
            limits.maxModelLen(),
            gpuMemoryUtilization)
        .withKvCacheType(DeviceKvCache.of(kvCacheDtype))
        .withPrecision(precision.precision());
  }

  private PrefixCacheOptions prefixCache() {
    return noPrefixCaching
        ? PrefixCacheOptions.disabled()
        : PrefixCacheOptions.builder().residencySample(kvCacheMetricsSample).build();
  }

  /**
   * The scheduler's settings.
   *
   * @param modelLen the model's longest context, which is cut to what the executor holds unless
   *     {@code --max-model-len} asks for more
   * @throws IllegalArgumentException naming what must hold
   */
  SchedulerConfig config(int modelLen, ExecutorShape shape) {
    final int held =
        (int)
            Math.min(
                (long) shape.kvCache().usableBlocks() * shape.kvCache().blockSize(),
                Integer.MAX_VALUE);
    final int longest = maxModelLen == null ? Math.min(modelLen, held) : maxModelLen;
    if (longest > held) {
      throw new IllegalArgumentException(
          "the KV cache must hold one request of --max-model-len; raise --num-blocks or lower it:"
              + " --max-model-len="
              + longest
              + ", KV blocks="
              + shape.kvCache().numBlocks()
              + ", tokens held="
              + held);
    }
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(maxNumSeqs)
                .maxNumBatchedTokens(maxNumBatchedTokens)
                .maxModelLen(longest)
                .build())
        .queuePolicy(policy().queuePolicy())
        .queueLimits(new QueueLimits(maxNumQueuedReqs, maxNumQueuedTokens))
        .prefixCache(prefixCache())
        .kvOffload(new KvOffloadOptions(numHostBlocks))
        .pipeline(shape.maxStepsInFlight() > 1 ? PipelineOptions.ASYNC : PipelineOptions.DEFAULT)
        .build();
  }
}
