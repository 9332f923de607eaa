package dev.headway.probes.otel.span;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.otel.export.SpanSink;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The spans of a run: what happens to its live requests waits here for their end. One thread;
 * memory grows with live requests and is bounded in events: {@link SpanOptions#maxBufferedEvents}.
 */
final class RunSpans implements RunListener {

  private final RunTimeline run;
  private final RunContext context;
  private final SpanOptions options;
  private final SpanTally tally;
  private final TraceEmitter emitter;
  private final ApiJourneys journeys;
  private final StepSpans steps;
  private final Map<Long, RequestTrace> live = new LinkedHashMap<>();
  private int bufferedEvents;
  private String overBecause = "records_missing";

  RunSpans(RunTimeline run, SpanOptions options, SpanSink sink, SpanTally tally) {
    this.run = run;
    this.context = new RunContext(run, options);
    this.options = options;
    this.tally = tally;
    this.emitter = new TraceEmitter(options.sampling(), new RequestSpans(context), sink, tally);
    this.journeys = new ApiJourneys(context, options, tally, this::journeyEnded);
    this.steps = new StepSpans(context, options, sink, tally);
    run.believePlans();
  }

  @Override
  public void onQueued(RequestTimeline request) {
    final QueuedRecord queued = request.queued();
    final RequestTrace trace = trace(queued, request);
    live.put(request.number(), trace);
    record(trace, SpanNames.QUEUED, queued.queuedNs(), run.latestStep(), null);
    if (run.droppedRecords() > 0 && live.size() > options.maxOpenJourneys()) {
      endUnfinished(live.values().iterator().next(), "too_many_open", queued.queuedNs());
    }
  }

  @Override
  public void onRejected(RejectedRecord rejected) {
    final QueuedRecord request =
        new QueuedRecord(
            -1,
            rejected.requestId(),
            rejected.atNs(),
            rejected.atNs(),
            rejected.promptTokens(),
            rejected.maxTokens(),
            0,
            rejected.priority(),
            rejected.tenant(),
            ABSENT,
            ABSENT,
            null,
            null);
    final RequestTrace trace = trace(request, null);
    final CoreEvent.Detail detail = new CoreEvent.Rejected(rejected);
    end(trace, trace.event(SpanNames.REJECTED, rejected.atNs(), run.latestStep(), detail));
  }

  @Override
  public void onDecision(Decision decision, long atNs, long stepId) {
    final RequestTrace trace = find(decision.request());
    if (trace == null) {
      return;
    }
    switch (decision) {
      case Decision.Admitted admitted ->
          record(
              trace, SpanNames.SCHEDULED, atNs, stepId, new CoreEvent.Scheduled(admitted.record()));
      case Decision.Blocked blocked ->
          record(
              trace,
              SpanNames.BLOCKED,
              atNs,
              stepId,
              new CoreEvent.Blocked(blocked.record(), idOf(blocked.blocker())));
      case Decision.Unblocked unblocked -> record(trace, SpanNames.UNBLOCKED, atNs, stepId, null);
      case Decision.Preempted preempted ->
          record(
              trace,
              SpanNames.PREEMPTED,
              atNs,
              stepId,
              new CoreEvent.Preempted(preempted.record(), idOf(preempted.beneficiary())));
      default -> {} // not of one request, or nothing that happens to it
    }
  }

  @Override
  public void onAdmitted(RequestTimeline request, int cachedTokens, long nowNs) {
    final RequestTrace trace = find(request);
    if (trace != null) {
      trace.admitted();
    }
  }

  @Override
  public void onPlanned(StepTimeline step) {
    steps.onPlanned(step);
    final StepEntries entries = step.entries();
    for (int entry = 0; entry < entries.size(); entry++) {
      final RequestTimeline request = entries.request(entry);
      final RequestTrace trace = find(request);
      final int from = entries.computedTokens(entry);
      if (request != null
          && trace != null
          && from < trace.promptTokens()
          && (!request.latestSamples() || trace.chunks() > 0)) {
        record(
            trace,
            SpanNames.CHUNK_SCHEDULED,
            step.plan().endNs(),
            step.plan().stepId(),
            new CoreEvent.Chunk(trace.nextChunk(), from, entries.scheduledTokens(entry)));
      }
    }
  }

  @Override
  public void onStep(StepTimeline step) {
    steps.onStep(step);
  }

  @Override
  public void onLost(StepTimeline step) {
    steps.onLost(step);
  }

  @Override
  public void onFirstToken(RequestTimeline request, FirstTokenRecord firstToken) {
    final RequestTrace trace = find(request);
    if (trace != null) {
      record(trace, SpanNames.FIRST_TOKEN, firstToken.atNs(), firstToken.stepId(), null);
    }
  }

  @Override
  public void onFinished(RequestTimeline request, FinishedRecord finished) {
    steps.finishedOne();
    final RequestTrace trace = live.remove(request.number());
    if (trace != null) {
      final CoreEvent.Detail detail = new CoreEvent.Finished(finished);
      end(trace, trace.event(SpanNames.FINISHED, finished.atNs(), finished.stepId(), detail));
    }
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    final RequestTrace trace = find(request);
    if (trace != null) {
      endUnfinished(trace, overBecause, nowNs);
    }
  }

  @Override
  public void onJourney(JourneyRecord journey) {
    journeys.stage(
        journey.requestId(),
        new ApiJourney.Stage(
            journey.stage().toLowerCase(Locale.ROOT),
            journey.atNs(),
            journey.reason(),
            journey.error()));
  }

  @Override
  public void onUnknownRequest() {
    tally.unknownRequests.increment();
  }

  @Override
  public void onDropped(long records) {
    tally.missedRecords.add(records);
  }

  /** No more records of this run: every span ends. */
  @Override
  public void onRunEnded(long nowNs) {
    isOver("run_ended");
    for (RequestTrace trace : List.copyOf(live.values())) {
      endUnfinished(trace, overBecause, nowNs);
    }
    onRunConcluded(nowNs, true);
  }

  @Override
  public void onRunConcluded(long lastNs, boolean cleanly) {
    journeys.endRun(overBecause, lastNs);
    steps.endRun();
  }

  /** Why requests that are still alive are unfinished. */
  void isOver(String reason) {
    overBecause = reason;
  }

  /** Events that wait for the end of their request. */
  int bufferedEvents() {
    return bufferedEvents;
  }

  private @Nullable RequestTrace find(@Nullable RequestTimeline request) {
    return request == null ? null : live.get(request.number());
  }

  private static @Nullable String idOf(@Nullable RequestTimeline request) {
    return request == null ? null : request.id();
  }

  private void endUnfinished(RequestTrace trace, String reason, long nowNs) {
    live.remove(trace.request().requestNumber());
    tally.unfinished.increment();
    final long atNs = Math.max(nowNs, trace.request().queuedNs());
    final CoreEvent.Detail detail = new CoreEvent.Unfinished(reason);
    end(trace, trace.event(SpanNames.UNFINISHED, atNs, run.latestStep(), detail));
  }

  private RequestTrace trace(QueuedRecord request, @Nullable RequestTimeline timeline) {
    final TraceParent caller = TraceParent.parse(request.traceParent());
    final ApiJourney journey = journeys.openWithoutCore(request.requestId());
    final RequestTrace trace =
        new RequestTrace(
            request,
            timeline,
            context.nextIds(request.requestId()),
            caller,
            options.sampling().choosesJourney(request.requestId(), caller));
    if (journey != null) {
      journey.attach(trace);
      trace.attach(journey);
    }
    return trace;
  }

  private void record(
      RequestTrace trace, String type, long atNs, long stepId, CoreEvent.@Nullable Detail detail) {
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
    trace.add(trace.event(type, atNs, stepId, detail));
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
