package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.text.JsonText;
import dev.headway.probes.csv.table.CsvFile;
import org.jspecify.annotations.Nullable;

/** Moves requests from state to state and writes down every move. */
final class RequestLife {

  static final String CACHE_RESET = "cache_reset";

  private final Run run;
  private final WaitReasons reasons;
  private final EventLog events;
  private final CsvFile<TransitionRow> transitions;
  private final Anomalies anomalies;
  private final JsonText json = new JsonText();

  RequestLife(
      Run run,
      WaitReasons reasons,
      EventLog events,
      CsvFile<TransitionRow> transitions,
      Anomalies anomalies) {
    this.run = run;
    this.reasons = reasons;
    this.events = events;
    this.transitions = transitions;
    this.anomalies = anomalies;
  }

  /** A request entered the queue. */
  void queue(RequestTimeline request) {
    final RequestIdentity identity = request.identity();
    run.waiting().queue(request);
    arrived(identity);
    events.add(
        identity.queuedNs(),
        "request_queued",
        identity,
        ABSENT,
        json.begin().put("ingress_ns", identity.queuedNs() - identity.arrivalNs()).end());
    transition(request, null, identity.queuedNs(), "queued", 0, ABSENT);
  }

  /** A request came, whatever became of it. */
  void arrived(RequestIdentity identity) {
    final String details =
        json.begin()
            .put("prompt_tokens", identity.promptTokens())
            .put("max_tokens", identity.maxTokens())
            .put("min_tokens", identity.minTokens())
            .put("priority", identity.priority())
            .put("tenant", identity.tenant())
            .end();
    events.add(identity.arrivalNs(), "request_arrived", identity, ABSENT, details);
  }

  /** Carries out a decision that takes effect at {@code nowNs}. */
  void apply(Decision decision, long nowNs, long iteration) {
    switch (decision) {
      case Decision.Admit admit -> admit(admit, nowNs, iteration);
      case Decision.Preempt preempt -> preempt(preempt, nowNs, iteration);
      case Decision.Block block -> block(block, nowNs, iteration);
      case Decision.Unblock unblock -> {
        unblock.request().clearOwnReason();
        event(unblock.request(), "request_unblocked", nowNs, iteration, null);
      }
      case Decision.Close close -> {
        run.closeAdmissions(close.reason(), close.blocker());
        final String details =
            json.begin()
                .put("reason", close.reason().label())
                .put("blocker", id(close.blocker()))
                .end();
        events.add(nowNs, "admissions_closed", null, iteration, details);
      }
      case Decision.Note note -> {
        run.changes().removedBlocks(note.removedBlocks());
        final RequestTimeline request = note.request();
        final RequestIdentity identity = request == null ? null : request.identity();
        events.add(nowNs, note.type(), identity, iteration, note.details());
      }
    }
  }

  /** A request ended. The file of events hears of it once its last tokens are known. */
  void end(RequestTimeline request, long nowNs, long iteration, String reason) {
    final RequestState from = request.state();
    if (from == RequestState.RUNNING) {
      run.running().remove(request);
    } else {
      run.waiting().remove(request);
    }
    transition(request, from, nowNs, reason, request.end(nowNs), iteration);
  }

  /** The blocks of a request are free. */
  void freed(RequestTimeline request, int blocks, long nowNs, long iteration) {
    if (blocks > 0) {
      final String details = json.begin().put("blocks", blocks).end();
      event(request, "kv_cache_freed", nowNs, iteration, details);
    }
  }

  private void admit(Decision.Admit admit, long nowNs, long iteration) {
    final RequestTimeline request = admit.request();
    final AdmittedRecord admitted = admit.admitted();
    final RequestState from = request.state();
    if (from == RequestState.RUNNING || from == RequestState.COMPLETED) {
      anomalies.inconsistent(request);
      return;
    }
    run.waiting().remove(request);
    run.running().addLast(request);
    run.changes().admitted(request.identity().id());
    final long durationNs =
        request.admit(
            nowNs, admitted.cachedTokens(), admitted.hostCachedTokens(), admitted.evictedTokens());
    transition(request, from, nowNs, admitted.kind(), durationNs, iteration);
    final String details =
        json.begin()
            .put("kind", admitted.kind())
            .put("waited_ns", durationNs)
            .put("cached_tokens", admitted.cachedTokens())
            .put("host_cached_tokens", admitted.hostCachedTokens())
            .put("evicted_tokens", admitted.evictedTokens())
            .end();
    event(request, "request_admitted", nowNs, iteration, details);
    if (admitted.evictedTokens() > 0) {
      evict(request, "blocks_reused", admitted.evictedTokens(), nowNs, iteration);
    }
  }

  private void preempt(Decision.Preempt preempt, long nowNs, long iteration) {
    final RequestTimeline request = preempt.request();
    if (request.state() != RequestState.RUNNING) {
      anomalies.inconsistent(request);
      return;
    }
    final boolean reset = preempt.cause().equals(CACHE_RESET);
    run.running().remove(request);
    final Reason reason = reset ? reasons.evicted : reasons.preempted;
    final long durationNs = request.preempt(nowNs, reason, preempt.lostTokens());
    run.waiting().putBack(request);
    run.changes().preempted(request.identity().id());
    transition(request, RequestState.RUNNING, nowNs, preempt.cause(), durationNs, iteration);
    final String details =
        json.begin()
            .put("cause", preempt.cause())
            .put("beneficiary", id(preempt.beneficiary()))
            .put("lost_tokens", preempt.lostTokens())
            .put("freed_blocks", preempt.freedBlocks())
            .end();
    event(request, "request_preempted", nowNs, iteration, details);
    freed(request, preempt.freedBlocks(), nowNs, iteration);
    if (reset) {
      evict(request, CACHE_RESET, preempt.lostTokens(), nowNs, iteration);
    }
  }

  private void block(Decision.Block block, long nowNs, long iteration) {
    block.request().block(block.reason(), block.blocker());
    final String details =
        json.begin()
            .put("reason", block.reason().label())
            .put("blocker", id(block.blocker()))
            .put("needed", block.needed())
            .put("free", block.free())
            .end();
    event(block.request(), "request_blocked", nowNs, iteration, details);
  }

  private void evict(
      RequestTimeline request, String cause, int lostTokens, long nowNs, long iteration) {
    if (request.evict()) {
      run.changes().evictedRequest();
      final String details =
          json.begin().put("cause", cause).put("evicted_tokens", lostTokens).end();
      event(request, "request_evicted", nowNs, iteration, details);
    }
  }

  private static @Nullable String id(@Nullable RequestIdentity identity) {
    return identity == null ? null : identity.id();
  }

  private void event(
      RequestTimeline request, String type, long nowNs, long iteration, @Nullable String details) {
    events.add(nowNs, type, request.identity(), iteration, details);
  }

  private void transition(
      RequestTimeline request,
      @Nullable RequestState from,
      long nowNs,
      String reason,
      long durationNs,
      long iteration) {
    transitions.write(
        new TransitionRow(
            run.index(),
            nowNs,
            request.identity(),
            from,
            request.state(),
            reason,
            iteration,
            from == null ? ABSENT : durationNs));
  }
}
