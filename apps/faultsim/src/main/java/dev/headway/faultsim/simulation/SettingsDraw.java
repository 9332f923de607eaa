package dev.headway.faultsim.simulation;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.Drafting;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.KvLoadFailurePolicy;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.LonePrefill;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Draws settings and memory, small so that everything collides. Whatever the builders take can come
 * out; what they refuse is drawn again.
 */
final class SettingsDraw {

  /** With one that has a rule of its own for what is findable, twice as often. */
  private static final SpeculativeMethod[] METHODS = {
    SpeculativeMethod.NGRAM,
    SpeculativeMethod.EAGLE,
    SpeculativeMethod.DRAFT_MODEL,
    SpeculativeMethod.MTP_MULTI,
    SpeculativeMethod.MTP_MULTI,
    SpeculativeMethod.DFLASH
  };

  private final long seed;
  private final int attempt;
  private final Set<Feature> on;
  private final Dice dice = new Dice();

  SettingsDraw(long seed, int attempt, Set<Feature> on) {
    this.seed = seed;
    this.attempt = attempt;
    this.on = on;
  }

  private boolean has(Feature feature) {
    return on.contains(feature);
  }

  private Dice of(Feature feature) {
    return dice.start(seed, feature.name(), 1 + attempt);
  }

  private Dice of(String purpose) {
    return dice.start(seed, purpose, 1 + attempt);
  }

  /**
   * Settings.
   *
   * @throws IllegalArgumentException if these go together in no engine
   */
  SchedulerConfig config() {
    final SpeculationOptions speculation = speculation();
    final SchedulerLimits limits = limits(speculation);
    final int tokens = limits.maxNumBatchedTokens();
    final boolean byPriority = has(Feature.PRIORITY) || has(Feature.DISPLACEMENT);
    return SchedulerConfig.builder(limits)
        .maxNumScheduledTokens(
            has(Feature.SCHEDULED_TOKENS_LIMIT)
                ? of(Feature.SCHEDULED_TOKENS_LIMIT).between(1, tokens)
                : 0)
        .maxNumActiveSeqs(
            has(Feature.ACTIVE_SEQS_LIMIT)
                ? of(Feature.ACTIVE_SEQS_LIMIT).between(1, limits.maxNumSeqs())
                : 0)
        .chunkedPrefill(
            has(Feature.CHUNKED_PREFILL_OFF) ? ChunkedPrefill.DISABLED : ChunkedPrefill.ENABLED)
        .longPrefillTokenThreshold(
            has(Feature.LONG_PREFILL_THRESHOLD)
                ? of(Feature.LONG_PREFILL_THRESHOLD).between(1, limits.maxModelLen())
                : 0)
        .maxNumPartialPrefills(
            has(Feature.PARTIAL_PREFILLS)
                ? of(Feature.PARTIAL_PREFILLS).between(1, Math.min(3, limits.maxNumSeqs()))
                : 0)
        .maxLongPartialPrefills(
            has(Feature.PARTIAL_PREFILLS) && has(Feature.LONG_PREFILL_THRESHOLD) ? 1 : 0)
        .lonePrefill(has(Feature.LONE_PREFILL_UNCAPPED) ? LonePrefill.UNCAPPED : LonePrefill.CAPPED)
        .queuePolicy(byPriority ? QueuePolicy.PRIORITY : QueuePolicy.FCFS)
        .displacement(displacement())
        .prefixCache(prefixCache())
        .kvOffload(
            has(Feature.HOST_TIER)
                ? new KvOffloadOptions(of(Feature.HOST_TIER).between(1, 40))
                : KvOffloadOptions.NONE)
        .admission(admission())
        .queueLimits(queueLimits())
        .maxLoras(
            has(Feature.LORA_LIMIT)
                ? of(Feature.LORA_LIMIT).between(1, Math.min(2, limits.maxNumSeqs()))
                : 0)
        .loraDrainWaitThresholdNs(
            has(Feature.LORA_LIMIT) && has(Feature.LORA_DRAIN)
                ? of(Feature.LORA_DRAIN).between(1, 20) * 1_000_000L
                : 0)
        .prefillScheduleInterval(
            has(Feature.PREFILL_INTERVAL) ? of(Feature.PREFILL_INTERVAL).between(2, 5) : 1)
        .speculation(speculation)
        .pipeline(pipeline())
        .maxInFlightTokens(
            has(Feature.IN_FLIGHT_LIMIT)
                ? of(Feature.IN_FLIGHT_LIMIT).between(tokens, 3 * tokens)
                : 0)
        .encoder(encoder())
        .kvLoadFailurePolicy(
            has(Feature.KV_CONNECTOR) && of(Feature.KV_CONNECTOR).oneIn(3)
                ? KvLoadFailurePolicy.FAIL
                : KvLoadFailurePolicy.RECOMPUTE)
        .build();
  }

  private EncoderOptions encoder() {
    if (!has(Feature.ITEMS)) {
      return EncoderOptions.NONE;
    }
    final Dice drawn = of(Feature.ITEMS);
    final int biggest = drawn.between(1, 6);
    return new EncoderOptions(
        biggest,
        drawn.below(3 * biggest),
        drawn.below(4 * biggest),
        drawn.oneIn(3) ? ChunkedMmInput.DISABLED : ChunkedMmInput.ENABLED);
  }

  private SchedulerLimits limits(SpeculationOptions speculation) {
    final Dice limits = of("limits");
    final int seqs = limits.between(1, limits.oneIn(8) ? 24 : 6);
    final int context =
        has(Feature.LONG_CONTEXT)
            ? of(Feature.LONG_CONTEXT).between(100, 300)
            : limits.between(8, 48);
    final int least = seqs + speculation.draftSlots() + speculation.prefillLookaheadTokens();
    final int more = has(Feature.SMALL_STEPS) ? 4 : context + 20;
    int tokens = Math.max(seqs, least + of("tokens").below(more));
    if (has(Feature.CHUNKED_PREFILL_OFF) && !of("prompts fit").oneIn(4)) {
      tokens = Math.max(tokens, context + speculation.draftSlots());
    }
    return SchedulerLimits.builder()
        .maxNumSeqs(seqs)
        .maxNumBatchedTokens(tokens)
        .maxModelLen(context)
        .build();
  }

  private Displacement displacement() {
    if (!has(Feature.DISPLACEMENT)) {
      return Displacement.OFF;
    }
    final Dice drawn = of(Feature.DISPLACEMENT);
    return new Displacement(Displacement.Mode.ON, drawn.between(1, 2), drawn.below(4));
  }

  private PrefixCacheOptions prefixCache() {
    if (has(Feature.PREFIX_CACHE_OFF) && !has(Feature.HOST_TIER)) {
      return PrefixCacheOptions.disabled();
    }
    final PrefixCacheOptions.Builder options = PrefixCacheOptions.builder();
    if (has(Feature.MATCH_UNIT)) {
      options.matchUnit(of(Feature.MATCH_UNIT).between(1, 2));
    }
    if (has(Feature.RETENTION)) {
      final Dice drawn = of(Feature.RETENTION);
      options.retention(
          drawn.oneIn(2) ? PrefixRetention.DENSE : PrefixRetention.every(drawn.between(1, 20)));
    }
    return options.build();
  }

  private AdmissionOptions admission() {
    return new AdmissionOptions(
        has(Feature.NEXT_CHUNK_GATE)
            ? FullSequenceGate.NEXT_CHUNK
            : FullSequenceGate.WHOLE_SEQUENCE,
        has(Feature.WATERMARK) ? of(Feature.WATERMARK).below(60) / 100.0 : 0);
  }

  private QueueLimits queueLimits() {
    if (!has(Feature.QUEUE_LIMITS)) {
      return QueueLimits.NONE;
    }
    final Dice drawn = of(Feature.QUEUE_LIMITS);
    return new QueueLimits(drawn.below(12), drawn.below(200));
  }

  private PipelineOptions pipeline() {
    return new PipelineOptions(
        has(Feature.ASYNC) ? AsyncScheduling.ENABLED : AsyncScheduling.DISABLED,
        has(Feature.PIPELINE) ? of(Feature.PIPELINE).between(2, 3) : 1,
        has(Feature.MODEL_RUNNER_V2) ? ModelRunner.V2 : ModelRunner.V1);
  }

  private SpeculationOptions speculation() {
    if (!has(Feature.SPECULATION)) {
      return SpeculationOptions.NONE;
    }
    final Dice drawn = of(Feature.SPECULATION);
    final SpeculativeMethod method = drawn.pick(METHODS);
    final int tokens = drawn.between(1, 4);
    final List<SpeculationOptions.BatchSizeRange> table = new ArrayList<>();
    if (has(Feature.DRAFTS_PER_BATCH_SIZE)) {
      final Dice ranges = of(Feature.DRAFTS_PER_BATCH_SIZE);
      int from = ranges.between(1, 2);
      for (int i = ranges.between(1, 3); i > 0; i--) {
        final int to = from + ranges.below(3);
        table.add(
            SpeculationOptions.BatchSizeRange.builder()
                .fromSeqs(from)
                .toSeqs(to)
                .numSpeculativeTokens(ranges.below(tokens + 2))
                .build());
        from = to + 1 + ranges.below(2);
      }
    }
    return new SpeculationOptions(
        method,
        tokens,
        has(Feature.PARALLEL_DRAFTING) ? Drafting.PARALLEL : Drafting.SEQUENTIAL,
        table);
  }

  /**
   * Memory for these settings.
   *
   * @throws IllegalArgumentException if there is no such memory
   */
  KvCacheShape kvCache(SchedulerConfig config) {
    final Dice drawn = of("kv cache");
    final int lookahead = Math.max(1, config.speculation().prefillLookaheadTokens());
    final int size =
        config.speculation().method() == SpeculativeMethod.MTP_MULTI
            ? Math.max(lookahead, drawn.between(1, 5))
            : drawn.between(1, has(Feature.LONG_CONTEXT) ? 16 : 5);
    final List<KvGroup> groups = groups(config, size);
    final int longest = config.limits().maxModelLen();
    final int whole =
        KvCacheShape.builder()
            .blockSize(size)
            .blocks(2)
            .groups(groups)
            .build()
            .blocksToHold(longest, config.inFlightTokenLimit(), longest);
    final Dice pool = of("pool");
    final int usable =
        has(Feature.SMALL_CACHE)
            ? pool.between(2, 2 + Math.max(2, whole))
            : whole + pool.below(4 * whole + 2);
    return KvCacheShape.builder().blockSize(size).blocks(usable + 1).groups(groups).build();
  }

  private List<KvGroup> groups(SchedulerConfig config, int size) {
    final List<KvGroup> groups = new ArrayList<>();
    if (has(Feature.SLIDING_WINDOW)) {
      groups.add(
          new KvGroup.SlidingWindow(
              sizeFor(Feature.SLIDING_WINDOW, size), of(Feature.SLIDING_WINDOW).between(1, 14)));
    }
    if (has(Feature.CHUNKED_LOCAL)) {
      final int local = sizeFor(Feature.CHUNKED_LOCAL, size);
      groups.add(new KvGroup.ChunkedLocal(local, local * of(Feature.CHUNKED_LOCAL).between(1, 3)));
    }
    if (has(Feature.RECURRENT)) {
      final int states = config.speculation().numSpeculativeTokens();
      groups.add(
          new KvGroup.Mamba(
              sizeFor(Feature.RECURRENT, size), of(Feature.RECURRENT).oneIn(2) ? states : 0));
    }
    if (!has(Feature.NO_FULL_ATTENTION) || groups.isEmpty()) {
      groups.addFirst(new KvGroup.FullAttention(size));
    }
    return groups;
  }

  private int sizeFor(Feature group, int size) {
    return has(Feature.MIXED_BLOCK_SIZES)
        ? size * dice.start(seed, "size of " + group.name(), attempt).between(1, 3)
        : size;
  }
}
