package dev.headway.probes.csv.track;

import dev.headway.probes.chronicle.record.JournalVisitor.CompletedStep;
import dev.headway.probes.chronicle.record.JournalVisitor.PlannedStep;
import dev.headway.probes.csv.table.Table;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongFunction;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** Follows steps from plan to completion, several in flight if need be. */
final class StepBook {

  private final TrackListener listener;
  private final Deque<TrackedStep> inFlight = new ArrayDeque<>();
  private long latestPlanned;

  StepBook(TrackListener listener) {
    this.listener = listener;
  }

  long latestPlanned() {
    return latestPlanned;
  }

  void planned(
      PlannedStep plan,
      int admitted,
      int preempted,
      LongFunction<@Nullable TrackedRequest> requests) {
    final TrackedStep step = new TrackedStep(plan, admitted, preempted);
    for (int entry = 0; entry < step.entries.length; entry++) {
      final TrackedRequest request = requests.apply(plan.number(entry));
      step.entries[entry] = request;
      final long before = request == null ? 0 : request.recomputedTokens();
      if (request != null) {
        request.scheduled(plan, entry);
      }
      step.addEntry(plan, entry, request == null ? 0 : request.recomputedTokens() - before);
    }
    inFlight.addLast(step);
    latestPlanned = step.stepId();
    listener.planned(step);
  }

  void completed(CompletedStep completed, ObjLongConsumer<TrackedRequest> tokenMade) {
    final TrackedStep step = find(completed.stepId());
    if (step == null) {
      return;
    }
    while (inFlight.peekFirst() != step) { // steps complete in order: those records are missing
      giveUp(inFlight.removeFirst());
    }
    inFlight.removeFirst();
    step.complete(completed);
    if (completed.hasEntries()) {
      for (int entry = 0; entry < step.entries.length; entry++) {
        final TrackedRequest request = step.entries[entry];
        final int tokens = completed.producedTokens(entry);
        if (request != null && tokens > 0) {
          produced(request, tokens, completed.outputNs());
          tokenMade.accept(request, completed.outputNs());
        }
      }
    }
    listener.completed(step);
  }

  /** Whether nothing more can come of a step for its requests. */
  boolean isSettled(long stepId) {
    return stepId <= latestPlanned && find(stepId) == null;
  }

  void conclude() {
    while (!inFlight.isEmpty()) {
      giveUp(inFlight.removeFirst());
    }
  }

  private void giveUp(TrackedStep step) {
    step.giveUp();
    listener.completed(step);
  }

  private void produced(TrackedRequest request, int tokens, long outputNs) {
    final long beforeNs = request.lastTokenNs();
    request.produced(tokens, outputNs);
    if (beforeNs != Table.ABSENT) {
      listener.tokenGap(request, outputNs - beforeNs);
    }
    for (int extra = 1; extra < tokens; extra++) {
      listener.tokenGap(request, 0); // tokens of one step share an instant
    }
  }

  private @Nullable TrackedStep find(long stepId) {
    for (TrackedStep step : inFlight) {
      if (step.stepId() == stepId) {
        return step;
      }
    }
    return null;
  }
}
