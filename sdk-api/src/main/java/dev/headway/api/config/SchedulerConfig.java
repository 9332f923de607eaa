package dev.headway.api.config;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Complete scheduler configuration; constraints across options are checked at construction.
 *
 * @param limits the limits of a step
 * @param maxNumScheduledTokens most tokens scheduled in a step, at most {@code
 *     limits.maxNumBatchedTokens}, which draft slots are charged against too; 0 for the same
 * @param maxNumActiveSeqs most requests admitted to run at once, at most {@code limits.maxNumSeqs};
 *     0 for the same
 * @param chunkedPrefill whether a prompt may be computed over several steps
 * @param longPrefillTokenThreshold most tokens a request gets in one step, in tokens; 0 switches
 *     the cap off
 * @param lonePrefill whether that cap applies to the only request in the engine
 * @param queuePolicy order of admission and choice of the victim
 * @param displacement whether waiting requests displace running ones
 * @param prefixCache whether computed blocks are kept for other requests, and how they are found
 * @param kvOffload a second tier of the prefix cache
 * @param admission when a waiting request may take KV blocks
 * @param queueLimits how much may wait
 * @param maxLoras most LoRA adapters in a step; 0 for no limit
 * @param prefillScheduleInterval while any request decodes, schedule prefill only in every Nth
 *     step, >= 1; 1 for every step
 * @param speculation draft tokens
 * @param pipeline how many steps are out at once
 * @param maxInFlightTokens most tokens scheduled and not yet processed, which bounds what a window
 *     can hold; 0 for {@code maxStepsInFlight * maxNumBatchedTokens}
 * @param compatibility whether vLLM's known dead ends are reproduced
 */
public record SchedulerConfig(
    SchedulerLimits limits,
    int maxNumScheduledTokens,
    int maxNumActiveSeqs,
    ChunkedPrefill chunkedPrefill,
    int longPrefillTokenThreshold,
    LonePrefill lonePrefill,
    QueuePolicy queuePolicy,
    Displacement displacement,
    PrefixCacheOptions prefixCache,
    KvOffloadOptions kvOffload,
    AdmissionOptions admission,
    QueueLimits queueLimits,
    int maxLoras,
    int prefillScheduleInterval,
    SpeculationOptions speculation,
    PipelineOptions pipeline,
    int maxInFlightTokens,
    Compatibility compatibility) {

  /** Validates the components. */
  public SchedulerConfig {
    requireWithin(
        "maxNumScheduledTokens",
        maxNumScheduledTokens,
        "maxNumBatchedTokens",
        limits.maxNumBatchedTokens());
    requireWithin("maxNumActiveSeqs", maxNumActiveSeqs, "maxNumSeqs", limits.maxNumSeqs());
    requireWithin(
        "longPrefillTokenThreshold",
        longPrefillTokenThreshold,
        "maxModelLen",
        limits.maxModelLen());
    requireWithin("maxLoras", maxLoras, "maxNumSeqs", limits.maxNumSeqs());
    if (prefillScheduleInterval < 1) {
      throw new IllegalArgumentException(
          "prefillScheduleInterval must be >= 1: prefillScheduleInterval="
              + prefillScheduleInterval);
    }
    if (maxInFlightTokens < 0) {
      throw new IllegalArgumentException(
          "maxInFlightTokens must be >= 0, 0 for what can be in flight: maxInFlightTokens="
              + maxInFlightTokens);
    }
    requireCountableInFlight(limits, pipeline, maxInFlightTokens);
    final int slots = speculation.draftSlots();
    if (slots >= limits.maxNumBatchedTokens()) {
      throw new IllegalArgumentException(
          "maxNumBatchedTokens must be > the draft slots of a request, or nothing could be"
              + " scheduled: maxNumBatchedTokens="
              + limits.maxNumBatchedTokens()
              + ", draftSlots="
              + slots);
    }
    if (displacement.mode() == Displacement.Mode.ON && queuePolicy != QueuePolicy.PRIORITY) {
      throw new IllegalArgumentException(
          "displacement needs queuePolicy PRIORITY: displacement="
              + displacement
              + ", queuePolicy="
              + queuePolicy);
    }
    requireOffloadUsable(kvOffload, prefixCache, compatibility);
    if (compatibility == Compatibility.HEADWAY) {
      if (chunkedPrefill == ChunkedPrefill.DISABLED) {
        requirePromptsFit(limits, longPrefillTokenThreshold);
        final int tokens =
            maxNumScheduledTokens > 0 ? maxNumScheduledTokens : limits.maxNumBatchedTokens();
        final int largestChunk = Math.min(tokens, limits.maxNumBatchedTokens() - slots);
        requirePromptsFit(limits, longPrefillTokenThreshold, tokens, slots, largestChunk);
        requireLonePromptsFit(limits, longPrefillTokenThreshold, lonePrefill, largestChunk);
      }
      requireChunksReachDrafters(
          limits, maxNumScheduledTokens, longPrefillTokenThreshold, speculation);
    }
  }

  private static void requireCountableInFlight(
      SchedulerLimits limits, PipelineOptions pipeline, int maxInFlightTokens) {
    final int steps = pipeline.maxStepsInFlight();
    if (maxInFlightTokens == 0
        && Math.multiplyFull(steps, limits.maxNumBatchedTokens()) > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "maxInFlightTokens must be set where maxStepsInFlight * maxNumBatchedTokens is >"
              + " 2147483647: maxInFlightTokens=0, maxStepsInFlight="
              + steps
              + ", maxNumBatchedTokens="
              + limits.maxNumBatchedTokens());
    }
  }

  private static void requireOffloadUsable(
      KvOffloadOptions kvOffload, PrefixCacheOptions prefixCache, Compatibility compatibility) {
    if (kvOffload.hostBlocks() > 0
        && (!prefixCache.isEnabled() || compatibility != Compatibility.HEADWAY)) {
      throw new IllegalArgumentException(
          "hostBlocks needs prefixCache enabled and compatibility HEADWAY: hostBlocks="
              + kvOffload.hostBlocks()
              + ", prefixCache="
              + prefixCache
              + ", compatibility="
              + compatibility);
    }
  }

  private static void requireChunksReachDrafters(
      SchedulerLimits limits,
      int maxNumScheduledTokens,
      int longPrefillTokenThreshold,
      SpeculationOptions speculation) {
    int largestChunk = limits.maxNumBatchedTokens() - speculation.draftSlots();
    if (maxNumScheduledTokens > 0) {
      largestChunk = Math.min(largestChunk, maxNumScheduledTokens);
    }
    if (longPrefillTokenThreshold > 0) {
      largestChunk = Math.min(largestChunk, longPrefillTokenThreshold);
    }
    if (largestChunk < speculation.prefillLookaheadTokens()) {
      throw new IllegalArgumentException(
          "the largest chunk (of maxNumBatchedTokens less draft slots, maxNumScheduledTokens and"
              + " longPrefillTokenThreshold) must be >= the tokens that drafting modules look"
              + " ahead, or the end of a prompt could never be computed: largestChunk="
              + largestChunk
              + ", prefillLookaheadTokens="
              + speculation.prefillLookaheadTokens());
    }
  }

  private static void requireWithin(String name, int value, String limitName, int limit) {
    if (value < 0 || value > limit) {
      throw new IllegalArgumentException(
          name
              + " must be in [0, "
              + limitName
              + "], 0 for no limit of its own: "
              + name
              + "="
              + value
              + ", "
              + limitName
              + "="
              + limit);
    }
  }

  private static void requirePromptsFit(SchedulerLimits limits, int longPrefillTokenThreshold) {
    if (limits.maxNumBatchedTokens() < largestPrompt(limits, longPrefillTokenThreshold)) {
      throw new IllegalArgumentException(
          "maxNumBatchedTokens must be >= maxModelLen (or longPrefillTokenThreshold, if set) when"
              + " chunkedPrefill is DISABLED, or a long request could never be computed:"
              + " maxNumBatchedTokens="
              + limits.maxNumBatchedTokens()
              + ", maxModelLen="
              + limits.maxModelLen()
              + ", longPrefillTokenThreshold="
              + longPrefillTokenThreshold);
    }
  }

  private static void requirePromptsFit(
      SchedulerLimits limits,
      int longPrefillTokenThreshold,
      int scheduledTokens,
      int draftSlots,
      int largestChunk) {
    if (largestChunk < largestPrompt(limits, longPrefillTokenThreshold)) {
      throw new IllegalArgumentException(
          "maxNumScheduledTokens, and maxNumBatchedTokens less the draft slots of a request, must be"
              + " >= maxModelLen (or longPrefillTokenThreshold, if set) when chunkedPrefill is"
              + " DISABLED, or a long request could never be computed: maxNumScheduledTokens="
              + scheduledTokens
              + ", maxNumBatchedTokens="
              + limits.maxNumBatchedTokens()
              + ", draftSlots="
              + draftSlots
              + ", maxModelLen="
              + limits.maxModelLen()
              + ", longPrefillTokenThreshold="
              + longPrefillTokenThreshold);
    }
  }

  private static int largestPrompt(SchedulerLimits limits, int longPrefillTokenThreshold) {
    return longPrefillTokenThreshold > 0 ? longPrefillTokenThreshold : limits.maxModelLen();
  }

  private static void requireLonePromptsFit(
      SchedulerLimits limits,
      int longPrefillTokenThreshold,
      LonePrefill lonePrefill,
      int largestChunk) {
    if (lonePrefill == LonePrefill.UNCAPPED && largestChunk < limits.maxModelLen()) {
      throw new IllegalArgumentException(
          "lonePrefill must be CAPPED when chunkedPrefill is DISABLED and a step computes fewer"
              + " tokens than maxModelLen, or a long request that is alone could never be computed:"
              + " lonePrefill="
              + lonePrefill
              + ", longPrefillTokenThreshold="
              + longPrefillTokenThreshold
              + ", largestChunk="
              + largestChunk
              + ", maxModelLen="
              + limits.maxModelLen());
    }
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

  /** Starts a configuration; everything but the limits has a default. */
  public static Builder builder(SchedulerLimits limits) {
    return new Builder(limits);
  }

  /** Starts from this configuration. */
  public Builder toBuilder() {
    return new Builder(limits)
        .maxNumScheduledTokens(maxNumScheduledTokens)
        .maxNumActiveSeqs(maxNumActiveSeqs)
        .chunkedPrefill(chunkedPrefill)
        .longPrefillTokenThreshold(longPrefillTokenThreshold)
        .lonePrefill(lonePrefill)
        .queuePolicy(queuePolicy)
        .displacement(displacement)
        .prefixCache(prefixCache)
        .kvOffload(kvOffload)
        .admission(admission)
        .queueLimits(queueLimits)
        .maxLoras(maxLoras)
        .prefillScheduleInterval(prefillScheduleInterval)
        .speculation(speculation)
        .pipeline(pipeline)
        .maxInFlightTokens(maxInFlightTokens)
        .compatibility(compatibility);
  }

  /** Collects options. Not thread-safe. */
  public static final class Builder {

    private SchedulerLimits limits;
    private int maxNumScheduledTokens;
    private int maxNumActiveSeqs;
    private ChunkedPrefill chunkedPrefill = ChunkedPrefill.ENABLED;
    private int longPrefillTokenThreshold;
    private LonePrefill lonePrefill = LonePrefill.CAPPED;
    private QueuePolicy queuePolicy = QueuePolicy.FCFS;
    private Displacement displacement = Displacement.OFF;
    private PrefixCacheOptions prefixCache = PrefixCacheOptions.DEFAULT;
    private KvOffloadOptions kvOffload = KvOffloadOptions.NONE;
    private AdmissionOptions admission = AdmissionOptions.DEFAULT;
    private QueueLimits queueLimits = QueueLimits.NONE;
    private int maxLoras;
    private int prefillScheduleInterval = 1;
    private SpeculationOptions speculation = SpeculationOptions.NONE;
    private PipelineOptions pipeline = PipelineOptions.DEFAULT;
    private int maxInFlightTokens;
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
      return new SchedulerConfig(
          limits,
          maxNumScheduledTokens,
          maxNumActiveSeqs,
          chunkedPrefill,
          longPrefillTokenThreshold,
          lonePrefill,
          queuePolicy,
          displacement,
          prefixCache,
          kvOffload,
          admission,
          queueLimits,
          maxLoras,
          prefillScheduleInterval,
          speculation,
          pipeline,
          maxInFlightTokens,
          compatibility);
    }
  }
}
