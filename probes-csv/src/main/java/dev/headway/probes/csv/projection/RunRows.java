package dev.headway.probes.csv.projection;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.LimitsChangedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.table.TextCell;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of one run. */
final class RunRows implements RunListener, WaitListener {

  private final RunTimeline run;
  private final RowFiles files;
  private final WaitReasons reasons;
  private final EventRows events;
  private final List<Cause> causes;
  private final WaitingQueueOrder queue;
  private final StepRows steps;
  private long timingViolations;

  RunRows(
      RunTimeline run,
      RowFiles files,
      ConvertOptions options,
      WaitReasons reasons,
      EventRows events) {
    this.run = run;
    this.files = files;
    this.reasons = reasons;
    this.events = events;
    this.causes = run.bookWaits(this);
    this.queue = WaitingQueueOrder.of(run.header().config());
    this.steps = new StepRows(run, queue, reasons, files, events, options);
    events.started();
  }

  RunTimeline run() {
    return run;
  }

  Anomalies anomalies() {
    return new Anomalies(
        timingViolations,
        run.unknownRequests(),
        run.inconsistentRecords(),
        run.droppedRecords(),
        0); // counted over all runs
  }

  @Override
  public void onQueued(RequestTimeline request) {
    final RequestCells cells = new RequestCells(request, cell(request.id()));
    request.attach(cells);
    queue.queue(cells);
    steps.changed(cells);
    events.queued(cells);
  }

  @Override
  public void onRejected(RejectedRecord record) {
    final String idCell = cell(record.requestId());
    events.rejected(record, idCell);
    files.requests.write(RequestRow.rejected(run, record, idCell));
  }

  @Override
  public void onDecision(Decision decision, long atNs, long stepId) {
    switch (decision) {
      case Decision.Admitted admitted -> {
        final RequestCells request = RequestCells.of(admitted.request());
        queue.remove(request);
        events.admitted(request, admitted.record(), atNs, stepId);
      }
      case Decision.Preempted preempted -> {
        final RequestCells request = RequestCells.of(preempted.request());
        queue.putBack(request);
        steps.changed(request);
        events.preempted(request, preempted.record(), preempted.beneficiary(), atNs, stepId);
      }
      case Decision.Blocked blocked ->
          events.blocked(
              RequestCells.of(blocked.request()),
              blocked.record(),
              blocked.blocker(),
              atNs,
              stepId);
      case Decision.Unblocked unblocked ->
          events.unblocked(RequestCells.of(unblocked.request()), atNs, stepId);
      case Decision.Scored scored ->
          events.scored(RequestCells.of(scored.request()), scored.record().score(), atNs, stepId);
      case Decision.AdmissionsClosed closed -> events.admissionsClosed(closed, atNs, stepId);
      case Decision.KvStored stored ->
          events.kvStored(cellsOrNull(stored.request()), stored.record(), atNs, stepId);
      case Decision.KvRemoved removed ->
          events.kvRemoved(removed.record().contentHash(), atNs, stepId);
      case Decision.KvCleared ignored -> events.kvCleared(atNs, stepId);
    }
  }

  @Override
  public void onEvicted(
      RequestTimeline request, String cause, int tokens, long nowNs, long stepId) {
    events.evicted(RequestCells.of(request), cause, tokens, nowNs, stepId);
  }

  @Override
  public void onCauseChanged(RequestTimeline request, long nowNs) {
    steps.changed(RequestCells.of(request));
  }

  @Override
  public void onPlanned(StepTimeline step) {
    steps.planned(step);
    events.planned(step);
  }

  @Override
  public void onStep(StepTimeline step) {
    steps.settled(step);
  }

  @Override
  public void onLost(StepTimeline step) {
    steps.settled(step);
  }

  @Override
  public void onFirstToken(RequestTimeline request, FirstTokenRecord firstToken) {
    events.firstToken(RequestCells.of(request), firstToken.atNs(), firstToken.stepId());
  }

  @Override
  public void onFinished(RequestTimeline request, FinishedRecord end) {
    final RequestCells cells = RequestCells.of(request);
    queue.remove(cells);
    events.finished(cells, end);
  }

  @Override
  public void onSettled(RequestTimeline request) {
    final RequestCells cells = RequestCells.of(request);
    final FinishedRecord end = request.end();
    if (end == null) {
      throw new IllegalStateException("request must have ended: " + request.id());
    }
    steps.ended(cells, end);
    final RequestRow row = write(cells);
    events.completed(cells, end, row.outputTokens());
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    final RequestCells cells = RequestCells.of(request);
    queue.remove(cells);
    write(cells);
  }

  @Override
  public void onKvTransfer(KvTransferRecord transfer, @Nullable RequestTimeline request) {
    events.kvTransfer(transfer, cellsOrNull(request));
  }

  @Override
  public void onCacheReset(CacheResetRecord reset) {
    events.cacheReset(reset.scope(), reset.atNs());
  }

  @Override
  public void onLimitsChanged(LimitsChangedRecord changed) {
    events.limitsChanged(changed);
  }

  @Override
  public void onJourney(JourneyRecord journey) {
    events.journey(journey, cell(journey.requestId()));
  }

  @Override
  public void onDropped(long records) {
    events.dropped(records);
  }

  @Override
  public void onRunEnded(long nowNs) {
    events.runEnded(nowNs);
  }

  @Override
  public void onRunConcluded(long lastNs, boolean cleanly) {
    steps.writeAll();
  }

  private RequestRow write(RequestCells request) {
    if (!request.timeline().isTimingValid()) {
      timingViolations++;
    }
    final RequestRow row = RequestRow.of(run, request, reasons, causes);
    files.requests.write(row);
    return row;
  }

  private @Nullable RequestCells cellsOrNull(@Nullable RequestTimeline request) {
    return request == null ? null : RequestCells.of(request);
  }

  private String cell(String requestId) {
    return TextCell.encode(requestId, files.policy());
  }
}
