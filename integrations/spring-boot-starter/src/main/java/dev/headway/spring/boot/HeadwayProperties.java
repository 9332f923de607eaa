package dev.headway.spring.boot;

import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.QueuePolicy;
import dev.headway.scheduler.engine.ExecutorFailurePolicy;
import dev.headway.scheduler.engine.FullQueuePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code headway.*}. What is null is not set: the executor's figure holds, or the
 * engine's default. Folders are texts: of a {@code Path} a web application would make a resource of
 * its server where it can, and fail at "..". Immutable.
 *
 * @param executor Which executor runs the steps, where the application has no bean of type
 *     Executor; with a model's directory "reference" unless set.
 * @param autoStart Whether the engine gets a thread of its own when the application starts.
 * @param drainTimeout How long the end of the application waits for the requests under way, after
 *     the web server has waited for its own.
 * @param executorTimeout Longest time that the executor may take for a step; 5 minutes unless set.
 * @param stallThreshold Time without progress after which the engine counts as stalled, which must
 *     be longer than the longest step; the executor's timeout unless set.
 * @param onExecutorFailure What happens after a step that the executor has failed.
 * @param attributes What journals and files say of the run, by name.
 */
@ConfigurationProperties("headway")
public record HeadwayProperties(
    @Nullable ExecutorKind executor,
    @DefaultValue Model model,
    @DefaultValue Simulated simulated,
    @DefaultValue KvCache kvCache,
    @DefaultValue Limits limits,
    @DefaultValue Scheduling scheduling,
    @DefaultValue Requests requests,
    @DefaultValue Probes probes,
    @DefaultValue Journal journal,
    @DefaultValue Endpoint endpoint,
    @DefaultValue("true") boolean autoStart,
    @DefaultValue("20s") Duration drainTimeout,
    @Nullable Duration executorTimeout,
    @Nullable Duration stallThreshold,
    @DefaultValue("continue") ExecutorFailurePolicy onExecutorFailure,
    @DefaultValue Map<String, String> attributes) {

  /** Validates the components. */
  public HeadwayProperties {
    Rules.notNegative("headway.drain-timeout", drainTimeout);
    Rules.positive("headway.executor-timeout", executorTimeout);
    Rules.positive("headway.stall-threshold", stallThreshold);
    attributes = Map.copyOf(attributes);
  }

  /** Executors that need no bean. */
  public enum ExecutorKind {
    /** Runs the model in {@code headway.model.directory} in plain Java on one thread. */
    REFERENCE,
    /** Runs no model: steps take as long as a formula says, tokens are made up. */
    SIMULATED
  }

  /**
   * The model.
   *
   * @param directory A Hugging Face folder: config.json, safetensors, tokenizer.json. Its tokenizer
   *     and chat template are used with an Executor bean too.
   * @param name What a ChatModel calls it; the folder's name unless set.
   * @param chatTemplate A file or one of "plain", "chatml", "llama3", "mistral"; the model's own
   *     unless set.
   */
  public record Model(
      @Nullable String directory, @Nullable String name, @Nullable String chatTemplate) {}

  /**
   * What the simulated executor claims.
   *
   * @param vocabularySize Token ids are below this.
   * @param seed Equal seeds make equal tokens.
   */
  public record Simulated(
      @DefaultValue("128256") int vocabularySize, @DefaultValue("42") long seed) {

    /** Validates the components. */
    public Simulated {
      Rules.atLeast("headway.simulated.vocabulary-size", vocabularySize, 1);
    }
  }

  /**
   * The KV cache.
   *
   * @param blocks KV blocks, the null block included; 2,048 unless set. An Executor bean brings its
   *     own.
   * @param blockSize Tokens of a KV block; 16 unless set. An Executor bean brings its own.
   * @param hostBlocks KV blocks of a second tier in host memory, no more than an Executor bean has;
   *     none unless set.
   */
  public record KvCache(
      @Nullable Integer blocks, @Nullable Integer blockSize, @Nullable Integer hostBlocks) {

    /** Validates the components. */
    public KvCache {
      Rules.atLeast("headway.kv-cache.blocks", blocks, 2);
      Rules.atLeast("headway.kv-cache.block-size", blockSize, 1);
      Rules.atLeast("headway.kv-cache.host-blocks", hostBlocks, 0);
    }
  }

  /**
   * The limits of a step and of the queue.
   *
   * @param maxNumSeqs Most requests running at once; the executor's unless set.
   * @param maxNumBatchedTokens Most tokens in a step; the executor's, or 2,048, unless set.
   * @param maxModelLen Longest prompt and answer together, in tokens; what the model and the KV
   *     cache allow unless set.
   * @param maxNumQueuedReqs Most requests waiting or running before others are refused; 0 for no
   *     limit.
   * @param maxNumQueuedTokens Most prompt tokens waiting before requests are refused; 0 for no
   *     limit.
   * @param submissionQueueCapacity Most requests submitted and not yet taken in by the engine's
   *     thread; 65,536 unless set.
   */
  public record Limits(
      @Nullable Integer maxNumSeqs,
      @Nullable Integer maxNumBatchedTokens,
      @Nullable Integer maxModelLen,
      @DefaultValue("0") int maxNumQueuedReqs,
      @DefaultValue("0") long maxNumQueuedTokens,
      @Nullable Integer submissionQueueCapacity) {

    /** Validates the components. */
    public Limits {
      Rules.atLeast("headway.limits.max-num-seqs", maxNumSeqs, 1);
      Rules.atLeast("headway.limits.max-num-batched-tokens", maxNumBatchedTokens, 1);
      Rules.atLeast("headway.limits.max-model-len", maxModelLen, 2);
      Rules.atLeast("headway.limits.max-num-queued-reqs", maxNumQueuedReqs, 0);
      Rules.atLeast("headway.limits.max-num-queued-tokens", maxNumQueuedTokens, 0);
      Rules.atLeast("headway.limits.submission-queue-capacity", submissionQueueCapacity, 1);
    }
  }

  /**
   * How steps are planned.
   *
   * @param queuePolicy In what order requests are admitted, and which is preempted.
   * @param onFullQueue What happens to a request that finds as many others as there may be.
   * @param chunkedPrefill Whether a prompt may be computed over several steps.
   * @param longPrefillTokenThreshold Most tokens that a request gets in a step; 0 for no such
   *     limit.
   * @param prefixCache Whether computed KV blocks are shared by requests with the same prefix.
   * @param watermark Share of the KV blocks that admissions leave free, from 0 to below 1.
   * @param policies Policies by name, joined by "+", each with its options in parentheses, such as
   *     "vtc(wq=2)+least-computed".
   */
  public record Scheduling(
      @DefaultValue("fcfs") QueuePolicy queuePolicy,
      @DefaultValue("reject-newcomer") FullQueuePolicy onFullQueue,
      @DefaultValue("enabled") ChunkedPrefill chunkedPrefill,
      @DefaultValue("0") int longPrefillTokenThreshold,
      @DefaultValue("true") boolean prefixCache,
      @DefaultValue("0") double watermark,
      @DefaultValue("") String policies) {

    /** Validates the components. */
    public Scheduling {
      Rules.atLeast(
          "headway.scheduling.long-prefill-token-threshold", longPrefillTokenThreshold, 0);
      Rules.require(
          watermark >= 0 && watermark < 1,
          "headway.scheduling.watermark must be in [0, 1): headway.scheduling.watermark="
              + watermark);
    }
  }

  /**
   * What holds for requests that do not say so themselves.
   *
   * @param timeout Longest time from submission to the end; none unless set.
   * @param queueTimeout Longest time from submission to the first admission; none unless set.
   * @param runTimeout Longest time from the first admission to the end; none unless set.
   * @param streamInterval Of how many tokens listeners are notified at a time.
   */
  public record Requests(
      @Nullable Duration timeout,
      @Nullable Duration queueTimeout,
      @Nullable Duration runTimeout,
      @DefaultValue("1") int streamInterval) {

    /** Validates the components. */
    public Requests {
      Rules.positive("headway.requests.timeout", timeout);
      Rules.positive("headway.requests.queue-timeout", queueTimeout);
      Rules.positive("headway.requests.run-timeout", runTimeout);
      Rules.atLeast("headway.requests.stream-interval", streamInterval, 1);
    }
  }

  /**
   * Probes by name, beside the beans of type Probe.
   *
   * @param names Probes by name; their jars must be on the class path.
   * @param options Options of those probes, by the probe's name and the option's.
   * @param fromEnvironment Whether environment variables and system properties may ask for probes,
   *     as VLLM_SCHEDULER_LOGGING=1 does.
   */
  public record Probes(
      @DefaultValue List<String> names,
      @DefaultValue Map<String, Map<String, String>> options,
      @DefaultValue("true") boolean fromEnvironment) {

    /** Validates the components. */
    public Probes {
      names = List.copyOf(names);
      options = Map.copyOf(options);
      for (String name : options.keySet()) {
        Rules.require(
            names.contains(name),
            "headway.probes.options must be of probes that headway.probes.names has: probe="
                + name
                + ", names="
                + names);
      }
    }
  }

  /**
   * The journal, which headway-probes-chronicle writes.
   *
   * @param directory Folder of the journal; none is written unless set.
   */
  public record Journal(@Nullable String directory) {}

  /**
   * The endpoint /actuator/headway.
   *
   * @param shown How many requests of the queue it lists, the first ones.
   * @param kept How many requests that have ended, and how many that were refused, it can explain.
   */
  public record Endpoint(@DefaultValue("100") int shown, @DefaultValue("1000") int kept) {

    /** Validates the components. */
    public Endpoint {
      Rules.atLeast("headway.endpoint.shown", shown, 0);
      Rules.atLeast("headway.endpoint.kept", kept, 0);
    }
  }
}
