package dev.headway.probes.csv.projection;

import dev.headway.api.kvcache.KvTransferStage;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.text.JsonText;
import dev.headway.probes.csv.option.IdLists;
import dev.headway.probes.csv.option.IterationRequests;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Follows steps from plan to completion, several in flight if need be, and writes their rows.
 *
 * <p>The row of an iteration is written when it is complete and the next one is planned: until then
 * a request may end and name this step.
 */
final class StepRows {

  private final Run run;
  private final WaitReasons reasons;
  private final RowFiles files;
  private final EventLog events;
  private final Anomalies anomalies;
  private final IterationRequests mode;
  private final IdLists ids;
  private static final String LOAD_COMMITTED = KvTransferStage.LOAD_COMMITTED.label();
  private static final String STORE_COMMITTED = KvTransferStage.STORE_COMMITTED.label();

  private final Deque<StepFrame> frames = new ArrayDeque<>();
  private final JsonText json = new JsonText();

  StepRows(
      Run run,
      WaitReasons reasons,
      RowFiles files,
      EventLog events,
      Anomalies anomalies,
      IterationRequests mode,
      IdLists ids) {
    this.run = run;
    this.reasons = reasons;
    this.files = files;
    this.events = events;
    this.anomalies = anomalies;
    this.mode = mode;
    this.ids = ids;
  }

  /** Takes a plan whose decisions were carried out. */
  void planned(PlannedStep step) {
    final StepFrame frame = new StepFrame(run, step, run.takeChanges(), frames.peekLast());
    frames.addLast(frame);
    if (step.hasEntries()) {
      takeEntries(step, frame);
    } else if (step.batchSize() > 0) {
      run.figuresMissing();
    }
    if (frame.waitingCount > 0) {
      final Reason shared = run.sharedReason();
      final RequestIdentity blocker = run.sharedBlocker();
      frame.sharedReason = shared == null ? null : shared.label();
      frame.blockerCell = blocker == null ? null : blocker.idCell();
    }
    runningRows(frame);
    waitingRows(frame);
    if (ids == IdLists.FULL) {
      frame.runningIds = idsOf(run.running());
      frame.waitingIds = idsOf(run.waiting());
    }
    run.planned(frame.stepId);
    writeReady();
  }

  /** Takes what came of a step; returns whether it was planned. */
  boolean completed(CompletedStep step) {
    final StepFrame frame = find(step.stepId());
    if (frame == null || frame.done) {
      return false;
    }
    for (StepFrame earlier : frames) {
      if (earlier.stepId < frame.stepId && !earlier.done) {
        earlier.giveUp(); // steps complete in order, so its record is missing
        anomalies.inconsistent();
      }
    }
    frame.complete(step);
    if (step.hasEntries()) {
      for (int entry = 0; entry < frame.entries.length; entry++) {
        final RequestTimeline request = frame.entries[entry];
        if (request != null) {
          request.progress().produced(step.producedTokens(entry), step.outputNs());
        }
      }
    } else if (frame.batchSize > 0) {
      run.figuresMissing();
    }
    return true;
  }

  /** Whether nothing more can come of a step for its requests. */
  boolean isSettled(long stepId) {
    if (stepId > run.latestPlannedStep()) {
      return false;
    }
    final StepFrame frame = find(stepId);
    return frame == null || frame.done;
  }

  /** A request ended; its tokens are known. */
  void ended(Ending ending) {
    final StepFrame frame = find(ending.stepId());
    final RequestTimeline request = ending.request();
    if (frame != null) {
      frame.completed.add(request.identity().id());
    }
    if (mode != IterationRequests.OFF && run.figuresKnown() && ending.stepId() > 0) {
      row(request, ending.stepId(), ending.nowNs(), -1, null, null);
    }
  }

  /** Writes the rows of complete iterations that no request can name any more. */
  void writeReady() {
    StepFrame first = frames.peekFirst();
    while (first != null && first.done && first.stepId < run.latestPlannedStep()) {
      files.iterations.write(frames.removeFirst());
      first = frames.peekFirst();
    }
  }

  /** Writes the rows of all iterations, complete or not. */
  void writeAll() {
    while (!frames.isEmpty()) {
      files.iterations.write(frames.removeFirst());
    }
  }

  /** Blocks will move before a planned step computes. */
  void kvMoves(long stepId, String stage) {
    final StepFrame frame = find(stepId);
    if (frame == null) {
      return; // its plan is not among the records
    }
    if (stage.equals(LOAD_COMMITTED)) {
      frame.changes.swapsIn();
    } else if (stage.equals(STORE_COMMITTED)) {
      frame.changes.swapsOut();
    }
  }

  private @Nullable StepFrame find(long stepId) {
    for (Iterator<StepFrame> latestFirst = frames.descendingIterator(); latestFirst.hasNext(); ) {
      final StepFrame frame = latestFirst.next();
      if (frame.stepId == stepId) {
        return frame;
      }
    }
    return null;
  }

  private void takeEntries(PlannedStep step, StepFrame frame) {
    final StepEntry entry = new StepEntry(step);
    for (int i = 0; i < frame.entries.length; i++) {
      final RequestTimeline request = run.requests().get(entry.at(i).number());
      frame.entries[i] = request;
      if (request == null) {
        anomalies.unknownRequest();
      } else {
        request.progress().scheduled(entry);
        entryEvents(entry, request, frame);
      }
    }
  }

  private void entryEvents(StepEntry entry, RequestTimeline request, StepFrame frame) {
    if (request.progress().latestIsPrefill()) {
      final String details =
          json.begin()
              .put("tokens", entry.scheduledTokens())
              .put("computed_tokens", entry.computedTokens())
              .put("samples", entry.samples())
              .end();
      event(frame, "request_scheduled", request, details);
    }
    if (entry.newBlocks() > 0) {
      final String details =
          json.begin()
              .put("blocks", entry.newBlocks())
              .put("held_blocks", entry.blockCount())
              .end();
      event(frame, "kv_cache_allocated", request, details);
    }
  }

  private void event(StepFrame frame, String type, RequestTimeline request, String details) {
    events.add(frame.plannedNs, type, request.identity(), frame.iteration(), details);
  }

  private void runningRows(StepFrame frame) {
    if (mode == IterationRequests.OFF || !run.figuresKnown()) {
      return;
    }
    for (RequestTimeline request : run.running()) {
      final Reason reason = runningReason(request, frame.stepId);
      row(request, frame.stepId, frame.plannedNs, -1, reason, request.blocker());
    }
  }

  private @Nullable Reason runningReason(RequestTimeline request, long stepId) {
    final Progress progress = request.progress();
    if (request.ownReason() != null || !progress.isScheduledIn(stepId)) {
      return request.ownReason();
    }
    if (progress.latestRecomputesOnly()) {
      return reasons.recomputation;
    }
    return progress.latestIsPromptChunk() ? reasons.chunkedPrefill : null;
  }

  private void waitingRows(StepFrame frame) {
    final Reason shared = run.sharedReason() == null ? reasons.unknown : run.sharedReason();
    final boolean wanted = mode != IterationRequests.OFF && run.figuresKnown();
    int position = 0;
    for (RequestTimeline request : run.waiting()) {
      final Reason own = request.ownReason();
      final Reason reason = own == null ? shared : own;
      request.waits().changeReason(frame.plannedNs, reason);
      request.queue().record(frame.iteration(), position);
      if (wanted) {
        final RequestIdentity blocker = own == null ? run.sharedBlocker() : request.blocker();
        row(request, frame.stepId, frame.plannedNs, position, reason, blocker);
      }
      position++;
    }
  }

  private void row(
      RequestTimeline request,
      long stepId,
      long atNs,
      int position,
      @Nullable Reason reason,
      @Nullable RequestIdentity blocker) {
    if (request.changesRow(reason) || mode == IterationRequests.FULL) {
      files.iterationRequests.write(
          new IterationRequestRow(run, request, stepId, atNs, position, reason, blocker));
    }
  }

  private static @Nullable String idsOf(Iterable<RequestTimeline> requests) {
    final List<String> ids = new ArrayList<>();
    requests.forEach(request -> ids.add(request.identity().id()));
    return JsonText.list(ids);
  }
}
