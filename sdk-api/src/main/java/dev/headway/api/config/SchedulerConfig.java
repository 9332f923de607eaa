package dev.headway.api.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Complete scheduler configuration; constraints across options are checked when it is built.
 * Immutable.
 */
public final class SchedulerConfig {

  private final SchedulerLimits limits;
  private final int maxNumScheduledTokens;
  private final int maxNumActiveSeqs;
  private final ChunkedPrefill chunkedPrefill;
  private final int longPrefillTokenThreshold;
  private final int maxNumPartialPrefills;
  private final int maxLongPartialPrefills;
  private final LonePrefill lonePrefill;
  private final QueuePolicy queuePolicy;
  private final Displacement displacement;
  private final PrefixCacheOptions prefixCache;
  private final KvOffloadOptions kvOffload;
  private final AdmissionOptions admission;
  private final QueueLimits queueLimits;
  private final int maxLoras;
  private final long loraDrainWaitThresholdNs;
  private final int prefillScheduleInterval;
  private final SpeculationOptions speculation;
  private final PipelineOptions pipeline;
  private final int maxInFlightTokens;
  private final EncoderOptions encoder;
  private final KvLoadFailurePolicy kvLoadFailurePolicy;
  private final Compatibility compatibility;

  private SchedulerConfig(Builder builder) {
    limits = builder.limits;
    maxNumScheduledTokens = builder.maxNumScheduledTokens;
    maxNumActiveSeqs = builder.maxNumActiveSeqs;
    chunkedPrefill = builder.chunkedPrefill;
    longPrefillTokenThreshold = builder.longPrefillTokenThreshold;
    maxNumPartialPrefills = builder.maxNumPartialPrefills;
    maxLongPartialPrefills = builder.maxLongPartialPrefills;
    lonePrefill = builder.lonePrefill;
    queuePolicy = builder.queuePolicy;
    displacement = builder.displacement;
    prefixCache = builder.prefixCache;
    kvOffload = builder.kvOffload;
    admission = builder.admission;
    queueLimits = builder.queueLimits;
    maxLoras = builder.maxLoras;
    loraDrainWaitThresholdNs = builder.loraDrainWaitThresholdNs;
    prefillScheduleInterval = builder.prefillScheduleInterval;
    speculation = builder.speculation;
    pipeline = builder.pipeline;
    maxInFlightTokens = builder.maxInFlightTokens;
    encoder = builder.encoder;
    kvLoadFailurePolicy = builder.kvLoadFailurePolicy;
    compatibility = builder.compatibility;
  }

  /** Starts a configuration; everything but the limits has a default. */
  public static Builder builder(SchedulerLimits limits) {
    return new Builder(limits);
  }

  /** The limits of a step. */
  public SchedulerLimits limits() {
    return limits;
  }

  /**
   * Most tokens scheduled in a step, at most {@code limits().maxNumBatchedTokens()}, which draft
   * slots are charged against too; 0 for the same.
   */
  public int maxNumScheduledTokens() {
    return maxNumScheduledTokens;
  }

  /**
   * Most requests admitted to run at once, at most {@code limits().maxNumSeqs()}; 0 for the same.
   */
  public int maxNumActiveSeqs() {
    return maxNumActiveSeqs;
  }

  /** Whether a prompt may be computed over several steps. */
  public ChunkedPrefill chunkedPrefill() {
    return chunkedPrefill;
  }

  /** Most tokens a request gets in one step; 0 switches the cap off. */
  public int longPrefillTokenThreshold() {
    return longPrefillTokenThreshold;
  }

  /**
   * Most running requests in the middle of their prompt: another prompt is begun only if the step
   * computes all of it; 0 for no limit.
   */
  public int maxNumPartialPrefills() {
    return maxNumPartialPrefills;
  }

  /**
   * Most of them that had more than {@link #longPrefillTokenThreshold} tokens to compute when they
   * were admitted: others of the kind wait without blocking shorter ones behind them; 0 for no
   * limit of their own.
   */
  public int maxLongPartialPrefills() {
    return maxLongPartialPrefills;
  }

  /** Whether {@link #longPrefillTokenThreshold} applies to the only request in the engine. */
  public LonePrefill lonePrefill() {
    return lonePrefill;
  }

  /** Order of admission and choice of the victim. */
  public QueuePolicy queuePolicy() {
    return queuePolicy;
  }

  /** Whether waiting requests displace running ones. */
  public Displacement displacement() {
    return displacement;
  }

  /** Whether computed blocks are kept for other requests, and how they are found. */
  public PrefixCacheOptions prefixCache() {
    return prefixCache;
  }

  /** A second tier of the prefix cache. */
  public KvOffloadOptions kvOffload() {
    return kvOffload;
  }

  /** When a waiting request may take KV blocks. */
  public AdmissionOptions admission() {
    return admission;
  }

  /** How much may wait. */
  public QueueLimits queueLimits() {
    return queueLimits;
  }

  /** Most LoRA adapters in a step; 0 for no limit. */
  public int maxLoras() {
    return maxLoras;
  }

  /**
   * How long a request may wait because {@link #maxLoras} other adapters run, in nanoseconds,
   * before one of them is drained: no waiting request of it is admitted until the adapter that
   * waits has its place. 0 for ever.
   */
  public long loraDrainWaitThresholdNs() {
    return loraDrainWaitThresholdNs;
  }

  /** While any request decodes, schedule prefill only in every Nth step, >= 1; 1 for every step. */
  public int prefillScheduleInterval() {
    return prefillScheduleInterval;
  }

  /** Draft tokens. */
  public SpeculationOptions speculation() {
    return speculation;
  }

  /** How many steps are out at once. */
  public PipelineOptions pipeline() {
    return pipeline;
  }

  /**
   * Most tokens scheduled and not yet processed, which bounds what a window can hold; 0 for {@code
   * maxStepsInFlight * maxNumBatchedTokens}.
   */
  public int maxInFlightTokens() {
    return maxInFlightTokens;
  }

  /** Limits of the executor's encoder, for images and the like. */
  public EncoderOptions encoder() {
    return encoder;
  }

  /** What becomes of requests whose KV a connector could not load. */
  public KvLoadFailurePolicy kvLoadFailurePolicy() {
    return kvLoadFailurePolicy;
  }

  /** Whether vLLM's known dead ends are reproduced. */
  public Compatibility compatibility() {
    return compatibility;
  }

  /**
   * Tokens that can be scheduled and not yet processed: the option, or the value derived from other
   * options.
   */
  public int inFlightTokenLimit() {
    return maxInFlightTokens > 0
        ? maxInFlightTokens
        : Math.multiplyExact(pipeline.maxStepsInFlight(), limits.maxNumBatchedTokens());
  }

  /** Starts from this configuration. */
  public Builder toBuilder() {
    return new Builder(limits)
        .maxNumScheduledTokens(maxNumScheduledTokens)
        .maxNumActiveSeqs(maxNumActiveSeqs)
        .chunkedPrefill(chunkedPrefill)
        .longPrefillTokenThreshold(longPrefillTokenThreshold)
        .maxNumPartialPrefills(maxNumPartialPrefills)
        .maxLongPartialPrefills(maxLongPartialPrefills)
        .lonePrefill(lonePrefill)
        .queuePolicy(queuePolicy)
        .displacement(displacement)
        .prefixCache(prefixCache)
        .kvOffload(kvOffload)
        .admission(admission)
        .queueLimits(queueLimits)
        .maxLoras(maxLoras)
        .loraDrainWaitThresholdNs(loraDrainWaitThresholdNs)
        .prefillScheduleInterval(prefillScheduleInterval)
        .speculation(speculation)
        .pipeline(pipeline)
        .maxInFlightTokens(maxInFlightTokens)
        .encoder(encoder)
        .kvLoadFailurePolicy(kvLoadFailurePolicy)
        .compatibility(compatibility);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SchedulerConfig that && options().equals(that.options());
  }

  @Override
  public int hashCode() {
    return options().hashCode();
  }

  @Override
  public String toString() {
    return "SchedulerConfig" + options();
  }

  private Map<String, Object> options() {
    final Map<String, Object> options = new LinkedHashMap<>();
    options.put("limits", limits);
    options.put("maxNumScheduledTokens", maxNumScheduledTokens);
    options.put("maxNumActiveSeqs", maxNumActiveSeqs);
    options.put("chunkedPrefill", chunkedPrefill);
    options.put("longPrefillTokenThreshold", longPrefillTokenThreshold);
    options.put("maxNumPartialPrefills", maxNumPartialPrefills);
    options.put("maxLongPartialPrefills", maxLongPartialPrefills);
    options.put("lonePrefill", lonePrefill);
    options.put("queuePolicy", queuePolicy);
    options.put("displacement", displacement);
    options.put("prefixCache", prefixCache);
    options.put("kvOffload", kvOffload);
    options.put("admission", admission);
    options.put("queueLimits", queueLimits);
    options.put("maxLoras", maxLoras);
    options.put("loraDrainWaitThresholdNs", loraDrainWaitThresholdNs);
    options.put("prefillScheduleInterval", prefillScheduleInterval);
    options.put("speculation", speculation);
    options.put("pipeline", pipeline);
    options.put("maxInFlightTokens", maxInFlightTokens);
    options.put("encoder", encoder);
    options.put("kvLoadFailurePolicy", kvLoadFailurePolicy);
    options.put("compatibility", compatibility);
    return options;
  }

  /** Collects options. Not thread-safe. */
  public static final class Builder {

    private SchedulerLimits limits;
    private int maxNumScheduledTokens;
    private int maxNumActiveSeqs;
    private ChunkedPrefill chunkedPrefill = ChunkedPrefill.ENABLED;
    private int longPrefillTokenThreshold;
    private int maxNumPartialPrefills;
    private int maxLongPartialPrefills;
    private LonePrefill lonePrefill = LonePrefill.CAPPED;
    private QueuePolicy queuePolicy = QueuePolicy.FCFS;
    private Displacement displacement = Displacement.OFF;
    private PrefixCacheOptions prefixCache = PrefixCacheOptions.DEFAULT;
    private KvOffloadOptions kvOffload = KvOffloadOptions.NONE;
    private AdmissionOptions admission = AdmissionOptions.DEFAULT;
    private QueueLimits queueLimits = QueueLimits.NONE;
    private int maxLoras;
    private long loraDrainWaitThresholdNs;
    private int prefillScheduleInterval = 1;
    private SpeculationOptions speculation = SpeculationOptions.NONE;
    private PipelineOptions pipeline = PipelineOptions.DEFAULT;
    private int maxInFlightTokens;
    private EncoderOptions encoder = EncoderOptions.NONE;
    private KvLoadFailurePolicy kvLoadFailurePolicy = KvLoadFailurePolicy.RECOMPUTE;
    private Compatibility compatibility = Compatibility.HEADWAY;

    private Builder(@Nullable SchedulerLimits limits) {
      this.limits = Objects.requireNonNull(limits, "limits");
    }

    /** Other limits than those that the builder was started with. */
    public Builder limits(SchedulerLimits limits) {
      this.limits = Objects.requireNonNull(limits, "limits");
      return this;
    }

    /** Most tokens scheduled in a step; 0 ({@code maxNumBatchedTokens}) unless set. */
    public Builder maxNumScheduledTokens(int tokens) {
      this.maxNumScheduledTokens = tokens;
      return this;
    }

    /** Most requests admitted to run at once; 0 ({@code maxNumSeqs}) unless set. */
    public Builder maxNumActiveSeqs(int seqs) {
      this.maxNumActiveSeqs = seqs;
      return this;
    }

    /** {@link ChunkedPrefill#ENABLED} unless set. */
    public Builder chunkedPrefill(ChunkedPrefill chunkedPrefill) {
      this.chunkedPrefill = chunkedPrefill;
      return this;
    }

    /** Most tokens a request gets in one step; 0 (no cap) unless set. */
    public Builder longPrefillTokenThreshold(int tokens) {
      this.longPrefillTokenThreshold = tokens;
      return this;
    }

    /** Most running requests in the middle of their prompt; 0 (no limit) unless set. */
    public Builder maxNumPartialPrefills(int requests) {
      this.maxNumPartialPrefills = requests;
      return this;
    }

    /** Most of those with a long prompt; 0 (no limit of their own) unless set. */
    public Builder maxLongPartialPrefills(int requests) {
      this.maxLongPartialPrefills = requests;
      return this;
    }

    /** {@link LonePrefill#CAPPED} unless set. */
    public Builder lonePrefill(LonePrefill lonePrefill) {
      this.lonePrefill = lonePrefill;
      return this;
    }

    /** {@link QueuePolicy#FCFS} unless set. */
    public Builder queuePolicy(QueuePolicy queuePolicy) {
      this.queuePolicy = queuePolicy;
      return this;
    }

    /** {@link Displacement#OFF} unless set. */
    public Builder displacement(Displacement displacement) {
      this.displacement = displacement;
      return this;
    }

    /** {@link PrefixCacheOptions#DEFAULT} unless set. */
    public Builder prefixCache(PrefixCacheOptions prefixCache) {
      this.prefixCache = prefixCache;
      return this;
    }

    /** {@link KvOffloadOptions#NONE} unless set. */
    public Builder kvOffload(KvOffloadOptions kvOffload) {
      this.kvOffload = kvOffload;
      return this;
    }

    /** {@link AdmissionOptions#DEFAULT} unless set. */
    public Builder admission(AdmissionOptions admission) {
      this.admission = admission;
      return this;
    }

    /** {@link QueueLimits#NONE} unless set. */
    public Builder queueLimits(QueueLimits queueLimits) {
      this.queueLimits = queueLimits;
      return this;
    }

    /** Most LoRA adapters in a step; 0 (no limit) unless set. */
    public Builder maxLoras(int maxLoras) {
      this.maxLoras = maxLoras;
      return this;
    }

    /**
     * How long a request waits for its LoRA adapter to have a place before another adapter is
     * drained; 0 (for ever) unless set.
     */
    public Builder loraDrainWaitThresholdNs(long thresholdNs) {
      this.loraDrainWaitThresholdNs = thresholdNs;
      return this;
    }

    /** 1 (every step) unless set. */
    public Builder prefillScheduleInterval(int steps) {
      this.prefillScheduleInterval = steps;
      return this;
    }

    /** {@link SpeculationOptions#NONE} unless set. */
    public Builder speculation(SpeculationOptions speculation) {
      this.speculation = speculation;
      return this;
    }

    /** {@link PipelineOptions#DEFAULT} unless set. */
    public Builder pipeline(PipelineOptions pipeline) {
      this.pipeline = pipeline;
      return this;
    }

    /** 0 (what can be in flight) unless set. */
    public Builder maxInFlightTokens(int tokens) {
      this.maxInFlightTokens = tokens;
      return this;
    }

    /** {@link EncoderOptions#NONE} unless set. */
    public Builder encoder(EncoderOptions encoder) {
      this.encoder = encoder;
      return this;
    }

    /** {@link KvLoadFailurePolicy#RECOMPUTE} unless set; acts with a KV connector only. */
    public Builder kvLoadFailurePolicy(KvLoadFailurePolicy policy) {
      this.kvLoadFailurePolicy = policy;
      return this;
    }

    /** {@link Compatibility#HEADWAY} unless set. */
    public Builder compatibility(Compatibility compatibility) {
      this.compatibility = compatibility;
      return this;
    }

    /**
     * Returns the configuration.
     *
     * @throws IllegalArgumentException naming the option, its value and the constraint
     */
    public SchedulerConfig build() {
      final SchedulerConfig config = new SchedulerConfig(this);
      SchedulerConfigRules.check(config);
      return config;
    }
  }
}
