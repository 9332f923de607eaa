package dev.headway.scheduler.golden;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.Compatibility;
import dev.headway.api.config.Drafting;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.KvCacheManagers;
import dev.headway.kvcache.PooledKvCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** The first line of a trace, in our terms. */
record GoldenSetup(SchedulerConfig config, KvCacheShape shape) {

  static GoldenSetup of(JsonNode c) {
    return new GoldenSetup(configOf(c), shapeOf(c));
  }

  boolean isV2() {
    return config.pipeline().modelRunner() == ModelRunner.V2;
  }

  boolean hasRecurrentGroup() {
    return shape.groups().stream().anyMatch(KvGroup.Mamba.class::isInstance);
  }

  PooledKvCache newCache(KvCacheListener listener) {
    return KvCacheManagers.builder(shape, config.limits().maxModelLen())
        .maxInFlightTokens(config.inFlightTokenLimit())
        .prefixCache(config.prefixCache())
        .speculation(config.speculation())
        .compatibility(config.compatibility())
        .hasher(BlockHasher.fixedKey(1, 2))
        .listener(listener)
        .build();
  }

  private static KvCacheShape shapeOf(JsonNode c) {
    final int speculativeTokens = c.path("num_speculative_tokens").asInt(0);
    final List<KvGroup> groups = new ArrayList<>();
    for (JsonNode group : c.get("kv_groups")) {
      final int blockSize = group.get("block_size").asInt();
      groups.add(
          switch (group.get("type").asString()) {
            case "full" -> new KvGroup.FullAttention(blockSize);
            case "sliding_window" ->
                new KvGroup.SlidingWindow(blockSize, group.get("sliding_window").asInt());
            case "chunked_local" ->
                new KvGroup.ChunkedLocal(blockSize, group.get("attention_chunk_size").asInt());
            case "mamba" -> new KvGroup.Mamba(blockSize, speculativeTokens);
            default -> throw new IllegalStateException("group not known here: " + group);
          });
    }
    return KvCacheShape.builder()
        .blockSize(c.get("block_size").asInt())
        .blocks(c.get("num_blocks").asInt())
        .groups(groups)
        .build();
  }

  private static SchedulerConfig configOf(JsonNode c) {
    final SchedulerLimits limits =
        SchedulerLimits.builder()
            .maxNumSeqs(c.get("max_num_seqs").asInt())
            .maxNumBatchedTokens(c.get("max_num_batched_tokens").asInt())
            .maxModelLen(c.get("max_model_len").asInt())
            .build();
    final boolean whole = c.path("scheduler_reserve_full_isl").asBoolean(true);
    return SchedulerConfig.builder(limits)
        .maxNumScheduledTokens(c.path("max_num_scheduled_tokens").asInt(0))
        .chunkedPrefill(
            c.path("enable_chunked_prefill").asBoolean(true)
                ? ChunkedPrefill.ENABLED
                : ChunkedPrefill.DISABLED)
        .longPrefillTokenThreshold(c.path("long_prefill_token_threshold").asInt(0))
        .queuePolicy(
            c.path("policy").asString("fcfs").equals("priority")
                ? QueuePolicy.PRIORITY
                : QueuePolicy.FCFS)
        .prefixCache(prefixCacheOf(c))
        .admission(
            new AdmissionOptions(
                whole ? FullSequenceGate.WHOLE_SEQUENCE : FullSequenceGate.NEXT_CHUNK,
                c.path("watermark").asDouble(0.0)))
        .maxLoras(c.path("max_loras").asInt(0))
        .speculation(speculationOf(c))
        .pipeline(pipelineOf(c))
        .maxInFlightTokens(c.get("max_in_flight_tokens").asInt())
        .encoder(GoldenEncoder.options(c))
        .kvLoadFailurePolicy(GoldenConnector.policy(c))
        .compatibility(Compatibility.VLLM_0_28)
        .build();
  }

  private static PrefixCacheOptions prefixCacheOf(JsonNode c) {
    if (!c.path("enable_prefix_caching").asBoolean(true)) {
      return PrefixCacheOptions.disabled();
    }
    final PrefixCacheOptions.Builder options =
        PrefixCacheOptions.builder().retention(retentionOf(c));
    final int matchUnit = c.path("prefix_match_unit").asInt(0);
    return (matchUnit == 0 ? options : options.matchUnit(matchUnit)).build();
  }

  private static PrefixRetention retentionOf(JsonNode c) {
    if (c.get("prefix_cache_retention_interval").isNull()) {
      return PrefixRetention.DENSE;
    }
    final int interval = c.get("prefix_cache_retention_interval").asInt();
    return interval == 0 ? PrefixRetention.BOUNDARIES : PrefixRetention.every(interval);
  }

  private static SpeculationOptions speculationOf(JsonNode c) {
    final String method = c.path("spec_method").asString("none");
    final List<SpeculationOptions.BatchSizeRange> table = new ArrayList<>();
    for (JsonNode range : c.path("num_speculative_tokens_per_batch_size")) {
      table.add(
          SpeculationOptions.BatchSizeRange.builder()
              .fromSeqs(range.get(0).asInt())
              .toSeqs(range.get(1).asInt())
              .numSpeculativeTokens(range.get(2).asInt())
              .build());
    }
    return new SpeculationOptions(
        SpeculativeMethod.valueOf(method.toUpperCase(Locale.ROOT)),
        c.get("num_speculative_tokens").asInt(),
        c.path("parallel_drafting").asBoolean(false) ? Drafting.PARALLEL : Drafting.SEQUENTIAL,
        table);
  }

  private static PipelineOptions pipelineOf(JsonNode c) {
    return new PipelineOptions(
        c.get("scheduler").asString().equals("async")
            ? AsyncScheduling.ENABLED
            : AsyncScheduling.DISABLED,
        c.get("pipeline_parallel_size").asInt(),
        c.path("v2_model_runner").asBoolean(false) ? ModelRunner.V2 : ModelRunner.V1);
  }
}
