package dev.headway.scheduler.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.Compatibility;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.PrefixCaching;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.PagedKvCacheManager;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;
import tools.jackson.databind.JsonNode;

/**
 * Feeds a recorded run to our scheduler, operation by operation, and compares every field under
 * {@code expect} exactly.
 */
final class GoldenReplay implements Probe, OutputListener {

  private static final int LIST_LIMIT = 64;

  private final GoldenTrace trace;
  private final KvCacheShape shape;
  private final PagedKvCacheManager kv;
  private final ContinuousBatchingScheduler scheduler;
  private final Map<String, RequestView> live = new HashMap<>();
  private final Map<Long, Integer> hashNumbers = new HashMap<>();
  private final List<Object> events = new ArrayList<>();
  private final List<List<Object>> outputs = new ArrayList<>();
  private final StepOutput output = new StepOutput();
  private SchedulerStats statsBefore;
  private boolean resetSinceUpdate;
  private StepPlan planOut;
  private int operation;

  GoldenReplay(GoldenTrace trace) {
    this.trace = trace;
    final JsonNode c = trace.config();
    shape = new KvCacheShape(c.get("block_size").asInt(), c.get("num_blocks").asInt(), 0);
    final SchedulerConfig config = configOf(c);
    kv =
        PagedKvCacheManager.builder(shape, config.limits().maxModelLen())
            .prefixCaching(config.prefixCaching())
            .compatibility(config.compatibility())
            .hasher(BlockHasher.fixedKey(1, 2))
            .listener(this)
            .build();
    scheduler = new ContinuousBatchingScheduler(config, kv, Integer.MAX_VALUE, this);
    statsBefore = scheduler.stats();
  }

  private static SchedulerConfig configOf(JsonNode c) {
    final SchedulerLimits limits =
        new SchedulerLimits(
            c.get("max_num_seqs").asInt(),
            c.get("max_num_batched_tokens").asInt(),
            c.get("max_model_len").asInt());
    final boolean whole = c.path("scheduler_reserve_full_isl").asBoolean(true);
    return SchedulerConfig.builder(limits)
        .chunkedPrefill(
            c.path("enable_chunked_prefill").asBoolean(true)
                ? ChunkedPrefill.ENABLED
                : ChunkedPrefill.DISABLED)
        .longPrefillTokenThreshold(c.path("long_prefill_token_threshold").asInt(0))
        .queuePolicy(
            c.path("policy").asString("fcfs").equals("priority")
                ? QueuePolicy.PRIORITY
                : QueuePolicy.FCFS)
        .prefixCaching(
            c.path("enable_prefix_caching").asBoolean(true)
                ? PrefixCaching.ENABLED
                : PrefixCaching.DISABLED)
        .admission(
            new AdmissionOptions(
                whole ? FullSequenceGate.WHOLE_SEQUENCE : FullSequenceGate.NEXT_CHUNK,
                c.path("watermark").asDouble(0.0)))
        .compatibility(Compatibility.VLLM_0_28)
        .build();
  }

  /** Replays everything; returns the number of operations compared. */
  int run() {
    for (JsonNode line : trace.operations()) {
      operation++;
      switch (line.get("op").asString()) {
        case "add" -> add(line);
        case "abort" -> abort(line);
        case "reset_prefix_cache" -> reset(line);
        case "schedule" -> schedule(line);
        case "update" -> update(line);
        case "end" -> compare("ops", line.get("ops").asInt(), operation - 1);
        default -> throw new IllegalStateException("operation not known here: " + line.get("op"));
      }
    }
    return operation - 1;
  }

  private void add(JsonNode line) {
    StopRule rule =
        StopRule.maxTokens(line.get("max_tokens").asInt())
            .withMinTokens(
                Math.min(line.get("min_tokens").asInt(), line.get("max_tokens").asInt()));
    if (!line.path("eos").isNull() && !line.path("eos").isMissingNode()) {
      rule = rule.withEosTokenId(line.get("eos").asInt());
    }
    if (line.path("ignore_eos").asBoolean(false)) {
      rule = rule.ignoringEos();
    }
    rule = rule.withStopTokenIds(ints(line.get("stop")));
    final Request.Builder builder =
        Request.builder(line.get("id").asString(), ints(line.get("prompt")))
            .stopRule(rule)
            .priority(line.get("priority").asInt());
    if (!line.path("salt").isNull() && !line.path("salt").isMissingNode()) {
      builder.cacheSalt(line.get("salt").asString());
    }
    if (line.path("skip_read").asBoolean(false)) {
      builder.prefixReuse(PrefixReuse.SKIPPED);
    }
    final long arrivalNs = Math.round(line.get("arrival").asDouble() * 1e9);
    final Request request = builder.build();
    live.put(request.id(), scheduler.add(request, this, arrivalNs, arrivalNs));
  }

  private void abort(JsonNode line) {
    for (JsonNode id : line.get("ids")) {
      final RequestView request = live.get(id.asString());
      if (request != null) {
        scheduler.finish(request, FinishReason.ABORTED, null, 0L);
      }
    }
    compareState(line.get("expect"));
  }

  private void reset(JsonNode line) {
    final ResetScope scope =
        line.get("reset_running").asBoolean() ? ResetScope.PREEMPT_RUNNING : ResetScope.IDLE_ONLY;
    final boolean done = scheduler.resetPrefixCache(scope, 0L);
    resetSinceUpdate |= done;
    compare("ok", line.get("expect").get("ok").asBoolean(), done);
    compareState(line.get("expect"));
  }

  private void schedule(JsonNode line) {
    final JsonNode expect = line.get("expect");
    planOut = scheduler.schedule(0L);
    scheduler.planned(planOut, 0L);
    compare("step", line.get("step").asLong(), planOut.stepId());
    compareEntries(expect);
    compare("total", expect.get("total").asInt(), planOut.totalTokens());
    compare("spec", 0, expect.get("spec").size());
    compare("preempted", strings(expect.get("preempted")), preemptedIds());
    compare("finished", strings(expect.get("finished")), finishedIds());
    compare(
        "common_prefix", expect.get("common_prefix").get(0).asInt(), planOut.commonPrefixBlocks());
    compare("copies", true, expect.path("copies").isMissingNode());
    compareState(expect);
  }

  private void compareEntries(JsonNode expect) {
    final List<Object> fresh = new ArrayList<>();
    final List<Object> running = new ArrayList<>();
    final List<Object> resumed = new ArrayList<>();
    final List<Object> tokens = new ArrayList<>();
    for (int i = 0; i < planOut.size(); i++) {
      final RequestView request = planOut.request(i);
      final List<Integer> blocks = newBlocks(i);
      tokens.add(List.of(request.id(), planOut.scheduledTokens(i)));
      if (planOut.kind(i) == EntryKind.NEW) {
        fresh.add(List.of(request.id(), planOut.computedTokens(i), List.of(blocks)));
        continue;
      }
      final boolean isResumed = planOut.kind(i) == EntryKind.RESUMED;
      final List<Object> entry = new ArrayList<>();
      entry.add(request.id());
      entry.add(planOut.computedTokens(i));
      entry.add(request.outputTokens());
      entry.add(isResumed ? 1 : 0);
      entry.add(blocks.isEmpty() ? null : List.of(blocks));
      (isResumed ? resumed : running).add(entry);
    }
    running.addAll(resumed);
    compare("new", plain(expect.get("new")), fresh);
    compare("cached", plain(expect.get("cached")), running);
    compare("tokens", plain(expect.get("tokens")), tokens);
  }

  private List<Integer> newBlocks(int entry) {
    final List<Integer> blocks = new ArrayList<>();
    for (int i = planOut.newBlocksFrom(entry); i < planOut.blockCount(entry); i++) {
      blocks.add(planOut.blocks(entry).blockId(i));
    }
    return blocks;
  }

  private void update(JsonNode line) {
    final JsonNode expect = line.get("expect");
    final Map<String, int[]> sampled = new HashMap<>();
    for (JsonNode pair : line.get("sampled")) {
      sampled.put(pair.get(0).asString(), ints(pair.get(1)));
    }
    output.begin(planOut.stepId(), planOut.size());
    for (int i = 0; i < planOut.size(); i++) {
      for (int token : sampled.getOrDefault(planOut.request(i).id(), new int[0])) {
        output.addToken(i, token);
      }
    }
    outputs.clear();
    scheduler.update(planOut, output, 0L);
    compare("outputs", plain(expect.get("outputs")), new ArrayList<Object>(outputs));
    compareComputed(expect.get("computed"));
    comparePrefixStats(expect.get("prefix_stats"));
    compareState(expect);
  }

  private void compareComputed(JsonNode expect) {
    final List<Integer> computed = new ArrayList<>();
    scheduler.forEachRunning(request -> computed.add(request.computedTokens()));
    if (expect.isArray()) {
      compare("computed", plain(expect), new ArrayList<Object>(computed));
    } else {
      compare("computed.crc", expect.get("crc").asLong(), crc(computed));
    }
  }

  private void comparePrefixStats(JsonNode expect) {
    final SchedulerStats now = scheduler.stats();
    final SchedulerStats old = statsBefore;
    final Map<String, Object> actual = new LinkedHashMap<>();
    actual.put("reset", resetSinceUpdate);
    actual.put("requests", (int) (now.prefixLookups() - old.prefixLookups()));
    actual.put("queries", (int) (now.prefixQueriedTokens() - old.prefixQueriedTokens()));
    actual.put("hits", (int) (now.prefixHitTokens() - old.prefixHitTokens()));
    actual.put("preempted_requests", (int) (now.resumedLookups() - old.resumedLookups()));
    actual.put(
        "preempted_queries", (int) (now.resumedQueriedTokens() - old.resumedQueriedTokens()));
    actual.put("preempted_hits", (int) (now.resumedHitTokens() - old.resumedHitTokens()));
    statsBefore = now;
    resetSinceUpdate = false;
    compare("prefix_stats", plain(expect), actual);
  }

  private void compareState(JsonNode expect) {
    final List<String> running = new ArrayList<>();
    scheduler.forEachRunning(request -> running.add(request.id()));
    final List<String> waiting = new ArrayList<>();
    scheduler.forEachWaiting(request -> waiting.add(request.id()));
    compare("running", plain(expect.get("running")), shortened(running));
    compare("waiting", plain(expect.get("waiting")), shortened(waiting));
    compare("skipped", 0, expect.get("skipped").size());
    compare("free", expect.get("free").asInt(), kv.freeBlocks());
    final int[] free = kv.freeBlocksInOrder();
    final List<Integer> order = Arrays.stream(free).boxed().toList();
    compare(
        "freeq",
        plain(expect.get("freeq")),
        List.of(order.subList(0, Math.min(8, free.length)), crcNumber(crc(order))));
    compare(
        "usage",
        expect.get("usage").asDouble(),
        1.0 - (double) kv.freeBlocks() / shape.usableBlocks());
    compare("ncached", expect.get("ncached").asInt(), kv.cachedContents());
    compare("events", plain(expect.get("events")), new ArrayList<>(events));
    events.clear();
  }

  private static Object crcNumber(long crc) {
    return crc <= Integer.MAX_VALUE ? (Object) (int) crc : (Object) crc;
  }

  private static Object shortened(List<String> ids) {
    if (ids.size() <= LIST_LIMIT) {
      return ids;
    }
    final Map<String, Object> compact = new LinkedHashMap<>();
    compact.put("n", ids.size());
    compact.put("head", ids.subList(0, LIST_LIMIT));
    compact.put("crc", crcNumber(crc(ids)));
    return compact;
  }

  private static long crc(List<?> values) {
    final CRC32 crc = new CRC32();
    crc.update(
        String.join(",", values.stream().map(String::valueOf).toList())
            .getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }

  private List<String> preemptedIds() {
    final List<String> ids = new ArrayList<>();
    for (int i = 0; i < planOut.preemptedCount(); i++) {
      ids.add(planOut.preemptedId(i));
    }
    return sortedSet(ids);
  }

  private List<String> finishedIds() {
    final List<String> ids = new ArrayList<>();
    for (int i = 0; i < planOut.finishedCount(); i++) {
      ids.add(planOut.finishedId(i));
    }
    return sortedSet(ids);
  }

  private static List<String> sortedSet(List<String> ids) {
    final List<String> sorted = new ArrayList<>(ids.stream().distinct().toList());
    Collections.sort(sorted);
    return sorted;
  }

  @Override
  public void onTokens(RequestView request, int count, long nowNs) {
    final List<Integer> tokens = new ArrayList<>();
    for (int i = request.knownTokens() - count; i < request.knownTokens(); i++) {
      tokens.add(request.tokenId(i));
    }
    final List<Object> entry = new ArrayList<>();
    entry.add(request.id());
    entry.add(tokens);
    entry.add(null);
    entry.add(null);
    entry.add(request.outputTokens() == count ? prefillStats(request) : null);
    outputs.add(entry);
  }

  private List<Integer> prefillStats(RequestView request) {
    final int prompt = request.promptTokens();
    final int cached = request.cachedTokens();
    final int findable = request.cachedKvBlocks() * shape.blockSize();
    return List.of(
        prompt, prompt - cached, cached, Math.max(0, Math.min(findable, prompt) - cached));
  }

  @Override
  public void onFinished(
      RequestView request, FinishReason reason, int stopTokenId, Throwable cause, long nowNs) {
    live.remove(request.id());
    if (!outputs.isEmpty() && outputs.getLast().getFirst().equals(request.id())) {
      outputs.getLast().set(2, reason.label());
      outputs.getLast().set(3, stopTokenId < 0 ? null : stopTokenId);
    }
  }

  @Override
  public void onKvStored(RequestView request, KvBlocksStored blocks) {
    final List<Object> event = new ArrayList<>();
    event.add("S");
    event.add(blocks.hasParent() ? numberOf(blocks.parentContentHash()) : null);
    final List<Object> hashes = new ArrayList<>();
    final List<Object> extras = new ArrayList<>();
    for (int i = 0; i < blocks.count(); i++) {
      hashes.add(numberOf(blocks.contentHash(i)));
      final boolean salted = blocks.firstToken() == 0 && i == 0;
      extras.add(salted ? request.request().cacheSalt().map(List::of).orElse(null) : null);
    }
    final List<Object> tokens = new ArrayList<>();
    for (int i = 0; i < blocks.count() * blocks.blockSize(); i++) {
      tokens.add(request.tokenId(blocks.firstToken() + i));
    }
    Collections.addAll(event, hashes, tokens, blocks.blockSize(), null, null, 0, extras);
    events.add(event);
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    events.add(List.of("R", List.of(numberOf(contentHash)), 0));
  }

  @Override
  public void onKvCleared() {
    events.add(List.of("C"));
  }

  private int numberOf(long contentHash) {
    return hashNumbers.computeIfAbsent(contentHash, key -> hashNumbers.size());
  }

  private void compare(String field, Object expected, Object actual) {
    if (!Objects.equals(expected, actual)) {
      assertThat(actual)
          .as("file=%s, operation=%d, field=%s", trace.name(), operation, field)
          .isEqualTo(expected);
    }
  }

  private static int[] ints(JsonNode array) {
    final int[] values = new int[array.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = array.get(i).asInt();
    }
    return values;
  }

  private static List<String> strings(JsonNode array) {
    final List<String> values = new ArrayList<>();
    array.forEach(node -> values.add(node.asString()));
    return values;
  }

  private static Object plain(JsonNode node) {
    if (node.isNull()) {
      return null;
    }
    if (node.isArray()) {
      final List<Object> list = new ArrayList<>();
      node.forEach(element -> list.add(plain(element)));
      return list;
    }
    if (node.isObject()) {
      final Map<String, Object> map = new LinkedHashMap<>();
      node.properties().forEach(e -> map.put(e.getKey(), plain(e.getValue())));
      return map;
    }
    if (node.isIntegralNumber()) {
      return node.canConvertToInt() ? (Object) node.asInt() : (Object) node.asLong();
    }
    return node.isBoolean() ? (Object) node.asBoolean() : node.asString();
  }
}
