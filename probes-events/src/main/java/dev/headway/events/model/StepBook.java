package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.PlannedStep;
import java.util.function.ObjLongConsumer;

/** Leads the steps of one run from plan to completion, several in flight if need be. */
final class StepBook {

  private final ObservedRun run;
  private final RunListener listener;
  private final ObjLongConsumer<ObservedRequest> tokenCame;
  private final StepsInFlight<ObservedStep> inFlight;
  private final StepChanges.Builder changes = new StepChanges.Builder();
  private long latestBeginNs = ABSENT;
  private long latestOutputNs = ABSENT;
  private int finishedSinceStep;

  /** Tells {@code tokenCame} of requests whose tokens came, with the instant. */
  StepBook(ObservedRun run, RunListener listener, ObjLongConsumer<ObservedRequest> tokenCame) {
    this.run = run;
    this.listener = listener;
    this.tokenCame = tokenCame;
    this.inFlight = new StepsInFlight<>(listener::onLost);
  }

  /** What decisions come to until the next plan. */
  StepChanges.Builder changes() {
    return changes;
  }

  void planned(PlannedStep plan) {
    final long periodNs = latestBeginNs == ABSENT ? ABSENT : plan.beginNs() - latestBeginNs;
    final ObservedStep step = new ObservedStep(run, plan, changes.take(), periodNs);
    latestBeginNs = plan.beginNs();
    if (!inFlight.isEmpty()) {
      step.overlap();
      inFlight.forEach(ObservedStep::overlap);
    }
    inFlight.planned(plan.stepId(), step);
    listener.onPlanned(step);
  }

  /** A request ended. */
  void finishedOne() {
    finishedSinceStep++;
  }

  void completed(CompletedStep completed) {
    final ObservedStep step = inFlight.completed(completed.stepId());
    if (step == null) {
      return;
    }
    step.complete(completed, latestOutputNs, finishedSinceStep);
    finishedSinceStep = 0;
    if (step.wasExecuted()) {
      latestOutputNs = step.outputNs();
    }
    if (completed.hasEntries()) {
      produced(step, completed);
    }
    listener.onStep(step);
  }

  /** Whether nothing more can come of a planned step for its requests. */
  boolean isSettled(long stepId) {
    return inFlight.isSettled(stepId);
  }

  void conclude() {
    inFlight.giveUp();
  }

  private void produced(ObservedStep step, CompletedStep completed) {
    final long outputNs = completed.outputNs();
    for (int entry = 0; entry < step.entries().size(); entry++) {
      final ObservedRequest request = step.entries().request(entry);
      final int tokens = completed.producedTokens(entry);
      if (request == null || tokens <= 0) {
        continue;
      }
      final long beforeNs = request.lastTokenNs();
      request.produced(tokens, outputNs);
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
