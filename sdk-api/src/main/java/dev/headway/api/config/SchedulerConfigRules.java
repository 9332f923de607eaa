package dev.headway.api.config;

/** Constraints across the options of a {@link SchedulerConfig}. */
final class SchedulerConfigRules {

  private final SchedulerConfig config;
  private final SchedulerLimits limits;
  private final int draftSlots;

  private SchedulerConfigRules(SchedulerConfig config) {
    this.config = config;
    limits = config.limits();
    draftSlots = config.speculation().draftSlots();
  }

  /**
   * Checks a configuration.
   *
   * @throws IllegalArgumentException naming the option, its value and the constraint
   */
  static void check(SchedulerConfig config) {
    new SchedulerConfigRules(config).check();
  }

  private void check() {
    requireWithin(
        "maxNumScheduledTokens",
        config.maxNumScheduledTokens(),
        "maxNumBatchedTokens",
        limits.maxNumBatchedTokens());
    requireWithin("maxNumActiveSeqs", config.maxNumActiveSeqs(), "maxNumSeqs", limits.maxNumSeqs());
    requireWithin(
        "longPrefillTokenThreshold",
        config.longPrefillTokenThreshold(),
        "maxModelLen",
        limits.maxModelLen());
    requirePartialPrefills();
    requireWithin("maxLoras", config.maxLoras(), "maxNumSeqs", limits.maxNumSeqs());
    requireLorasToDrain();
    requirePrefillInterval();
    requireCountableInFlight();
    requireRoomForDraftSlots();
    requirePrioritiesToDisplace();
    requireOffloadUsable();
    requireWholeItemsFitBudget();
    if (config.compatibility() == Compatibility.HEADWAY) {
      if (config.chunkedPrefill() == ChunkedPrefill.DISABLED) {
        requirePromptsFitBudget();
        requirePromptsFitChunk();
        requireLonePromptsFit();
      }
      requireChunksReachDrafters();
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

  private void requirePartialPrefills() {
    requireWithin(
        "maxNumPartialPrefills", config.maxNumPartialPrefills(), "maxNumSeqs", limits.maxNumSeqs());
    final int most =
        config.maxNumPartialPrefills() > 0 ? config.maxNumPartialPrefills() : limits.maxNumSeqs();
    requireWithin(
        "maxLongPartialPrefills",
        config.maxLongPartialPrefills(),
        config.maxNumPartialPrefills() > 0 ? "maxNumPartialPrefills" : "maxNumSeqs",
        most);
    if (config.maxLongPartialPrefills() > 0 && config.longPrefillTokenThreshold() == 0) {
      throw new IllegalArgumentException(
          "maxLongPartialPrefills needs longPrefillTokenThreshold > 0, which says what is long:"
              + " maxLongPartialPrefills="
              + config.maxLongPartialPrefills()
              + ", longPrefillTokenThreshold=0");
    }
  }

  private void requireLorasToDrain() {
    final long thresholdNs = config.loraDrainWaitThresholdNs();
    if (thresholdNs < 0 || (thresholdNs > 0 && config.maxLoras() == 0)) {
      throw new IllegalArgumentException(
          "loraDrainWaitThresholdNs must be >= 0, and needs maxLoras > 0, which makes adapters wait:"
              + " loraDrainWaitThresholdNs="
              + thresholdNs
              + ", maxLoras="
              + config.maxLoras());
    }
  }

  private void requirePrefillInterval() {
    if (config.prefillScheduleInterval() < 1) {
      throw new IllegalArgumentException(
          "prefillScheduleInterval must be >= 1: prefillScheduleInterval="
              + config.prefillScheduleInterval());
    }
  }

  private void requireCountableInFlight() {
    if (config.maxInFlightTokens() < 0) {
      throw new IllegalArgumentException(
          "maxInFlightTokens must be >= 0, 0 for what can be in flight: maxInFlightTokens="
              + config.maxInFlightTokens());
    }
    final int steps = config.pipeline().maxStepsInFlight();
    if (config.maxInFlightTokens() == 0
        && Math.multiplyFull(steps, limits.maxNumBatchedTokens()) > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "maxInFlightTokens must be set where maxStepsInFlight * maxNumBatchedTokens is >"
              + " 2147483647: maxInFlightTokens=0, maxStepsInFlight="
              + steps
              + ", maxNumBatchedTokens="
              + limits.maxNumBatchedTokens());
    }
  }

  private void requireWholeItemsFitBudget() {
    final EncoderOptions encoder = config.encoder();
    if (encoder.chunkedMmInput() == ChunkedMmInput.DISABLED
        && encoder.maxItemEmbeddings() > limits.maxNumBatchedTokens()) {
      throw new IllegalArgumentException(
          "maxNumBatchedTokens must be >= maxItemEmbeddings where chunked multi-modal input is"
              + " disabled: maxNumBatchedTokens="
              + limits.maxNumBatchedTokens()
              + ", maxItemEmbeddings="
              + encoder.maxItemEmbeddings());
    }
  }

  private void requireRoomForDraftSlots() {
    if (draftSlots >= limits.maxNumBatchedTokens()) {
      throw new IllegalArgumentException(
          "maxNumBatchedTokens must be > the draft slots of a request, or nothing could be"
              + " scheduled: maxNumBatchedTokens="
              + limits.maxNumBatchedTokens()
              + ", draftSlots="
              + draftSlots);
    }
  }

  private void requirePrioritiesToDisplace() {
    if (config.displacement().mode() == Displacement.Mode.ON
        && config.queuePolicy() != QueuePolicy.PRIORITY) {
      throw new IllegalArgumentException(
          "displacement needs queuePolicy PRIORITY: displacement="
              + config.displacement()
              + ", queuePolicy="
              + config.queuePolicy());
    }
  }

  private void requireOffloadUsable() {
    if (config.kvOffload().hostBlocks() > 0
        && (!config.prefixCache().isEnabled() || config.compatibility() != Compatibility.HEADWAY)) {
      throw new IllegalArgumentException(
          "hostBlocks needs prefixCache enabled and compatibility HEADWAY: hostBlocks="
              + config.kvOffload().hostBlocks()
              + ", prefixCache="
              + config.prefixCache()
              + ", compatibility="
              + config.compatibility());
    }
  }

  private void requirePromptsFitBudget() {
    if (limits.maxNumBatchedTokens() < largestPrompt()) {
      throw new IllegalArgumentException(
          "maxNumBatchedTokens must be >= maxModelLen (or longPrefillTokenThreshold, if set) when"
              + " chunkedPrefill is DISABLED, or a long request could never be computed:"
              + " maxNumBatchedTokens="
              + limits.maxNumBatchedTokens()
              + ", maxModelLen="
              + limits.maxModelLen()
              + ", longPrefillTokenThreshold="
              + config.longPrefillTokenThreshold());
    }
  }

  private void requirePromptsFitChunk() {
    if (largestWholePrompt() < largestPrompt()) {
      throw new IllegalArgumentException(
          "maxNumScheduledTokens, and maxNumBatchedTokens less the draft slots of a request, must"
              + " be >= maxModelLen (or longPrefillTokenThreshold, if set) when chunkedPrefill is"
              + " DISABLED, or a long request could never be computed: maxNumScheduledTokens="
              + scheduledTokens()
              + ", maxNumBatchedTokens="
              + limits.maxNumBatchedTokens()
              + ", draftSlots="
              + draftSlots
              + ", maxModelLen="
              + limits.maxModelLen()
              + ", longPrefillTokenThreshold="
              + config.longPrefillTokenThreshold());
    }
  }

  private void requireLonePromptsFit() {
    if (config.lonePrefill() == LonePrefill.UNCAPPED
        && largestWholePrompt() < limits.maxModelLen()) {
      throw new IllegalArgumentException(
          "lonePrefill must be CAPPED when chunkedPrefill is DISABLED and a step computes fewer"
              + " tokens than maxModelLen, or a long request that is alone could never be computed:"
              + " lonePrefill="
              + config.lonePrefill()
              + ", longPrefillTokenThreshold="
              + config.longPrefillTokenThreshold()
              + ", largestChunk="
              + largestWholePrompt()
              + ", maxModelLen="
              + limits.maxModelLen());
    }
  }

  private void requireChunksReachDrafters() {
    final int threshold = config.longPrefillTokenThreshold();
    final int largestChunk =
        threshold > 0 ? Math.min(largestWholePrompt(), threshold) : largestWholePrompt();
    if (largestChunk < config.speculation().prefillLookaheadTokens()) {
      throw new IllegalArgumentException(
          "the largest chunk (of maxNumBatchedTokens less draft slots, maxNumScheduledTokens and"
              + " longPrefillTokenThreshold) must be >= the tokens that drafting modules look"
              + " ahead, or the end of a prompt could never be computed: largestChunk="
              + largestChunk
              + ", prefillLookaheadTokens="
              + config.speculation().prefillLookaheadTokens());
    }
  }

  private int scheduledTokens() {
    return config.maxNumScheduledTokens() > 0
        ? config.maxNumScheduledTokens()
        : limits.maxNumBatchedTokens();
  }

  /** Most tokens of a prompt in one step, without the cap of long prompts. */
  private int largestWholePrompt() {
    return Math.min(scheduledTokens(), limits.maxNumBatchedTokens() - draftSlots);
  }

  private int largestPrompt() {
    return config.longPrefillTokenThreshold() > 0
        ? config.longPrefillTokenThreshold()
        : limits.maxModelLen();
  }
}
