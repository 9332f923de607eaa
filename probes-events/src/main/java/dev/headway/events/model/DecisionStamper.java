package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import java.util.ArrayList;
import java.util.List;

/**
 * Stamps decisions with the instant at which they take effect. A decision is recorded before the
 * plan it belongs to and takes effect when that plan is done; one of a cache reset takes effect at
 * once; one about a request that ends inside scheduling, with that end. A record outside any step
 * (a score, a cached block) gets the instant of the next record that has one. One thread.
 */
final class DecisionStamper {

  /** Receives decisions as they take effect. */
  interface Effect {
    void apply(Decision decision, long atNs, long stepId);
  }

  private final RunTimeline run;
  private final Effect effect;
  private final List<Decision> pending = new ArrayList<>();
  private int pendingOfSteps;

  DecisionStamper(RunTimeline run, Effect effect) {
    this.run = run;
    this.effect = effect;
  }

  /** Adds a decision of a step being scheduled, or of the cache reset recorded just before. */
  void decide(long stepId, Decision decision) {
    if (stepId > run.latestStep()) {
      pending.add(decision);
      pendingOfSteps++;
    } else {
      effect.apply(decision, run.latestNs(), stepId);
    }
  }

  /** Adds a record that belongs to no step. */
  void note(Decision decision) {
    pending.add(decision);
  }

  /** Adds an event that happened no later than the latest instant. */
  void now(Decision decision) {
    effect.apply(decision, run.latestNs(), run.latestStep());
  }

  /** A step was planned: its decisions take effect. */
  void planned(long stepId, long endNs) {
    seen(endNs);
    if (!pending.isEmpty()) {
      for (Decision decision : pending) {
        effect.apply(decision, endNs, stepId);
      }
      clear();
    }
    run.planned(stepId);
  }

  /** A request ends inside scheduling: its pending decisions take effect now. */
  void ended(RequestTimeline request, long nowNs, long stepId) {
    if (pending.isEmpty()) {
      return;
    }
    for (Decision decision : List.copyOf(pending)) {
      if (decision.request() == request) {
        effect.apply(decision, nowNs, stepId);
        pendingOfSteps -= decision.isOfStep() ? 1 : 0;
      }
    }
    pending.removeIf(decision -> decision.request() == request);
  }

  /** An instant inside or outside scheduling was recorded. */
  void seen(long nowNs) {
    run.seen(nowNs);
  }

  /** As above, for an event outside scheduling: pending records get that instant. */
  void happened(long nowNs) {
    seen(nowNs);
    if (pendingOfSteps == 0 && !pending.isEmpty()) {
      for (Decision note : pending) {
        effect.apply(note, nowNs, run.latestStep());
      }
      clear();
    }
  }

  /** As above, unless the instant is absent. */
  void happenedIfKnown(long nowNs) {
    if (nowNs != ABSENT) {
      happened(nowNs);
    }
  }

  /** No more records: pending decisions have no plan and thus no instant. */
  void clear() {
    pending.clear();
    pendingOfSteps = 0;
  }
}
