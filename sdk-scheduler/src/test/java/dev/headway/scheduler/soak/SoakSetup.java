package dev.headway.scheduler.soak;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import java.util.SplittableRandom;

/** Settings and memory of one engine. */
record SoakSetup(SchedulerConfig config, int blocks) {

  private static final int BLOCK_SIZE = 4;
  private static final int[] CONTEXTS = {32, 64, 200};

  /** Eight seats with memory for three whole requests: preemption, hits and evictions all day. */
  static SoakSetup ofLongLife(QueuePolicy policy) {
    final SchedulerConfig config =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(64)
                    .build())
            .queuePolicy(policy)
            .admission(new AdmissionOptions(FullSequenceGate.NEXT_CHUNK, 0.05))
            .build();
    return new SoakSetup(config, 1 + 3 * config.limits().maxModelLen() / BLOCK_SIZE);
  }

  /** Follows from a seed. */
  static SoakSetup random(long seed) {
    final SplittableRandom random = new SplittableRandom(seed);
    final int maxModelLen = CONTEXTS[random.nextInt(CONTEXTS.length)];
    // from "not even one request" to "four whole ones"
    final int blocks = 1 + maxModelLen / BLOCK_SIZE * (1 + random.nextInt(4)) - random.nextInt(5);
    return new SoakSetup(config(random, maxModelLen), blocks);
  }

  private static SchedulerConfig config(SplittableRandom random, int maxModelLen) {
    final int seats = 1 + random.nextInt(16);
    final int budget = Math.max(seats, 8 + random.nextInt(2 * maxModelLen));
    final boolean byPriority = random.nextBoolean();
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(seats)
                .maxNumBatchedTokens(budget)
                .maxModelLen(maxModelLen)
                .build())
        .chunkedPrefill(
            budget >= maxModelLen && random.nextInt(3) == 0
                ? ChunkedPrefill.DISABLED
                : ChunkedPrefill.ENABLED)
        .longPrefillTokenThreshold(random.nextInt(3) == 0 ? 8 : 0)
        .queuePolicy(byPriority ? QueuePolicy.PRIORITY : QueuePolicy.FCFS)
        .displacement(byPriority && random.nextBoolean() ? Displacement.ON : Displacement.OFF)
        .maxNumActiveSeqs(random.nextInt(3) == 0 ? 1 + random.nextInt(seats) : 0)
        .queueLimits(random.nextInt(3) == 0 ? new QueueLimits(20, 500) : QueueLimits.NONE)
        .prefillScheduleInterval(random.nextInt(3) == 0 ? 4 : 1)
        .speculation(speculation(random))
        .pipeline(pipeline(random))
        .prefixCache(
            random.nextInt(4) == 0 ? PrefixCacheOptions.disabled() : PrefixCacheOptions.DEFAULT)
        .admission(
            new AdmissionOptions(
                random.nextBoolean()
                    ? FullSequenceGate.WHOLE_SEQUENCE
                    : FullSequenceGate.NEXT_CHUNK,
                random.nextBoolean() ? 0.0 : 0.05))
        .build();
  }

  private static SpeculationOptions speculation(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> SpeculationOptions.of(SpeculativeMethod.NGRAM, 2);
      case 1 -> SpeculationOptions.of(SpeculativeMethod.EAGLE, 3);
      default -> SpeculationOptions.NONE;
    };
  }

  private static PipelineOptions pipeline(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> PipelineOptions.ASYNC;
      case 1 -> new PipelineOptions(AsyncScheduling.DISABLED, 2, ModelRunner.V1);
      case 2 -> new PipelineOptions(AsyncScheduling.ENABLED, 2, ModelRunner.V2);
      default -> PipelineOptions.DEFAULT;
    };
  }

  /** Policies by name, "" for none; follows from a seed. */
  static String policies(long seed) {
    final String[] choices = {
      "",
      "hrrn+least-computed",
      "vtc+new-token-ratio",
      "shortest-job+no-evict",
      "longest-prefix-match+equal-progress+cost-aware",
      "random+most-kv"
    };
    return choices[new SplittableRandom(seed).nextInt(choices.length)];
  }

  int maxModelLen() {
    return config.limits().maxModelLen();
  }

  ExecutorShape shape() {
    return ExecutorShape.builder()
        .kvCache(KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(blocks).build())
        .maxNumSeqs(config.limits().maxNumSeqs())
        .vocabularySize(SoakTraffic.VOCABULARY)
        .maxStepsInFlight(config.pipeline().maxStepsInFlight())
        .build();
  }
}
