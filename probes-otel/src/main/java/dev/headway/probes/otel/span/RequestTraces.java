package dev.headway.probes.otel.span;

import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.QueuedRecord;
import dev.headway.probes.otel.run.FinishWords;
import dev.headway.probes.otel.run.StepFrame;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The live requests of a run and what happened to them. One thread; memory grows with live requests
 * and is bounded in events: {@link SpanOptions#maxBufferedEvents}.
 */
final class RequestTraces {

  private final RunContext run;
  private final SpanOptions options;
  private final SpanTally tally;
  private final TraceEmitter emitter;
  private final ApiJourneys journeys;
  private final Map<Long, RequestTrace> live = new LinkedHashMap<>();
  private int bufferedEvents;
  private boolean missedRecords;

  RequestTraces(RunContext run, SpanOptions options, SpanTally tally, TraceEmitter emitter) {
    this.run = run;
    this.options = options;
    this.tally = tally;
    this.emitter = emitter;
    this.journeys = new ApiJourneys(run, options, tally, this::journeyEnded);
  }

  void queued(QueuedRecord request, long latestStep) {
    final RequestTrace trace = trace(request);
    live.put(request.requestNumber(), trace);
    record(trace, trace.event(SpanNames.QUEUED, request.queuedNs(), latestStep, null));
    if (missedRecords && live.size() > options.maxOpenJourneys()) {
      final RequestTrace oldest = live.values().iterator().next();
      live.remove(oldest.request().requestNumber());
      endUnfinished(oldest, "too_many_open", request.queuedNs(), latestStep);
    }
  }

  void rejected(QueuedRecord request, String reason, String message, long latestStep) {
    final RequestTrace trace = trace(request);
    trace.failed();
    end(
        trace,
        trace.event(
            SpanNames.REJECTED,
            request.arrivalNs(),
            latestStep,
            new CoreEvent.Rejected(reason, message)));
  }

  void admitted(RequestTrace trace, long atNs, long stepId, AdmittedRecord admitted) {
    trace.admitted(admitted.cachedTokens(), run.blockSize());
    final CoreEvent.Detail detail =
        new CoreEvent.Scheduled(
            admitted.kind(),
            admitted.cachedTokens(),
            admitted.hostCachedTokens(),
            admitted.evictedTokens());
    record(trace, trace.event(SpanNames.SCHEDULED, atNs, stepId, detail));
  }

  void blocked(RequestTrace trace, long atNs, long stepId, CoreEvent.Blocked detail) {
    record(trace, trace.event(SpanNames.BLOCKED, atNs, stepId, detail));
  }

  void unblocked(RequestTrace trace, long atNs, long stepId) {
    record(trace, trace.event(SpanNames.UNBLOCKED, atNs, stepId, null));
  }

  void preempted(RequestTrace trace, long atNs, long stepId, CoreEvent.Preempted detail) {
    trace.preempted();
    record(trace, trace.event(SpanNames.PREEMPTED, atNs, stepId, detail));
  }

  /** Records are missing: from here on requests may end unheard. */
  void missedRecords() {
    missedRecords = true;
  }

  /** Takes the entries of a plan whose decisions have taken effect. */
  void planned(PlannedStep step) {
    if (missedRecords && step.runningCount() + step.waitingCount() == 0) {
      endLive("records_missing", step.endNs(), step.stepId());
    }
    final int entries = step.hasEntries() ? step.batchSize() : 0;
    for (int entry = 0; entry < entries; entry++) {
      final RequestTrace trace = find(step.number(entry));
      if (trace == null) {
        continue;
      }
      final int from = step.computedTokens(entry);
      final int tokens = step.scheduledTokens(entry);
      trace.progress().scheduled(from, tokens, step.blockCount(entry));
      final boolean isPrompt = from < trace.promptTokens();
      if (isPrompt && (!step.samples(entry) || trace.chunks() > 0)) {
        final CoreEvent.Detail chunk = new CoreEvent.Chunk(trace.nextChunk(), from, tokens);
        record(trace, trace.event(SpanNames.CHUNK_SCHEDULED, step.endNs(), step.stepId(), chunk));
      }
    }
  }

  void firstToken(RequestTrace trace, long stepId, long nowNs) {
    trace.firstToken(nowNs);
    record(trace, trace.event(SpanNames.FIRST_TOKEN, nowNs, stepId, null));
  }

  void stored(long number, int blocks) {
    final RequestTrace trace = live.get(number);
    if (trace != null) {
      trace.progress().stored(blocks);
    }
  }

  void completed(StepFrame frame, CompletedStep step) {
    final int entries = step.hasEntries() ? frame.entries() : 0;
    for (int entry = 0; entry < entries; entry++) {
      final RequestTrace trace = live.get(frame.number(entry)); // those that ended are gone
      if (trace != null) {
        trace.progress().produced(step.producedTokens(entry), step.outputNs());
      }
    }
  }

  void finished(RequestTrace trace, FinishedRecord finished) {
    live.remove(finished.requestNumber());
    trace.checkTargetAtEnd(finished.atNs());
    if (FinishWords.isError(finished.reason())) {
      trace.failed();
    }
    final CoreEvent.Detail detail =
        new CoreEvent.Finished(
            finished.reason(), finished.cause(), finished.stopTokenId(), finished.freedBlocks());
    final CoreEvent event =
        trace.event(SpanNames.FINISHED, finished.atNs(), finished.stepId(), detail);
    end(
        trace,
        finished.outputTokens() >= 0
            ? event.withOutputTokens((int) finished.outputTokens())
            : event);
  }

  /** The server saw a stage. */
  void journey(String requestId, ApiJourney.Stage stage) {
    journeys.stage(requestId, stage);
  }

  /** No more records of this run: every span ends. */
  void endRun(String reason, long nowNs, long latestStep) {
    endLive(reason, nowNs, latestStep);
    journeys.endRun(reason, nowNs);
  }

  /** Returns a live request; null, and counted, if there is none of that number. */
  @Nullable RequestTrace find(long number) {
    final RequestTrace trace = live.get(number);
    if (trace == null) {
      tally.unknownRequests.increment();
    }
    return trace;
  }

  /** Returns the id of a live request, or null for nobody and for one who is gone. */
  @Nullable String idOf(long number) {
    final RequestTrace trace = number < 0 ? null : live.get(number);
    return trace == null ? null : trace.request().requestId();
  }

  /** Requests that have a seat, in the order of their arrival. */
  Collection<RequestTrace> running() {
    final List<RequestTrace> running = new ArrayList<>();
    for (RequestTrace trace : live.values()) {
      if (trace.isRunning()) {
        running.add(trace);
      }
    }
    return running;
  }

  /** Events that wait for the end of their request. */
  int bufferedEvents() {
    return bufferedEvents;
  }

  private void endLive(String reason, long nowNs, long latestStep) {
    for (RequestTrace trace : List.copyOf(live.values())) {
      endUnfinished(trace, reason, nowNs, latestStep);
    }
    live.clear();
  }

  private void endUnfinished(RequestTrace trace, String reason, long nowNs, long latestStep) {
    tally.unfinished.increment();
    final long atNs = Math.max(nowNs, trace.request().queuedNs());
    final CoreEvent.Detail detail = new CoreEvent.Unfinished(reason);
    end(trace, trace.event(SpanNames.UNFINISHED, atNs, latestStep, detail));
  }

  private RequestTrace trace(QueuedRecord request) {
    final TraceParent caller = TraceParent.parse(request.traceParent());
    final ApiJourney journey = journeys.openWithoutCore(request.requestId());
    final RequestTrace trace =
        new RequestTrace(
            request,
            run.nextIds(request.requestId()),
            caller,
            options.sampling().choosesJourney(request.requestId(), caller));
    if (journey != null) {
      journey.attach(trace);
      trace.attach(journey);
    }
    return trace;
  }

  private void record(RequestTrace trace, CoreEvent event) {
    if (!trace.isChosen() && options.sampling().tail().isEmpty()) {
      return; // nothing that happens can change that
    }
    if (bufferedEvents >= options.maxBufferedEvents()
        || trace.events().size() >= options.maxEventsPerSpan() - 1) { // one more ends it
      trace.dropEvent();
      tally.droppedEvents.increment();
      return;
    }
    bufferedEvents++;
    trace.add(event);
  }

  private void end(RequestTrace trace, CoreEvent event) {
    trace.end(event);
    final ApiJourney journey = trace.journey();
    if (journey == null || journey.isEnded()) {
      emit(trace, journey);
    }
  }

  private void journeyEnded(ApiJourney journey) {
    final RequestTrace core = journey.core();
    if (core == null || core.isEnded()) {
      emit(core, journey);
    }
  }

  private void emit(@Nullable RequestTrace core, @Nullable ApiJourney journey) {
    emitter.emit(core, journey);
    bufferedEvents -= core == null ? 0 : core.events().size();
  }
}
