package dev.headway.report.trace;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Decision;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.RejectedRecord;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A track per request. A wait is cut where its cause changes; when that has happened {@value
 * #MOST_CUTS} times in one stay, the rest of it is one slice with the cause {@code alternating}.
 * Without that, the file of an overloaded engine would grow with waiting requests times steps.
 */
final class RequestTracks {

  private static final int MOST_CUTS = 64;
  private static final String ALTERNATING = "alternating";
  private static final Map<Phase, String> COLORS =
      Map.of(
          Phase.PREFILL, "thread_state_running",
          Phase.DECODE, "good",
          Phase.RECOMPUTE, "terrible");

  private final TraceFile file;
  private final long pid;
  private final Map<Long, Wait> waits = new HashMap<>();
  private final Set<RequestTimeline> sharing = new LinkedHashSet<>();
  private final Map<RequestTimeline, Decision.Preempted> preempted = new HashMap<>();
  private long arrows;

  RequestTracks(TraceFile file, long pid) {
    this.file = file;
    this.pid = pid;
  }

  private static final class Wait {
    private String name;
    private long sinceNs;
    private int cuts;

    Wait(String name, long sinceNs) {
      this.name = name;
      this.sinceNs = sinceNs;
    }
  }

  void queued(RequestTimeline request) {
    final String tenant =
        request.queued().tenant() == null ? "" : " (" + request.queued().tenant() + ")";
    file.name("thread_name", pid, tid(request), request.id() + tenant);
    file.order("thread_sort_index", pid, tid(request), request.number());
    if (request.queued().queuedNs() > request.queued().arrivalNs()) {
      file.slice(
          pid,
          tid(request),
          "ingress",
          "grey",
          request.queued().arrivalNs(),
          request.queued().queuedNs(),
          new TraceFile.Arguments());
    }
    waits.put(
        request.number(), new Wait(request.waits().cause().label(), request.queued().queuedNs()));
  }

  void rejected(RejectedRecord rejection) {
    file.instant(
        pid,
        0,
        "rejected: " + rejection.reason(),
        rejection.atNs(),
        new TraceFile.Arguments()
            .put("request", rejection.requestId())
            .put("tenant", rejection.tenant())
            .put("message", rejection.message()));
  }

  void causeChanged(RequestTimeline request, long nowNs) {
    final Wait wait = waits.get(request.number());
    if (wait == null) {
      return;
    }
    cut(request, wait, request.waits().cause(), nowNs);
    if (request.waits().sharesCause() && wait.cuts < MOST_CUTS) {
      sharing.add(request);
    } else {
      sharing.remove(request);
    }
  }

  void sharedCauseChanged(Cause cause, long nowNs) {
    sharing.removeIf(
        request -> {
          final Wait wait = waits.get(request.number());
          if (wait == null || !request.waits().sharesCause()) {
            return true;
          }
          cut(request, wait, cause, nowNs);
          return wait.cuts >= MOST_CUTS;
        });
  }

  void phaseChanged(RequestTimeline request, Phase left, long sinceNs, long nowNs) {
    if (left.isWaiting()) {
      final Wait wait = waits.remove(request.number());
      sharing.remove(request);
      if (wait != null) {
        slice(request, wait, nowNs);
      }
    } else {
      final TraceFile.Arguments arguments =
          new TraceFile.Arguments()
              .put("request", request.id())
              .put("prompt_tokens", request.queued().promptTokens())
              .put("output_tokens", request.outputTokens())
              .put("cached_tokens", request.firstCachedTokens())
              .put("preemptions", request.preemptions());
      if (request.finishReason() != null) {
        arguments.put("finish_reason", request.finishReason());
      }
      file.slice(pid, tid(request), left.label(), COLORS.get(left), sinceNs, nowNs, arguments);
    }
    if (request.phase().isWaiting()) {
      waits.put(request.number(), new Wait(request.waits().cause().label(), nowNs));
    } else if (request.phase() == Phase.ENDED) {
      preempted.remove(request);
    }
  }

  /** Comes after the phase has changed. */
  void preempted(Decision.Preempted preemption, long nowNs) {
    final RequestTimeline victim = preemption.request();
    final RequestTimeline beneficiary = preemption.beneficiary();
    preempted.put(victim, preemption);
    file.instant(
        pid,
        tid(victim),
        "preempted",
        nowNs,
        new TraceFile.Arguments()
            .put("cause", preemption.record().cause())
            .put("beneficiary", beneficiary == null ? null : beneficiary.id())
            .put("lost_tokens", preemption.record().lostTokens())
            .put("freed_blocks", preemption.record().freedBlocks()));
    if (beneficiary != null) {
      final long id = ++arrows;
      file.arrow(pid, tid(victim), "blocks for", "s", id, nowNs);
      file.arrow(pid, tid(beneficiary), "blocks for", "f", id, nowNs);
    }
  }

  void unfinished(RequestTimeline request, long nowNs) {
    final Wait wait = waits.remove(request.number());
    if (wait != null) {
      slice(request, wait, nowNs);
    } else {
      file.slice(
          pid,
          tid(request),
          request.phase().label(),
          COLORS.get(request.phase()),
          request.phaseSinceNs(),
          nowNs,
          new TraceFile.Arguments().put("request", request.id()).put("unfinished", "true"));
    }
  }

  private void cut(RequestTimeline request, Wait wait, Cause cause, long nowNs) {
    if (wait.cuts >= MOST_CUTS) {
      return;
    }
    if (nowNs > wait.sinceNs) {
      slice(request, wait, nowNs);
      wait.cuts++;
    }
    wait.sinceNs = nowNs;
    wait.name = wait.cuts == MOST_CUTS ? ALTERNATING : cause.label();
  }

  private void slice(RequestTimeline request, Wait wait, long nowNs) {
    final TraceFile.Arguments arguments = new TraceFile.Arguments().put("request", request.id());
    final Decision.@Nullable Preempted before = preempted.get(request);
    if (before != null) {
      final RequestTimeline beneficiary = before.beneficiary();
      arguments
          .put("preemption_cause", before.record().cause())
          .put("beneficiary", beneficiary == null ? null : beneficiary.id());
    }
    if (request.firstScheduledNs() == ABSENT) {
      arguments.put("prompt_tokens", request.queued().promptTokens());
    }
    final String color = before == null ? "thread_state_runnable" : "bad";
    file.slice(pid, tid(request), "waiting: " + wait.name, color, wait.sinceNs, nowNs, arguments);
  }

  private static long tid(RequestTimeline request) {
    return request.number() + 1;
  }
}
