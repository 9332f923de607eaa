package dev.headway.probes.otel.span;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.live.RecordConsumer;
import dev.headway.events.model.PendingDecisions;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.DroppedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunEndedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.events.record.UnblockedRecord;
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
  private final PendingDecisions decisions = new PendingDecisions();
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
  public void onRunStarted(RunStartedRecord header) {
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
  public void onQueued(QueuedRecord request) {
    decisions.at(request.queuedNs());
    requests().queued(request, decisions.latestStep());
  }

  @Override
  public void onRejected(RejectedRecord record) {
    final QueuedRecord request =
        new QueuedRecord(
            -1,
            record.requestId(),
            record.atNs(),
            decisions.at(record.atNs()),
            record.promptTokens(),
            record.maxTokens(),
            0,
            record.priority(),
            record.tenant(),
            ABSENT,
            ABSENT,
            null,
            null);
    requests().rejected(request, record.reason(), record.message(), decisions.latestStep());
  }

  @Override
  public void onAdmitted(AdmittedRecord admitted) {
    final RequestTrace trace = requests().find(admitted.requestNumber());
    if (trace != null) {
      decisions.decide(
          admitted.stepId(),
          admitted.requestNumber(),
          (atNs, step) -> requests().admitted(trace, atNs, step, admitted));
    }
  }

  @Override
  public void onBlocked(BlockedRecord record) {
    final RequestTrace trace = requests().find(record.requestNumber());
    if (trace != null) {
      final CoreEvent.Blocked detail =
          new CoreEvent.Blocked(
              record.reason(),
              requests().idOf(record.blockerNumber()),
              record.needed(),
              record.free());
      decisions.decide(
          record.stepId(),
          record.requestNumber(),
          (atNs, step) -> requests().blocked(trace, atNs, step, detail));
    }
  }

  @Override
  public void onUnblocked(UnblockedRecord record) {
    final RequestTrace trace = requests().find(record.requestNumber());
    if (trace != null) {
      decisions.decide(
          record.stepId(),
          record.requestNumber(),
          (atNs, step) -> requests().unblocked(trace, atNs, step));
    }
  }

  @Override
  public void onPreempted(PreemptedRecord record) {
    final RequestTrace trace = requests().find(record.requestNumber());
    if (trace != null) {
      run().steps.preemptedOne();
      final CoreEvent.Preempted detail =
          new CoreEvent.Preempted(
              record.cause(),
              requests().idOf(record.beneficiaryNumber()),
              record.lostTokens(),
              record.freedBlocks());
      decisions.decide(
          record.stepId(),
          record.requestNumber(),
          (atNs, step) -> requests().preempted(trace, atNs, step, detail));
    }
  }

  @Override
  public void onCacheReset(CacheResetRecord reset) {
    decisions.at(reset.atNs());
  }

  @Override
  public void onJourney(JourneyRecord record) {
    decisions.at(record.atNs());
    requests()
        .journey(
            record.requestId(),
            new ApiJourney.Stage(
                record.stage().toLowerCase(Locale.ROOT),
                record.atNs(),
                record.reason(),
                record.error()));
  }

  @Override
  public void onPlanned(PlannedStep step) {
    decisions.planned(step.stepId(), step.endNs());
    steps.planned(step);
    run().steps.planned(step, requests()::running);
    requests().planned(step);
  }

  @Override
  public void onFirstToken(FirstTokenRecord record) {
    final RequestTrace trace = requests().find(record.requestNumber());
    if (trace != null) {
      requests().firstToken(trace, record.stepId(), decisions.at(record.atNs()));
    }
  }

  @Override
  public void onFinished(FinishedRecord finished) {
    final RequestTrace trace = requests().find(finished.requestNumber());
    if (trace != null) {
      decisions.ended(finished.requestNumber(), decisions.at(finished.atNs()));
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
  public void onKvStored(KvStoredRecord record) {
    if (record.group() == 0) {
      requests().stored(record.requestNumber(), record.count());
    }
  }

  @Override
  public void onDropped(DroppedRecord dropped) {
    tally.missedRecords.add(dropped.records());
    requests().missedRecords();
  }

  @Override
  public void onRunEnded(RunEndedRecord end) {
    decisions.at(end.atNs());
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
