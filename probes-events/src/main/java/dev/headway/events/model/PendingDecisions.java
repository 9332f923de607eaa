package dev.headway.events.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Gives decisions their instant. A decision is recorded before the plan it belongs to and takes
 * effect when that plan is done; one of a cache reset takes effect at once. One thread.
 */
public final class PendingDecisions {

  /** Begins with nothing. */
  public PendingDecisions() {}

  /** What changes when a decision takes effect. */
  public interface Decision {
    /** It takes effect. */
    void apply(long atNs, long stepId);
  }

  private record Entry(long stepId, long number, Decision decision) {}

  private final List<Entry> entries = new ArrayList<>();
  private long latestStep;
  private long latestNs;

  /** Takes a decision about a request, or about nobody (-1). */
  public void decide(long stepId, long number, Decision decision) {
    if (stepId > latestStep) {
      entries.add(new Entry(stepId, number, decision));
    } else {
      decision.apply(latestNs, stepId);
    }
  }

  /** A step was planned: its decisions take effect. */
  public void planned(long stepId, long endNs) {
    at(endNs);
    for (Entry entry : entries) {
      entry.decision.apply(endNs, entry.stepId);
    }
    entries.clear();
    latestStep = stepId;
  }

  /** A request ends inside scheduling: what was decided about it takes effect now. */
  public void ended(long number, long nowNs) {
    if (entries.isEmpty()) {
      return;
    }
    for (Entry entry : List.copyOf(entries)) {
      if (entry.number == number) {
        entry.decision.apply(nowNs, entry.stepId);
      }
    }
    entries.removeIf(entry -> entry.number == number);
  }

  /** A new run: what is left has no plan and thus no instant. */
  public void reset(long nowNs) {
    entries.clear();
    latestStep = 0;
    latestNs = nowNs;
  }

  /** An instant was heard of; returns it. */
  public long at(long nowNs) {
    latestNs = Math.max(latestNs, nowNs);
    return nowNs;
  }

  /** The latest instant heard of. */
  public long latestNs() {
    return latestNs;
  }

  /** The latest planned step; 0 before the first. */
  public long latestStep() {
    return latestStep;
  }
}
