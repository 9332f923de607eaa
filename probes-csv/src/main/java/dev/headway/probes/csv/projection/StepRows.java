package dev.headway.probes.csv.projection;

import dev.headway.events.model.EntryClass;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.StepPlanFigures;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IdLists;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.projection.IterationRequestColumns.IterationRequestRow;
import dev.headway.probes.csv.projection.WaitReasons.Reason;
import dev.headway.probes.csv.table.TextCell;
import dev.headway.toolbox.text.JsonText;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rows of {@code per_iteration.csv} and {@code per_iteration_requests.csv} of one run.
 *
 * <p>The row of an iteration is written when it is complete and the next one is planned: until then
 * a request may end and name this step. Of waiting requests only those are looked at that a row is
 * due for.
 */
final class StepRows {

  private static final int OUTSIDE = -1;

  private final RunTimeline run;
  private final WaitingQueueOrder queue;
  private final WaitReasons reasons;
  private final RowFiles files;
  private final EventRows events;
  private final IterationRequests mode;
  private final IdLists ids;
  private final Deque<IterationRow> rows = new ArrayDeque<>();

  /** Waiting requests whose state or cause has changed since the plan before. */
  private final Set<RequestCells> changed = new LinkedHashSet<>();

  StepRows(
      RunTimeline run,
      WaitingQueueOrder queue,
      WaitReasons reasons,
      RowFiles files,
      EventRows events,
      ConvertOptions options) {
    this.run = run;
    this.queue = queue;
    this.reasons = reasons;
    this.files = files;
    this.events = events;
    this.mode = options.iterationRequests();
    this.ids = options.idLists();
  }

  /** A waiting request has another state or cause. */
  void changed(RequestCells request) {
    changed.add(request);
  }

  /** Takes a plan whose decisions have taken effect. */
  void planned(StepTimeline step) {
    final IterationRow row = new IterationRow(step);
    rows.addLast(row);
    entryEvents(step);
    if (step.plan().waitingCount() > 0) {
      row.shares(run.sharedReason(), run.sharedRoot());
    }
    queue.planned(row.iteration());
    if (mode != IterationRequests.OFF && run.areEntriesKnown()) {
      runningRows(step);
      waitingRows(step, cellOf(run.sharedBlocker()));
    }
    changed.clear();
    if (ids == IdLists.FULL) {
      row.ids(runningIds(), waitingIds());
    }
    writeReady();
  }

  /** Nothing more comes of a step. */
  void settled(StepTimeline step) {
    writeReady();
    final IterationRow row = find(step.plan().stepId());
    if (row != null) {
      row.settle();
    }
  }

  /** A request ended; its tokens are known. */
  void ended(RequestCells request, FinishedRecord end) {
    final IterationRow row = find(end.stepId());
    if (row != null) {
      row.completes(request.timeline().id());
    }
    if (mode != IterationRequests.OFF && run.areEntriesKnown() && end.stepId() > 0) {
      write(request, end.stepId(), end.atNs(), OUTSIDE, null, null, false, null);
    }
  }

  /** Writes the rows of all iterations, complete or not. */
  void writeAll() {
    while (!rows.isEmpty()) {
      files.iterations.write(rows.removeFirst());
    }
  }

  /** Writes the rows of complete iterations that no request can name any more. */
  private void writeReady() {
    IterationRow first = rows.peekFirst();
    while (first != null && first.isSettled() && first.stepId() < run.latestStep()) {
      files.iterations.write(rows.removeFirst());
      first = rows.peekFirst();
    }
  }

  private @Nullable IterationRow find(long stepId) {
    for (Iterator<IterationRow> latestFirst = rows.descendingIterator(); latestFirst.hasNext(); ) {
      final IterationRow row = latestFirst.next();
      if (row.stepId() == stepId) {
        return row;
      }
    }
    return null;
  }

  private void entryEvents(StepTimeline step) {
    final StepEntries entries = step.entries();
    for (int entry = 0; entry < entries.size(); entry++) {
      final RequestTimeline request = entries.request(entry);
      if (request != null) {
        events.scheduled(step, entry, request);
      }
    }
  }

  private void runningRows(StepTimeline step) {
    for (RequestTimeline request : run.running()) {
      final Reason reason = runningReason(request, step.plan().stepId());
      final String blocker = cellOf(request.ownBlocker());
      row(RequestCells.of(request), step, OUTSIDE, reason, reason, false, blocker);
    }
  }

  private @Nullable Reason runningReason(RequestTimeline request, long stepId) {
    if (request.ownReason() != null || !request.isScheduledIn(stepId)) {
      return ownReason(request);
    }
    if (request.latestSamples() || request.latestClass() == EntryClass.DECODE) {
      return null;
    }
    return request.latestClass() == EntryClass.RECOMPUTE
        ? reasons.recomputation
        : reasons.chunkedPrefill;
  }

  private void waitingRows(StepTimeline step, @Nullable String sharedBlocker) {
    if (mode == IterationRequests.FULL) {
      queue.forEach((request, position) -> waitingRow(request, step, position, sharedBlocker));
      return;
    }
    final List<RequestCells> waiting = new ArrayList<>(changed.size());
    for (RequestCells request : changed) {
      if (request.place() != null) {
        waiting.add(request);
      }
    }
    waiting.sort(queue.order());
    for (RequestCells request : waiting) {
      waitingRow(request, step, queue.positionOf(request), sharedBlocker);
    }
  }

  private void waitingRow(
      RequestCells request, StepTimeline step, int position, @Nullable String sharedBlocker) {
    final Reason own = ownReason(request.timeline());
    if (own == null) {
      final Reason reason = reasonOr(reasons.unknown, run.sharedReason());
      final Reason root = reasonOr(reasons.unknown, run.sharedRoot());
      row(request, step, position, reason, root, true, sharedBlocker);
    } else {
      final Reason root = reasonOr(own, request.timeline().ownRoot());
      row(request, step, position, own, root, false, cellOf(request.timeline().ownBlocker()));
    }
  }

  private void row(
      RequestCells request,
      StepTimeline step,
      int position,
      @Nullable Reason reason,
      @Nullable Reason root,
      boolean shares,
      @Nullable String blocker) {
    final StepPlanFigures plan = step.plan();
    write(request, plan.stepId(), plan.endNs(), position, reason, root, shares, blocker);
  }

  private void write(
      RequestCells request,
      long stepId,
      long atNs,
      int position,
      @Nullable Reason reason,
      @Nullable Reason root,
      boolean shares,
      @Nullable String blocker) {
    if (request.changesRow(reason, shares) || mode == IterationRequests.FULL) {
      files.iterationRequests.write(
          new IterationRequestRow(
              run, request, stepId, atNs, position, reason, root, shares, blocker));
    }
  }

  private Reason reasonOr(Reason otherwise, @Nullable String label) {
    return label == null ? otherwise : reasons.of(label);
  }

  private @Nullable Reason ownReason(RequestTimeline request) {
    final String own = request.ownReason();
    return own == null ? null : reasons.of(own);
  }

  private @Nullable String cellOf(@Nullable RequestTimeline request) {
    return request == null ? null : TextCell.encode(request.id(), files.policy());
  }

  private @Nullable String runningIds() {
    return JsonText.list(run.running().stream().map(RequestTimeline::id).toList());
  }

  private @Nullable String waitingIds() {
    final List<String> waiting = new ArrayList<>();
    queue.forEach((request, position) -> waiting.add(request.timeline().id()));
    return JsonText.list(waiting);
  }
}
