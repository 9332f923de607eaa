package dev.headway.scheduler.golden;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.KvReport;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.RepetitionRule;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.kvcache.PooledKvCache;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.time.VirtualClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
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
  private final GoldenSetup setup;
  private final PooledKvCache kv;
  private final ContinuousBatchingScheduler scheduler;
  private final GoldenGrammar grammar;
  private final GoldenSessions sessions;
  private final GoldenConnector connector;
  private final Map<String, RequestView> live = new HashMap<>();
  private final Map<Long, Integer> hashNumbers = new HashMap<>();
  private final List<Object> events = new ArrayList<>();
  private final List<List<Object>> outputs = new ArrayList<>();
  private final StepOutput output = new StepOutput();
  private boolean throttled;
  private SchedulerStats statsBefore;
  private final long[] acceptedBefore = new long[64];
  private boolean resetSinceUpdate;
  private final Deque<StepPlan> inFlight = new ArrayDeque<>();
  private int operation;

  GoldenReplay(GoldenTrace trace) {
    this.trace = trace;
    setup = GoldenSetup.of(trace.config());
    shape = setup.shape();
    final SchedulerConfig config = setup.config();
    kv = setup.newCache(this);
    connector = new GoldenConnector(trace, setup);
    scheduler =
        ContinuousBatchingScheduler.builder(config, kv)
            .probe(this)
            .clock(new VirtualClock())
            .prefillGate(stepId -> !throttled)
            .kvConnector(connector.orNull())
            .build();
    grammar = new GoldenGrammar(trace, scheduler);
    sessions = new GoldenSessions(trace, scheduler);
    statsBefore = scheduler.stats();
  }

  /** Replays everything; returns the number of operations compared. */
  int run() {
    for (JsonNode line : trace.operations()) {
      operation++;
      sessions.begin(line);
      switch (line.get("op").asString()) {
        case "add" -> add(line);
        case "session" -> session(line);
        case "abort" -> abort(line);
        case "reset_prefix_cache" -> reset(line);
        case "reset_encoder_cache" -> resetEncoder(line);
        case "pause" -> pause(line);
        case "draft" -> draft(line);
        case "draft_in_output" -> draftInOutput(line);
        case "grammar" -> grammar.compiled(line, live.get(line.get("id").asString()));
        case "bitmask" ->
            compare("bitmask", plain(line.get("expect")), GoldenGrammar.rows(planOf(line)));
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
    if (line.hasNonNull("repetition")) {
      rule = withRepetition(rule, ints(line.get("repetition")));
    }
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
    if (line.hasNonNull("lora")) {
      final JsonNode lora = line.get("lora");
      builder.lora(new LoraAdapter(lora.get("id").asInt(), lora.get("name").asString()));
    }
    if (line.path("report_full").asBoolean(false)) {
      builder.kvReport(KvReport.FULL);
    }
    grammar.add(line, builder);
    builder.items(GoldenEncoder.items(line));
    if (line.path("resumable").asBoolean(false)) {
      builder.resumable();
    }
    final long arrivalNs = Math.round(line.get("arrival").asDouble() * 1e9);
    final Request request = builder.build();
    final RequestView added = scheduler.add(request, this, arrivalNs);
    live.put(request.id(), added);
    connector.added(line, added);
  }

  private void session(JsonNode line) {
    final RequestView session = live.get(line.get("id").asString());
    if (session != null) {
      sessions.input(line, session);
    }
    compareState(line.get("expect"));
  }

  /** Rules that can never apply are none, as in the original. */
  private static StopRule withRepetition(StopRule rule, int[] parameters) {
    final int longest = parameters[0];
    final int shortest = Math.max(1, parameters[1]);
    return longest <= 0 || parameters[2] < 2 || shortest > longest
        ? rule
        : rule.withRepetitionRule(
            RepetitionRule.builder()
                .maxPatternTokens(longest)
                .minPatternTokens(shortest)
                .minCount(parameters[2])
                .build());
  }

  private void abort(JsonNode line) {
    for (JsonNode id : line.get("ids")) {
      final RequestView request = live.get(id.asString());
      if (request != null) {
        scheduler.finish(request, FinishReason.ABORTED, null);
      }
    }
    compareState(line.get("expect"));
  }

  private void reset(JsonNode line) {
    final ResetScope scope =
        line.get("reset_running").asBoolean() ? ResetScope.PREEMPT_RUNNING : ResetScope.IDLE_ONLY;
    final boolean done = scheduler.resetPrefixCache(scope);
    resetSinceUpdate |= done;
    compare("ok", line.get("expect").get("ok").asBoolean(), done);
    compareState(line.get("expect"));
  }

  private void resetEncoder(JsonNode line) {
    scheduler.resetEncoderCache();
    compareState(line.get("expect"));
  }

  private void pause(JsonNode line) {
    scheduler.setPauseState(PauseState.values()[line.get("state").asInt()]);
    final JsonNode expect = line.get("expect");
    compare("unfinished", expect.get("unfinished").asInt(), scheduler.inspect().unfinishedCount());
    compareState(expect);
  }

  private void draft(JsonNode line) {
    for (JsonNode pair : line.get("drafts")) {
      final RequestView request = live.get(pair.get(0).asString());
      if (request != null) {
        final int[] tokens = ints(pair.get(1));
        scheduler.proposeDrafts(request, tokens, tokens.length);
      }
    }
    if (grammar.present()) {
      final List<Object> kept = new ArrayList<>();
      for (JsonNode pair : line.get("drafts")) {
        final String id = pair.get(0).asString();
        kept.add(GoldenGrammar.kept(id, live.get(id)));
      }
      compare("kept", plain(line.get("expect").get("kept")), kept);
    }
  }

  private void draftInOutput(JsonNode line) {
    final StepPlan plan = planOf(line);
    final Map<String, Object> invalid = new LinkedHashMap<>();
    for (JsonNode pair : line.get("drafts")) {
      final String id = pair.get(0).asString();
      final RequestView request = live.get(id);
      final int[] tokens = ints(pair.get(1));
      final int padded =
          request == null ? 0 : scheduler.replaceDrafts(plan, request, tokens, tokens.length);
      if (padded > 0) {
        invalid.put(id, padded);
      }
    }
    final JsonNode expect = line.get("expect");
    compare("spec", plain(expect.get("spec")), GoldenPlan.drafts(plan));
    compare("invalid", plain(expect.get("invalid")), invalid);
  }

  private StepPlan planOf(JsonNode line) {
    final long stepId = line.get("step").asLong();
    return inFlight.stream().filter(plan -> plan.stepId() == stepId).findFirst().orElseThrow();
  }

  private void schedule(JsonNode line) {
    final JsonNode expect = line.get("expect");
    throttled = line.path("throttle").asBoolean(false);
    final StepPlan plan = scheduler.schedule();
    inFlight.addLast(plan);
    connector.planned(plan);
    compare("step", line.get("step").asLong(), plan.stepId());
    final GoldenPlan actual = new GoldenPlan(plan, setup);
    compare("tokens", plain(expect.get("tokens")), actual.tokens());
    compare("new", plain(expect.get("new")), actual.fresh());
    compare("cached", plain(expect.get("cached")), actual.cached());
    compare("total", expect.get("total").asInt(), plan.totalTokens());
    compare("spec", plain(expect.get("spec")), GoldenPlan.drafts(plan));
    compare("preempted", strings(expect.get("preempted")), preemptedIds(plan));
    compare("finished", strings(expect.get("finished")), finishedIds(plan));
    compare("common_prefix", plain(expect.get("common_prefix")), actual.commonPrefix());
    if (setup.config().speculation().numSpeculativeTokens() > 0) {
      compare("next_k", expect.get("next_k").asInt(), plan.drafts().toPropose());
    }
    if (grammar.present()) {
      compare("so", plain(expect.get("so")), GoldenGrammar.flags(plan));
    }
    compareOptional("copies", expect, actual.copies());
    if (setup.hasRecurrentGroup()) {
      compare("zero", plain(expect.get("zero")), actual.zeroed());
    }
    if (setup.config().pipeline().pipelineParallelSize() == 2) {
      compare("pp_tokens", plain(expect.get("pp_tokens")), actual.pipelineTokens());
    }
    if (!setup.isV2()) {
      compareOptional("full_tokens_for", expect, actual.fullTokensFor());
    }
    if (setup.config().encoder().isEnabled()) {
      compare("enc_inputs", plain(expect.get("enc_inputs")), GoldenEncoder.inputs(plan));
      compare("enc_freed", plain(expect.get("enc_freed")), GoldenEncoder.freed(plan));
    }
    if (connector.present()) {
      compare("kv_lookups", plain(expect.get("kv_lookups")), connector.takeLookups());
      compare("kv_allocs", plain(expect.get("kv_allocs")), connector.takeAllocations());
    }
    compareState(expect);
  }

  /** Compares a list that is left out when it is empty. */
  private void compareOptional(String field, JsonNode expect, List<?> actual) {
    final Object expected = expect.has(field) ? plain(expect.get(field)) : List.of();
    compare(field, expected, actual);
  }

  private void update(JsonNode line) {
    final JsonNode expect = line.get("expect");
    final Map<String, int[]> sampled = new HashMap<>();
    for (JsonNode pair : line.get("sampled")) {
      sampled.put(pair.get(0).asString(), ints(pair.get(1)));
    }
    final StepPlan plan = inFlight.removeFirst();
    compare("step", line.get("step").asLong(), plan.stepId());
    output.begin(plan.stepId(), plan.size());
    connector.report(line, plan, output.transfers());
    for (int i = 0; i < plan.size(); i++) {
      final int[] other = sessions.apart() ? GoldenSessions.madeUp(plan.samples(i)) : new int[0];
      for (int token : sampled.getOrDefault(plan.request(i).id(), other)) {
        output.addToken(i, token);
      }
    }
    outputs.clear();
    grammar.beginUpdate();
    scheduler.complete(plan, output);
    if (grammar.present()) {
      compareOptional("errors", expect, grammar.errors());
      compareOptional("advance", expect, grammar.advances());
    }
    if (connector.present()) {
      compareOptional("errors", expect, connector.takeErrors());
    }
    compare("outputs", plain(expect.get("outputs")), new ArrayList<Object>(outputs));
    compareComputed(expect.get("computed"));
    compareDraftStats(expect);
    if (connector.present()) {
      compare(
          "connector_stats",
          plain(expect.get("connector_stats")),
          connector.stats(scheduler.stats()));
    }
    comparePrefixStats(expect.get("prefix_stats"));
    connector.sortRemovals(line, events);
    compareState(expect);
  }

  private void compareComputed(JsonNode expect) {
    final List<Integer> computed = new ArrayList<>();
    scheduler.inspect().forEachRunning(request -> computed.add(request.computedTokens()));
    if (expect.isArray()) {
      compare("computed", plain(expect), new ArrayList<Object>(computed));
    } else {
      compare("computed.crc", expect.get("crc").asLong(), crc(computed));
    }
  }

  private void compareDraftStats(JsonNode expect) {
    final SchedulerStats now = scheduler.stats();
    if (now.drafts() == statsBefore.drafts()) {
      compare("spec_stats", false, expect.has("spec_stats"));
      return;
    }
    final int k = setup.config().speculation().numSpeculativeTokens();
    final List<Object> perPosition = new ArrayList<>();
    for (int position = 0; position < k; position++) {
      final long accepted = scheduler.inspect().acceptedDraftsAt(position);
      perPosition.add((int) (accepted - acceptedBefore[position]));
      acceptedBefore[position] = accepted;
    }
    final Map<String, Object> actual = new LinkedHashMap<>();
    actual.put("drafts", (int) (now.drafts() - statsBefore.drafts()));
    actual.put("draft_tokens", (int) (now.draftTokens() - statsBefore.draftTokens()));
    actual.put("accepted", (int) (now.acceptedDraftTokens() - statsBefore.acceptedDraftTokens()));
    actual.put("per_pos", perPosition);
    compare("spec_stats", plain(expect.get("spec_stats")), actual);
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
    scheduler.inspect().forEachRunning(request -> running.add(request.id()));
    final List<String> waiting = new ArrayList<>();
    scheduler.inspect().forEachWaiting(request -> waiting.add(request.id()));
    compare("running", plain(expect.get("running")), shortened(running));
    compare("waiting", plain(expect.get("waiting")), shortened(sessions.present(waiting)));
    final List<String> skipped = new ArrayList<>();
    scheduler.inspect().forEachPassedOver(request -> skipped.add(request.id()));
    if (grammar.present()) {
      compare("blocked", plain(expect.get("blocked")), grammar.blocked(skipped, waiting));
    }
    compare("skipped", plain(expect.get("skipped")), shortened(sessions.present(skipped)));
    if (sessions.present()) {
      compare("blocked", plain(expect.get("blocked")), sessions.blocked(skipped));
      compare("sessions", expect.get("sessions").asInt(), sessions.waiting());
      sessions.requireNoneIsLost(live.values());
    }
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
    if (setup.config().encoder().isEnabled()) {
      compare("enc", plain(expect.get("enc")), GoldenEncoder.state(scheduler));
    }
    if (connector.present()) {
      compareOptional("kv_finished", expect, connector.takeFinished());
      compare("blocked", plain(expect.get("blocked")), GoldenConnector.blocked(scheduler));
      compare("kv", plain(expect.get("kv")), connector.state(scheduler, kv));
    }
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

  private List<String> preemptedIds(StepPlan plan) {
    final List<String> ids = new ArrayList<>();
    for (int i = 0; i < plan.preempted().size(); i++) {
      ids.add(plan.preempted().id(i));
    }
    return sortedSet(ids);
  }

  private List<String> finishedIds(StepPlan plan) {
    final List<String> ids = new ArrayList<>();
    for (int i = 0; i < plan.finished().size(); i++) {
      ids.add(plan.finished().id(i));
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
    entry.add(sessions.stopReason(request.id(), null));
    final boolean first = request.outputTokens() == count && sessions.isFirstReport(request);
    entry.add(first ? prefillStats(request) : null);
    outputs.add(entry);
    grammar.advance(request.id(), tokens);
  }

  private List<Integer> prefillStats(RequestView request) {
    final List<Integer> stats = new ArrayList<>(ofCache(request));
    if (connector.present()) {
      final int external = request.externalCachedTokens();
      stats.add(request.cachedTokens() - external);
      stats.add(external);
    }
    return stats;
  }

  private static List<Integer> ofCache(RequestView request) {
    final int prompt = request.promptTokens();
    final int cached = request.cachedTokens();
    final int findable = request.sharedPrefixTokens();
    return List.of(
        prompt, prompt - cached, cached, Math.max(0, Math.min(findable, prompt) - cached));
  }

  @Override
  public void onFinished(
      RequestView request, FinishReason reason, long stopTokenId, Throwable cause, long nowNs) {
    live.remove(request.id());
    onTurnEnded(request, reason, stopTokenId, nowNs);
  }

  @Override
  public void onTurnEnded(RequestView request, FinishReason reason, long stopTokenId, long nowNs) {
    if (!outputs.isEmpty() && outputs.getLast().getFirst().equals(request.id())) {
      final boolean refused = reason == FinishReason.GRAMMAR_REFUSED;
      outputs.getLast().set(2, refused ? "error" : reason.label());
      outputs.getLast().set(3, sessions.stopReason(request.id(), stopReason(reason, stopTokenId)));
    }
  }

  private static Object stopReason(FinishReason reason, long stopTokenId) {
    if (reason == FinishReason.REPETITION) {
      return "repetition_detected";
    }
    return stopTokenId == ABSENT ? null : (Object) (int) stopTokenId;
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    grammar.onAdmitted(event);
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    grammar.onBlocked(event);
  }

  @Override
  public void onFinished(FinishedEvent event) {
    grammar.onFinished(event);
  }

  @Override
  public void onKvStored(KvBlocksStored blocks) {
    final RequestView request = blocks.request();
    final List<Object> event = new ArrayList<>();
    event.add("S");
    event.add(blocks.hasParent() ? numberOf(blocks.parentContentHash()) : null);
    final LoraAdapter adapter = request.request().lora();
    final String lora = adapter == null ? null : adapter.name();
    final String salt = request.request().cacheSalt();
    final List<Object> hashes = new ArrayList<>();
    final List<Object> extras = new ArrayList<>();
    for (int i = 0; i < blocks.count(); i++) {
      hashes.add(numberOf(blocks.contentHash(i)));
      final List<Object> extra = new ArrayList<>();
      if (lora != null) {
        extra.add(lora);
      }
      extra.addAll(GoldenEncoder.keys(blocks, i));
      if (salt != null && blocks.firstToken(i) == 0) {
        extra.add(salt);
      }
      extras.add(extra.isEmpty() ? null : extra);
    }
    final List<Object> tokens = new ArrayList<>();
    for (int i = 0; i < blocks.tokenCount(); i++) {
      tokens.add(request.tokenId(blocks.firstToken() + i));
    }
    final Object loraId = adapter == null ? null : adapter.id();
    Collections.addAll(event, hashes, tokens, blocks.blockSize(), loraId, lora, blocks.group());
    event.add(hashes.isEmpty() ? null : extras);
    events.add(event);
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    events.add(List.of("R", List.of(numberOf(event.contentHash())), event.group()));
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    events.add(List.of("C"));
  }

  private int numberOf(long contentHash) {
    return hashNumbers.computeIfAbsent(contentHash, key -> hashNumbers.size());
  }

  private void compare(String field, Object expected, Object actual) {
    if (!sessions.apart() && !Objects.equals(expected, actual)) {
      assertThat(actual)
          .as("file=%s, operation=%d, field=%s", trace.name(), operation, field)
          .isEqualTo(expected);
    }
  }

  static int[] ints(JsonNode array) {
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
