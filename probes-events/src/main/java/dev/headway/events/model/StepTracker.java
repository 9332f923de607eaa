package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.PlannedStep;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the steps of one run from plan to completion, several in flight if need be. Ends of
 * requests are held here until the tokens of the last step are known.
 */
final class StepTracker {

  private final RunTimeline run;
  private final RunListener listener;
  private final ObjLongConsumer<RequestTimeline> tokenCame;
  private final OpenSteps<OpenStep> inFlight;
  private final Deque<OpenStep> spare = new ArrayDeque<>();
  private final Deque<Ending> endings = new ArrayDeque<>();
  private final StepChanges.Builder changes;
  private long latestBeginNs = ABSENT;
  private long latestOutputNs = ABSENT;
  private @Nullable StepTimeline latest;
  private OpenStep latestBatch = new OpenStep();
  private long latestEndNs = ABSENT;
  private long latestEndedStep;
  private boolean concluding;
  private int finishedSinceStep;

  /** A request that ended, and the step that must be complete before its tokens are known. */
  private record Ending(RequestTimeline request, long stepId) {}

  /**
   * Creates a tracker; {@code changes} has the decisions until the next plan, {@code tokenCame}
   * gets each request whose tokens were produced, with the instant.
   */
  StepTracker(
      RunTimeline run,
      RunListener listener,
      StepChanges.Builder changes,
      ObjLongConsumer<RequestTimeline> tokenCame) {
    this.run = run;
    this.listener = listener;
    this.changes = changes;
    this.tokenCame = tokenCame;
    this.inFlight = new OpenSteps<>(this::lost);
  }

  void planned(PlannedStep plan) {
    final long periodNs = latestBeginNs == ABSENT ? ABSENT : plan.beginNs() - latestBeginNs;
    final OpenStep open = spare.isEmpty() ? new OpenStep() : spare.pop();
    open.find(plan, run, latestBatch);
    latestBatch = open;
    final StepTimeline step =
        new StepTimeline(run, plan, open, changes.take(), periodNs, gapTo(plan.beginNs()));
    open.begin(step);
    latestBeginNs = plan.beginNs();
    latest = step;
    if (!inFlight.isEmpty()) {
      step.overlap();
      inFlight.forEach(other -> other.timeline().overlap());
    }
    inFlight.planned(plan.stepId(), open);
    listener.onPlanned(step);
  }

  /**
   * Blocks move for a step in flight or the latest one; a step of which no plan is known is not.
   */
  void transfers(KvTransferRecord transfer) {
    final StepTimeline step = find(transfer.stepId());
    if (step != null) {
      step.transfers(transfer.stage(), transfer.blockCount());
    }
  }

  /** What the engine did up to now, while a request that arrived then was not queued yet. */
  Ingress ingressSince(long arrivalNs) {
    if (latestEndNs != ABSENT && latestEndNs > arrivalNs) {
      return Ingress.during(latestEndedStep);
    }
    return inFlight.isEmpty() ? Ingress.IDLE : Ingress.during(inFlight.firstStepId());
  }

  /** A request ended. */
  void ended(RequestTimeline request, FinishedRecord finished) {
    finishedSinceStep++;
    listener.onFinished(request, finished);
    endings.add(new Ending(request, finished.stepId()));
    settleEndings();
  }

  void completed(CompletedStep completed) {
    final OpenStep open = inFlight.completed(completed.stepId());
    if (open == null) {
      run.countInconsistent();
    } else {
      complete(open, completed);
    }
    settleEndings();
  }

  /** Records are missing, perhaps of the steps in which requests ended. */
  void dropped() {
    endings.forEach(ending -> ending.request().missesOutputs());
  }

  /** No more records. */
  void conclude() {
    for (Ending ending : endings) {
      if (!isSettled(ending)) {
        ending.request().missesOutputs();
      }
    }
    concluding = true;
    inFlight.giveUp();
    while (!endings.isEmpty()) {
      listener.onSettled(endings.removeFirst().request());
    }
  }

  private void complete(OpenStep open, CompletedStep completed) {
    final StepTimeline step = open.timeline();
    step.complete(completed, latestOutputNs, finishedSinceStep);
    finishedSinceStep = 0;
    latestEndNs = step.endNs();
    latestEndedStep = completed.stepId();
    if (step.wasExecuted()) {
      latestOutputNs = step.outputNs();
    }
    if (completed.hasEntries()) {
      produced(open, completed);
    } else if (step.plan().batchSize() > 0) {
      run.entriesMissing();
    }
    release(open);
    listener.onStep(step);
  }

  private void settleEndings() {
    Ending first = endings.peekFirst();
    while (first != null && isSettled(first)) {
      listener.onSettled(endings.removeFirst().request());
      first = endings.peekFirst();
    }
  }

  private boolean isSettled(Ending ending) {
    return ending.stepId() <= run.latestStep() && inFlight.isSettled(ending.stepId());
  }

  private @Nullable StepTimeline find(long stepId) {
    if (latest != null && latest.plan().stepId() == stepId) {
      return latest;
    }
    final OpenStep open = inFlight.find(stepId);
    return open == null ? null : open.timeline();
  }

  private void release(OpenStep open) {
    open.end();
    spare.push(open);
  }

  private void lost(OpenStep open) {
    if (!concluding) {
      run.countInconsistent();
      for (int entry = 0; entry < open.size(); entry++) {
        final RequestTimeline request = open.request(entry);
        if (request != null) {
          request.missesOutputs();
        }
      }
    }
    final StepTimeline step = open.timeline();
    release(open);
    listener.onLost(step);
  }

  private long gapTo(long beginNs) {
    final long endNs = latest == null ? ABSENT : latest.endNs();
    return endNs == ABSENT || endNs > beginNs ? ABSENT : beginNs - endNs;
  }

  private void produced(OpenStep open, CompletedStep completed) {
    final long outputNs = completed.outputNs();
    final boolean hasEntries = open.timeline().areEntriesKnown();
    for (int entry = 0; entry < open.size(); entry++) {
      final RequestTimeline request = open.request(entry);
      final int tokens = completed.producedTokens(entry);
      if (hasEntries) {
        open.timeline().entries().produced(entry, tokens);
      }
      if (request == null || tokens <= 0) {
        continue;
      }
      final long beforeNs = request.hasOutputOfTurn() ? request.lastTokenNs() : ABSENT;
      run.produced(request, completed.stepId(), tokens, outputNs);
      listener.onTokens(request, tokens, beforeNs == ABSENT ? ABSENT : outputNs - beforeNs);
      if (beforeNs != ABSENT) {
        listener.onTokenGap(request, outputNs - beforeNs);
      }
      for (int extra = 1; extra < tokens; extra++) {
        listener.onTokenGap(request, 0); // tokens of one step share an instant
      }
      tokenCame.accept(request, outputNs);
    }
  }
}
