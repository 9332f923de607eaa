package dev.headway.scheduler.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.RequestView;
import dev.headway.api.request.SessionInput;
import dev.headway.api.request.StopRule;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Sessions in recorded runs.
 *
 * <p>vLLM loses a session that a result stops whose turn is over, or that was preempted: it takes
 * it out of both waiting queues, where it has just put it, so that it is known, holds its blocks,
 * counts as a seat and never runs again. Headway does not imitate that. In {@code
 * streaming_session-08}, the only recording where it happens, the first loss is that of r27 in
 * operation 299. That operation is compared too, with the lost session left out of Headway's queues
 * and out of the number of sessions that wait. From there on Headway schedules a session that vLLM
 * does not, so nothing recorded can be expected: the other operations are performed with the
 * recorded inputs, and tokens of requests that only Headway schedules are made up; what is required
 * of Headway is that each request is in one of its queues until it has ended.
 */
final class GoldenSessions {

  private static final int MADE_UP_TOKEN = 7;

  private final ContinuousBatchingScheduler scheduler;
  private final boolean present;
  private final Set<String> reported = new HashSet<>();
  private final Map<String, Object> stopReasons = new HashMap<>();
  private Set<String> lost = Set.of();
  private boolean apart;

  GoldenSessions(GoldenTrace trace, ContinuousBatchingScheduler scheduler) {
    this.scheduler = scheduler;
    present = trace.config().path("sessions").asBoolean(false);
  }

  boolean present() {
    return present;
  }

  /** An operation begins: after one that has lost a session, Headway goes its own way. */
  void begin(JsonNode line) {
    apart |= !lost.isEmpty();
    lost = new HashSet<>();
    line.path("expect").path("lost").forEach(id -> lost.add(id.asString()));
  }

  /** Whether nothing recorded can be expected any more. */
  boolean apart() {
    return apart;
  }

  /** Whether the first output of a request, which alone says what was computed for it. */
  boolean isFirstReport(RequestView request) {
    return reported.add(request.id());
  }

  /**
   * What vLLM's outputs name as the cause of a stop: once a stop token has ended a turn, all later
   * outputs of the session.
   */
  Object stopReason(String id, Object ofThisStop) {
    if (ofThisStop != null) {
      stopReasons.put(id, ofThisStop);
    }
    return stopReasons.get(id);
  }

  /** Further input of a session, or the end of it. */
  void input(JsonNode line, RequestView session) {
    if (line.get("close").asBoolean()) {
      scheduler.endInput(session);
      return;
    }
    StopRule rule = StopRule.maxTokens(line.get("max_tokens").asInt());
    if (!line.get("eos").isNull()) {
      rule = rule.withEosTokenId(line.get("eos").asInt());
    }
    final long arrivalNs = Math.round(line.get("arrival").asDouble() * 1e9);
    final SessionInput input =
        SessionInput.of(rule, GoldenReplay.ints(line.get("prompt")))
            .withItems(GoldenEncoder.items(line));
    scheduler.append(session, input, arrivalNs);
  }

  /** Without those that vLLM has just lost. */
  List<String> present(List<String> ids) {
    return ids.stream().filter(id -> !lost.contains(id)).toList();
  }

  /** The sessions that wait for input, in the order of {@code skipped}. */
  List<Object> blocked(List<String> skipped) {
    final Set<String> idle = new HashSet<>();
    scheduler.inspect().forEachIdleSession(request -> idle.add(request.id()));
    final List<Object> blocked = new ArrayList<>();
    for (String id : present(skipped)) {
      if (idle.contains(id)) {
        blocked.add(List.of(id, "stream"));
      }
    }
    return blocked;
  }

  /** How many sessions wait for input, those that vLLM has just lost not counted. */
  int waiting() {
    final List<String> idle = new ArrayList<>();
    scheduler.inspect().forEachIdleSession(request -> idle.add(request.id()));
    return present(idle).size();
  }

  /** Requires that each request that has not ended is in one queue. */
  void requireNoneIsLost(Collection<RequestView> live) {
    final List<String> queued = new ArrayList<>();
    scheduler.inspect().forEachRunning(request -> queued.add(request.id()));
    scheduler.inspect().forEachWaiting(request -> queued.add(request.id()));
    scheduler.inspect().forEachPassedOver(request -> queued.add(request.id()));
    assertThat(queued)
        .containsExactlyInAnyOrderElementsOf(live.stream().map(RequestView::id).toList());
  }

  /** A token for a request that only Headway schedules. */
  static int[] madeUp(boolean samples) {
    return samples ? new int[] {MADE_UP_TOKEN} : new int[0];
  }
}
