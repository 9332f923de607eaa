package dev.headway.scheduler.model;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.Compatibility;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.Drafting;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.LonePrefill;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.RepetitionRule;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Configurations and requests of every kind, small so that everything collides. */
public final class RandomSettings {

  /** Tokens of the vocabulary. */
  public static final int VOCABULARY = 16;

  private static final int EOS = 3;

  private static final List<HoldReason> HOLDS = List.of(HoldReason.values());

  private final Random random;

  /** Draws from {@code random}. */
  public RandomSettings(Random random) {
    this.random = random;
  }

  /** True once in {@code n} times. */
  public boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  /**
   * A configuration; one under which a request could wait for ever is refused, and only such a one.
   */
  SchedulerConfig config() {
    return config(oneIn(3) ? Compatibility.VLLM_0_28 : Compatibility.HEADWAY);
  }

  /** As {@link #config()}, in one mode. */
  public SchedulerConfig config(Compatibility mode) {
    while (true) {
      final SchedulerConfig asked = unchecked(mode);
      final SchedulerConfig.Builder same = asked.toBuilder().compatibility(mode);
      if (mode == Compatibility.VLLM_0_28 || !isDeadEnd(asked)) {
        return same.build();
      }
      assertThatThrownBy(same::build).as("%s", asked).isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** A prompt that must be computed whole may be longer than the largest step. */
  private static boolean isDeadEnd(SchedulerConfig config) {
    final SchedulerLimits limits = config.limits();
    final int slots = limits.maxNumBatchedTokens() - config.speculation().draftSlots();
    final int tokens = config.maxNumScheduledTokens();
    final int largestStep = tokens == 0 ? slots : Math.min(slots, tokens);
    final int cap = config.longPrefillTokenThreshold();
    final boolean capped = cap > 0 && config.lonePrefill() == LonePrefill.CAPPED;
    return config.chunkedPrefill() == ChunkedPrefill.DISABLED
        && largestStep < (capped ? cap : limits.maxModelLen());
  }

  /** Made for {@code mode}, in the one that takes everything. */
  private SchedulerConfig unchecked(Compatibility mode) {
    final SpeculationOptions speculation = speculation();
    final int seqs = 1 + random.nextInt(6);
    final int maxModelLen = 4 + random.nextInt(40);
    final boolean chunked = !oneIn(4);
    int batched = seqs + speculation.draftSlots() + random.nextInt(oneIn(2) ? 6 : 60);
    if (!chunked && mode == Compatibility.HEADWAY && batched % 3 > 0) {
      batched = Math.max(batched, maxModelLen + speculation.draftSlots());
    }
    // smaller chunks than drafting modules look ahead would be a dead end, which is refused
    final int least =
        mode == Compatibility.HEADWAY ? Math.max(1, speculation.prefillLookaheadTokens()) : 1;
    batched = Math.max(batched, speculation.draftSlots() + least);
    final boolean twoBudgets = oneIn(4);
    final boolean priority = oneIn(3);
    final boolean displaces = priority && oneIn(2);
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(seqs)
                .maxNumBatchedTokens(batched)
                .maxModelLen(maxModelLen)
                .build())
        .maxNumScheduledTokens(twoBudgets ? least + random.nextInt(batched - least + 1) : 0)
        .maxNumActiveSeqs(oneIn(5) ? 1 + random.nextInt(seqs) : 0)
        .chunkedPrefill(chunked ? ChunkedPrefill.ENABLED : ChunkedPrefill.DISABLED)
        .longPrefillTokenThreshold(oneIn(3) ? least + random.nextInt(maxModelLen - least + 1) : 0)
        .lonePrefill(oneIn(3) ? LonePrefill.UNCAPPED : LonePrefill.CAPPED)
        .queuePolicy(priority ? QueuePolicy.PRIORITY : QueuePolicy.FCFS)
        .displacement(
            displaces
                ? new Displacement(Displacement.Mode.ON, 1 + random.nextInt(2), random.nextInt(4))
                : Displacement.OFF)
        .prefixCache(oneIn(4) ? PrefixCacheOptions.disabled() : PrefixCacheOptions.DEFAULT)
        .admission(
            new AdmissionOptions(
                oneIn(2) ? FullSequenceGate.WHOLE_SEQUENCE : FullSequenceGate.NEXT_CHUNK,
                oneIn(3) ? random.nextDouble() * 0.5 : 0))
        .maxLoras(oneIn(3) ? 1 + random.nextInt(Math.min(2, seqs)) : 0)
        .speculation(speculation)
        .pipeline(
            new PipelineOptions(
                oneIn(2) ? AsyncScheduling.ENABLED : AsyncScheduling.DISABLED,
                1 + random.nextInt(2),
                oneIn(2) ? ModelRunner.V1 : ModelRunner.V2))
        .compatibility(Compatibility.VLLM_0_28)
        .build();
  }

  private SpeculationOptions speculation() {
    if (oneIn(3)) {
      return SpeculationOptions.NONE;
    }
    final SpeculativeMethod[] methods = SpeculativeMethod.values();
    final SpeculativeMethod method = methods[1 + random.nextInt(methods.length - 1)];
    final int k = 1 + random.nextInt(4);
    final List<SpeculationOptions.BatchSizeRange> table = new ArrayList<>();
    int from = 1 + random.nextInt(2);
    while (oneIn(3) || (!table.isEmpty() && oneIn(2))) {
      final int to = from + random.nextInt(3);
      table.add(
          SpeculationOptions.BatchSizeRange.builder()
              .fromSeqs(from)
              .toSeqs(to)
              .numSpeculativeTokens(random.nextInt(k + 2))
              .build());
      from = to + 1 + random.nextInt(2);
    }
    return new SpeculationOptions(
        method, k, oneIn(2) ? Drafting.PARALLEL : Drafting.SEQUENTIAL, table);
  }

  /** Pools from one block to more than everybody needs; no block that the cache would refuse. */
  public KvCacheShape shape(SchedulerConfig config) {
    final int usable = oneIn(4) ? 60 : 2 + random.nextInt(12);
    final SpeculationOptions speculation = config.speculation();
    final int least =
        speculation.method() == SpeculativeMethod.MTP_MULTI
            ? speculation.prefillLookaheadTokens()
            : 1;
    return KvCacheShape.builder()
        .blockSize(Math.max(least, 1 + random.nextInt(4)))
        .blocks(usable + 1)
        .build();
  }

  /** A request that the engine would not refuse. */
  public Request request(String id, SchedulerConfig config, KvCacheShape shape) {
    final int maxModelLen = config.limits().maxModelLen();
    final int longest = Math.min(maxModelLen - 1, shape.usableBlocks() * shape.blockSize());
    final int[] prompt = new int[1 + random.nextInt(longest)];
    final int text = random.nextInt(3);
    final int common = random.nextInt(prompt.length + 1);
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = i < common ? (text * 5 + i) % VOCABULARY : random.nextInt(VOCABULARY);
    }
    final int maxTokens = 1 + random.nextInt(30);
    // beyond the context such a request never ends; the engine refuses it
    final int mostMinTokens = Math.min(maxTokens, maxModelLen - prompt.length);
    StopRule rule = StopRule.maxTokens(maxTokens);
    rule = oneIn(2) ? rule.withMinTokens(random.nextInt(mostMinTokens + 1)) : rule;
    rule = oneIn(2) ? rule.withEosTokenId(EOS) : rule.withStopTokenIds(4, 5);
    rule = oneIn(5) ? rule.ignoringEos() : rule;
    if (oneIn(4)) {
      final int shortest = 1 + random.nextInt(2);
      rule =
          rule.withRepetitionRule(
              RepetitionRule.builder()
                  .maxPatternTokens(shortest + random.nextInt(3))
                  .minPatternTokens(shortest)
                  .minCount(2 + random.nextInt(2))
                  .build());
    }
    final Request.Builder builder =
        Request.builder(id, prompt)
            .stopRule(rule)
            .priority(random.nextInt(4))
            .prefixReuse(oneIn(8) ? PrefixReuse.SKIPPED : PrefixReuse.ALLOWED)
            .cacheSalt(oneIn(6) ? "salt" : "");
    if (oneIn(2)) {
      final int adapter = 1 + random.nextInt(3);
      builder.lora(new LoraAdapter(adapter, "adapter" + adapter));
    }
    for (HoldReason reason : HOLDS) {
      if (oneIn(12)) {
        builder.hold(Hold.until(reason, new CompletableFuture<>()));
      }
    }
    return builder.build();
  }

  /** A token of the vocabulary; few of them often, so that outputs repeat. */
  public int token() {
    return oneIn(2) ? 7 + random.nextInt(2) : random.nextInt(VOCABULARY);
  }
}
