package dev.headway.probes.csv.projection;

import dev.headway.events.model.RequestTable;
import dev.headway.events.record.RunStartedRecord;
import org.jspecify.annotations.Nullable;

/** The state of one run: who is alive, who waits in what order, and the reason they share. */
final class Run {

  private final int index;
  private final RunStartedRecord header;
  private final RequestTable<RequestTimeline> requests = new RequestTable<>();
  private final WaitingOrder waiting;
  private final RequestList running = new RequestList();

  private StepChanges changes = new StepChanges();
  private @Nullable Reason sharedReason;
  private @Nullable RequestIdentity sharedBlocker;
  private long latestPlannedStep;
  private long latestNs;
  private boolean figuresKnown;

  Run(int index, RunStartedRecord header) {
    this.index = index;
    this.header = header;
    this.waiting = WaitingOrder.of(header.config());
    this.figuresKnown = !"summary".equals(header.level());
  }

  int index() {
    return index;
  }

  RunStartedRecord header() {
    return header;
  }

  RequestTable<RequestTimeline> requests() {
    return requests;
  }

  WaitingOrder waiting() {
    return waiting;
  }

  RequestList running() {
    return running;
  }

  StepChanges changes() {
    return changes;
  }

  /** Returns what was collected and starts collecting for the next step. */
  StepChanges takeChanges() {
    final StepChanges taken = changes;
    changes = new StepChanges();
    return taken;
  }

  /** Blocks that requests can hold: all but the null block. */
  int usableBlocks() {
    return header.numBlocks() - 1;
  }

  void closeAdmissions(Reason reason, @Nullable RequestIdentity blocker) {
    sharedReason = reason;
    sharedBlocker = blocker;
  }

  /** The reason of waiting requests without one of their own, or null before the first. */
  @Nullable Reason sharedReason() {
    return sharedReason;
  }

  @Nullable RequestIdentity sharedBlocker() {
    return sharedBlocker;
  }

  long latestPlannedStep() {
    return latestPlannedStep;
  }

  void planned(long stepId) {
    latestPlannedStep = stepId;
  }

  /** Notes an instant of the run; returns it. */
  long at(long nowNs) {
    latestNs = nowNs;
    return nowNs;
  }

  /** The instant noted last: when something took effect that has none of its own. */
  long latestNs() {
    return latestNs;
  }

  /** Whether every step so far told what each request computed. */
  boolean figuresKnown() {
    return figuresKnown;
  }

  void figuresMissing() {
    figuresKnown = false;
  }
}
