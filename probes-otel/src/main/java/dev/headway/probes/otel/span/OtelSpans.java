package dev.headway.probes.otel.span;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.live.RecordConsumer;
import dev.headway.events.model.DecisionQueue;
import dev.headway.probes.otel.export.SpanSink;
import dev.headway.probes.otel.run.StepFrames;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Makes OpenTelemetry spans of records: one per sampled request, its parent if the server reports
 * journeys, and one per {@link SpanOptions#closureInterval} steps.
 *
 * <p>One thread at a time, never the engine's; {@link #counts} may be asked from any. Every span
 * ends exactly once and with one terminal event: when its request does, or when the run is over,
 * restarted or cut short. The same records give the same spans with the same ids. Memory grows with
 * live requests and is bounded in events. Nothing of a prompt or an answer is in a span.
 *
 * <p>Times are the run's monotonic clock, put on the calendar by the anchor of its start record.
 */
public final class OtelSpans implements RecordConsumer {

  private final SpanOptions options;
  private final SpanSink sink;
  private final SpanTally tally = new SpanTally();
  private final DecisionQueue decisions = new DecisionQueue();
  private final StepFrames steps = new StepFrames();
  private @Nullable Run run;

  /** Hands finished spans to {@code sink}, which is closed with this. */
  public OtelSpans(SpanOptions options, SpanSink sink) {
    this.options = options;
    this.sink = sink;
  }

  /** What became of the records so far. */
  public SpanCounts counts() {
    return tally.counts();
  }

  @Override
  public void onRunStarted(RunHeader header) {
    endRun("run_restarted");
    decisions.reset(header.anchorMonotonicNs());
    steps.reset();
    final RunContext context = new RunContext(header, options);
    final TraceEmitter emitter =
        new TraceEmitter(options.sampling(), new RequestSpans(context), sink, tally);
    run =
        new Run(
            new RequestTraces(context, options, tally, emitter),
            new StepSpans(context, options, sink, tally));
  }

  @Override
  public void onQueued(QueuedRequest request) {
    decisions.at(request.queuedNs());
    requests().queued(request, decisions.latestStep());
  }

  @Override
  public void onRejected(
      String requestId,
      long arrivalNs,
      String reason,
      String message,
      int promptTokens,
      int maxTokens,
      int priority,
      @Nullable String tenant) {
    final QueuedRequest request =
        new QueuedRequest(
            -1,
            requestId,
            arrivalNs,
            decisions.at(arrivalNs),
            promptTokens,
            maxTokens,
            0,
            priority,
            tenant,
            ABSENT,
            ABSENT,
            null,
            null);
    requests().rejected(request, reason, message, decisions.latestStep());
  }

  @Override
  public void onAdmitted(AdmittedRequest admitted) {
    final RequestTrace trace = requests().find(admitted.number());
    if (trace != null) {
      decisions.decide(
          admitted.stepId(),
          admitted.number(),
          (atNs, step) -> requests().admitted(trace, atNs, step, admitted));
    }
  }

  @Override
  public void onBlocked(
      long stepId, long number, String reason, long blockerNumber, int needed, int free) {
    final RequestTrace trace = requests().find(number);
    if (trace != null) {
      final CoreEvent.Blocked detail =
          new CoreEvent.Blocked(reason, requests().idOf(blockerNumber), needed, free);
      decisions.decide(
          stepId, number, (atNs, step) -> requests().blocked(trace, atNs, step, detail));
    }
  }

  @Override
  public void onUnblocked(long stepId, long number) {
    final RequestTrace trace = requests().find(number);
    if (trace != null) {
      decisions.decide(stepId, number, (atNs, step) -> requests().unblocked(trace, atNs, step));
    }
  }

  @Override
  public void onPreempted(
      long stepId,
      long number,
      String cause,
      long beneficiaryNumber,
      int lostTokens,
      int freedBlocks) {
    final RequestTrace trace = requests().find(number);
    if (trace != null) {
      run().steps.preemptedOne();
      final CoreEvent.Preempted detail =
          new CoreEvent.Preempted(
              cause, requests().idOf(beneficiaryNumber), lostTokens, freedBlocks);
      decisions.decide(
          stepId, number, (atNs, step) -> requests().preempted(trace, atNs, step, detail));
    }
  }

  @Override
  public void onCacheReset(String scope, long nowNs) {
    decisions.at(nowNs);
  }

  @Override
  public void onJourney(
      String requestId, String stage, long atNs, @Nullable String reason, @Nullable String error) {
    decisions.at(atNs);
    requests()
        .journey(
            requestId, new ApiJourney.Stage(stage.toLowerCase(Locale.ROOT), atNs, reason, error));
  }

  @Override
  public void onPlanned(PlannedStep step) {
    decisions.planned(step.stepId(), step.endNs());
    steps.planned(step);
    run().steps.planned(step, requests()::running);
    requests().planned(step);
  }

  @Override
  public void onFirstToken(long stepId, long number, long nowNs) {
    final RequestTrace trace = requests().find(number);
    if (trace != null) {
      requests().firstToken(trace, stepId, decisions.at(nowNs));
    }
  }

  @Override
  public void onFinished(FinishedRequest finished) {
    final RequestTrace trace = requests().find(finished.number());
    if (trace != null) {
      decisions.ended(finished.number(), decisions.at(finished.nowNs()));
      run().steps.finishedOne();
      requests().finished(trace, finished);
    }
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    decisions.at(step.endNs());
    final StepFrames.Completion completion = steps.completed(step);
    if (completion != null) {
      requests().completed(completion.frame(), step);
      run().steps.completed(completion.frame(), step, completion.times());
    }
  }

  @Override
  public void onKvStored(
      long number,
      int firstToken,
      int count,
      long[] contentHashes,
      boolean hasParent,
      long parent,
      int group) {
    if (group == 0) {
      requests().stored(number, count);
    }
  }

  @Override
  public void onDropped(long records) {
    tally.missedRecords.add(records);
    requests().missedRecords();
  }

  @Override
  public void onRunEnded(long nowNs) {
    decisions.at(nowNs);
    endRun("run_ended");
  }

  @Override
  public void flush(long records) {
    sink.flush();
  }

  @Override
  public void close() {
    endRun("records_end");
    sink.close();
  }

  /** Events that wait for the end of their request. */
  int bufferedEvents() {
    return requests().bufferedEvents();
  }

  private void endRun(String reason) {
    if (run != null) {
      run.requests.endRun(reason, decisions.latestNs(), decisions.latestStep());
      run.steps.endRun();
      run = null;
    }
  }

  private RequestTraces requests() {
    return run().requests;
  }

  private Run run() {
    if (run == null) {
      throw new IllegalStateException("records must stand between a start and an end record");
    }
    return run;
  }

  /** What belongs to one run. */
  private record Run(RequestTraces requests, StepSpans steps) {}
}
