package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.PlannedStep;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** Tracks the steps of one run from plan to completion, several in flight if need be. */
final class StepTracker {

  private final RunTimeline run;
  private final RunListener listener;
  private final ObjLongConsumer<RequestTimeline> tokenCame;
  private final OpenSteps<OpenStep> inFlight;
  private final Deque<OpenStep> spare = new ArrayDeque<>();
  private final StepChanges.Builder changes = new StepChanges.Builder();
  private long latestBeginNs = ABSENT;
  private long latestOutputNs = ABSENT;
  private @Nullable StepTimeline latest;
  private OpenStep latestBatch = new OpenStep();
  private long latestEndNs = ABSENT;
  private long latestEndedStep;
  private boolean concluding;
  private int finishedSinceStep;

  /**
   * Creates a tracker; {@code tokenCame} gets each request whose tokens were produced, with the
   * instant.
   */
  StepTracker(RunTimeline run, RunListener listener, ObjLongConsumer<RequestTimeline> tokenCame) {
    this.run = run;
    this.listener = listener;
    this.tokenCame = tokenCame;
    this.inFlight = new OpenSteps<>(this::lost);
  }

  /** Totals of decisions until the next plan. */
  StepChanges.Builder changes() {
    return changes;
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

  /** Blocks move for a step, as is said right after its plan. */
  void transfers(KvTransferRecord transfer) {
    if (latest != null && latest.plan().stepId() == transfer.stepId()) {
      latest.transfers(transfer.stage(), transfer.blockCount());
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
  void finishedOne() {
    finishedSinceStep++;
  }

  void completed(CompletedStep completed) {
    final OpenStep open = inFlight.completed(completed.stepId());
    if (open == null) {
      run.countInconsistent();
      return;
    }
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

  /** Whether a planned step can have no further effect on its requests. */
  boolean isSettled(long stepId) {
    return inFlight.isSettled(stepId);
  }

  void conclude() {
    concluding = true;
    inFlight.giveUp();
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
      final long beforeNs = request.lastTokenNs();
      run.produced(request, tokens, outputNs);
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
