package dev.headway.scheduler.golden;

import dev.headway.api.config.KvLoadFailurePolicy;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TransferReport;
import dev.headway.kvcache.PooledKvCache;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.core.KvExchanges;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The KV connector of recorded runs: its answers are in the run. */
final class GoldenConnector implements KvConnector {

  private final @Nullable KvRole role;
  private final int[] blockSizes;
  private final boolean defersFrees;
  private final Map<String, Given> given = new HashMap<>();
  private final Map<String, Long> numbers = new HashMap<>();
  private final Set<Long> loads = new HashSet<>();
  private final List<Object> lookups = new ArrayList<>();
  private final List<Object> allocations = new ArrayList<>();
  private final List<Object> finished = new ArrayList<>();
  private final List<String> errors = new ArrayList<>();
  private final List<Long> stepsWithEntries = new ArrayList<>();
  private long answered;
  private SchedulerStats before = SchedulerStats.builder().build();

  GoldenConnector(GoldenTrace trace, GoldenSetup setup) {
    final JsonNode connector = trace.config().path("connector");
    role =
        connector.hasNonNull("role")
            ? KvRole.valueOf(connector.get("role").asString().substring(3).toUpperCase())
            : null;
    defersFrees = trace.config().path("defer_block_free").asBoolean(false);
    blockSizes = setup.shape().groups().stream().mapToInt(group -> group.blockSize()).toArray();
  }

  /** What becomes of failed loads. */
  static KvLoadFailurePolicy policy(JsonNode config) {
    return config.path("connector").path("load_failure_policy").asString("recompute").equals("fail")
        ? KvLoadFailurePolicy.FAIL
        : KvLoadFailurePolicy.RECOMPUTE;
  }

  boolean present() {
    return role != null;
  }

  /** The connector, if the run has one. */
  @Nullable KvConnector orNull() {
    return present() ? this : null;
  }

  void added(JsonNode line, RequestView request) {
    numbers.put(request.id(), request.number());
    if (line.hasNonNull("kv")) {
      final JsonNode kv = line.get("kv");
      final Given answers = new Given();
      answers.tokens = kv.get("ext").asInt();
      answers.ahead = kv.get("async").asBoolean();
      answers.defer = kv.get("defer").asInt();
      answers.again = kv.get("again").asBoolean();
      answers.delay = kv.get("delay").asString();
      given.put(request.id(), answers);
    }
  }

  @Override
  public KvRole role() {
    return role;
  }

  @Override
  public void lookup(RequestView request, int localTokens, ExternalTokens answer) {
    final Given answers = given.get(request.id());
    if (answers != null) {
      answers.answer(request, localTokens, answer);
    }
    final boolean undecided = answer.kind() == ExternalTokens.Kind.UNDECIDED;
    final List<Object> lookup = new ArrayList<>();
    Collections.addAll(
        lookup,
        request.id(),
        localTokens,
        undecided ? null : (Object) answer.tokens(),
        answer.kind() == ExternalTokens.Kind.AHEAD);
    lookups.add(lookup);
  }

  @Override
  public void admitted(RequestView request, KvSequence blocks, int externalTokens) {
    allocations.add(List.of(request.id(), externalTokens, blockIds(blocks, Integer.MAX_VALUE / 2)));
    final Given answers = given.get(request.id());
    if (externalTokens > 0) {
      answers.loaded = true;
      if (answers.ahead) {
        loads.add(request.number());
      }
    }
  }

  @Override
  public void planned(StepPlan plan) {
    if (defersFrees && plan.size() > 0) {
      stepsWithEntries.add(plan.stepId());
    }
  }

  @Override
  public BlockRelease requestFinished(
      RequestView request, KvSequence blocks, int computedTokens, FinishReason reason) {
    final List<Object> ids = blockIds(blocks, computedTokens);
    final Given answers = given.get(request.id());
    final boolean hasBlocks = ids.stream().anyMatch(group -> !((List<?>) group).isEmpty());
    final boolean stopped = reason == FinishReason.STOP || reason == FinishReason.LENGTH;
    final boolean delays =
        answers != null
            && !loads.contains(request.number())
            && hasBlocks
            && (answers.delay.equals("always") || (answers.delay.equals("finish") && stopped));
    finished.add(List.of(request.id(), ids, delays));
    if (reason == FinishReason.KV_LOAD_FAILED) {
      errors.add(request.id());
    }
    return delays ? BlockRelease.WHEN_SENT : BlockRelease.NOW;
  }

  private List<Object> blockIds(KvSequence blocks, int tokens) {
    final List<Object> groups = new ArrayList<>();
    for (int group = 0; group < blocks.groupCount(); group++) {
      final int most = (tokens + blockSizes[group] - 1) / blockSizes[group];
      final List<Object> ids = new ArrayList<>();
      for (int i = 0; i < Math.min(most, blocks.blockCount(group)); i++) {
        ids.add(blocks.blockId(group, i));
      }
      groups.add(ids);
    }
    return groups;
  }

  /** What an update says of transfers. */
  void report(JsonNode line, StepPlan plan, TransferReport report) {
    if (!present()) {
      return;
    }
    if (defersFrees && plan.size() > 0) {
      answered++;
    }
    line.get("invalid").forEach(block -> report.invalid(block.asInt()));
    line.get("recv").forEach(id -> report.received(numbers.get(id.asString())));
    line.get("sent").forEach(id -> report.sent(numbers.get(id.asString())));
    line.get("recv").forEach(id -> loads.remove(numbers.get(id.asString())));
  }

  /** Recorded calls since the last time, in their order. */
  List<Object> takeLookups() {
    return taken(lookups);
  }

  List<Object> takeAllocations() {
    return taken(allocations);
  }

  List<Object> takeFinished() {
    return taken(finished);
  }

  List<Object> takeErrors() {
    Collections.sort(errors);
    final List<Object> all = new ArrayList<>(errors);
    errors.clear();
    return all;
  }

  private static List<Object> taken(List<Object> calls) {
    final List<Object> all = new ArrayList<>(calls);
    calls.clear();
    return all;
  }

  /** {@code connector_stats} since the last time. */
  Map<String, Object> stats(SchedulerStats now) {
    final Map<String, Object> stats = new LinkedHashMap<>();
    stats.put("reset", false);
    stats.put("requests", (int) (now.externalLookups() - before.externalLookups()));
    stats.put("queries", (int) (now.externalQueriedTokens() - before.externalQueriedTokens()));
    stats.put("hits", (int) (now.externalHitTokens() - before.externalHitTokens()));
    stats.put(
        "preempted_requests",
        (int) (now.resumedExternalLookups() - before.resumedExternalLookups()));
    stats.put(
        "preempted_queries",
        (int) (now.resumedExternalQueriedTokens() - before.resumedExternalQueriedTokens()));
    stats.put(
        "preempted_hits",
        (int) (now.resumedExternalHitTokens() - before.resumedExternalHitTokens()));
    before = now;
    return stats;
  }

  /** Removals of an update with failed loads are recorded in no order, and sorted. */
  void sortRemovals(JsonNode line, List<Object> events) {
    if (line.path("invalid").isEmpty()) {
      return;
    }
    final List<Object> removals = new ArrayList<>();
    final List<Integer> places = new ArrayList<>();
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i) instanceof List<?> event && event.getFirst().equals("R")) {
        removals.add(event);
        places.add(i);
      }
    }
    removals.sort(Comparator.comparing(event -> (Integer) hashOf(event)));
    for (int i = 0; i < places.size(); i++) {
      events.set(places.get(i), removals.get(i));
    }
  }

  private static Object hashOf(Object removal) {
    return ((List<?>) ((List<?>) removal).get(1)).getFirst();
  }

  /** {@code kv} of a state. */
  Map<String, Object> state(ContinuousBatchingScheduler scheduler, PooledKvCache kv) {
    final KvExchanges exchange = KvExchanges.of(scheduler);
    final Map<String, Object> state = new LinkedHashMap<>();
    state.put("held", exchange.kept());
    state.put("recvd", exchange.received());
    state.put("failed", exchange.failed());
    state.put("prefilling", exchange.prefilling());
    final List<Object> deferred = new ArrayList<>();
    for (long[] run : kv.quarantineInOrder()) {
      deferred.add(List.of(stepsWithEntries.indexOf(run[0]) + 1, (int) run[1]));
    }
    state.put("deferred", deferred);
    state.put("seq", List.of(stepsWithEntries.size(), (int) answered));
    return state;
  }

  /** The requests that wait for a load, in the order of {@code skipped}. */
  static List<Object> blocked(ContinuousBatchingScheduler scheduler) {
    final List<Object> blocked = new ArrayList<>();
    scheduler
        .inspect()
        .forEachPassedOver(
            request -> {
              if (KvExchanges.isLoading(request)) {
                blocked.add(List.of(request.id(), "remote"));
              }
            });
    return blocked;
  }

  /** The recorded answers about a request. */
  private static final class Given {
    private int tokens;
    private boolean ahead;
    private int defer;
    private boolean again;
    private String delay = "no";
    private boolean loaded;

    void answer(RequestView request, int localTokens, ExternalTokens answer) {
      if (defer > 0) {
        defer--;
        answer.askAgain();
        return;
      }
      final int most = request.knownTokens() - (ahead ? 0 : 1);
      final int count = Math.min(tokens, most) - localTokens;
      if (count <= 0 || (loaded && !again)) {
        answer.none();
      } else if (ahead) {
        answer.ahead(count);
      } else {
        answer.inStep(count);
      }
    }
  }
}
