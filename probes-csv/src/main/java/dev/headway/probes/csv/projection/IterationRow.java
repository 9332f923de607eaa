package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepPlanFigures;
import dev.headway.events.model.StepTimeline;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A row of {@code per_iteration.csv}: a step, and what is said of the queue at its plan. */
final class IterationRow {

  private static final String REUSE = "reuse_cached_blocks";
  private static final String CONTINUE = "continue";

  private final StepTimeline step;
  private final List<String> completed = new ArrayList<>();
  private @Nullable String sharedReason;
  private @Nullable String sharedRoot;
  private @Nullable String runningIds;
  private @Nullable String waitingIds;
  private boolean settled;

  IterationRow(StepTimeline step) {
    this.step = step;
  }

  /** The number of a step in files, from 0; {@link dev.headway.api.Absent#ABSENT} for no step. */
  static long iteration(long stepId) {
    return stepId > 0 ? stepId - 1 : ABSENT;
  }

  /** The begin of a run in nanoseconds since 1970; absent in virtual time. */
  static long calendarBeginNs(RunTimeline run) {
    return run.header().virtualTime() ? ABSENT : run.unixNs(0);
  }

  static long difference(long beginNs, long endNs) {
    return beginNs == ABSENT || endNs == ABSENT ? ABSENT : endNs - beginNs;
  }

  /** The reason of all waiting requests without an individual one. */
  void shares(@Nullable String reason, @Nullable String root) {
    sharedReason = reason;
    sharedRoot = root;
  }

  void ids(@Nullable String running, @Nullable String waiting) {
    runningIds = running;
    waitingIds = waiting;
  }

  /** A request ended in it. */
  void completes(String id) {
    completed.add(id);
  }

  /** Nothing more comes of it: it is complete, or its completion is missing. */
  void settle() {
    settled = true;
  }

  boolean isSettled() {
    return settled;
  }

  StepTimeline step() {
    return step;
  }

  StepPlanFigures plan() {
    return step.plan();
  }

  long stepId() {
    return plan().stepId();
  }

  long iteration() {
    return iteration(stepId());
  }

  /** A figure of a step that was completed. */
  long done(long figure) {
    return step.isDone() ? figure : ABSENT;
  }

  int usableBlocks() {
    return step.run().usableBlocks();
  }

  int usedBlocks() {
    return usableBlocks() - plan().freeBlocks();
  }

  @Nullable String sharedReason() {
    return sharedReason;
  }

  @Nullable String sharedRoot() {
    return sharedRoot;
  }

  @Nullable String runningIds() {
    return runningIds;
  }

  @Nullable String waitingIds() {
    return waitingIds;
  }

  List<String> admitted() {
    return ids(step.changes().admitted());
  }

  List<String> preempted() {
    return ids(step.changes().preempted());
  }

  List<String> completed() {
    return completed;
  }

  /**
   * The first action that is a decision about requests or moves their blocks; taking cached blocks
   * of no request happens in most steps of a full cache, and says little about one.
   */
  String mainAction() {
    final String all = actions();
    final int end = all.indexOf(';');
    final String first = end < 0 ? all : all.substring(0, end);
    return first.equals(REUSE) ? CONTINUE : first;
  }

  /** Every action that applies, the one that says most first. */
  String actions() {
    final List<String> actions = new ArrayList<>(6);
    if (!step.changes().preempted().isEmpty()) {
      actions.add("preempt");
    }
    if (step.changes().evictedRequests() > 0) {
      actions.add("evict");
    }
    if (!step.changes().admitted().isEmpty()) {
      actions.add("admit_new");
    }
    if (step.loadedBlocks() > 0) {
      actions.add("swap_in");
    }
    if (step.savedBlocks() > 0) {
      actions.add("swap_out");
    }
    if (step.changes().removedBlocks() > 0) {
      actions.add(REUSE);
    }
    return actions.isEmpty() ? CONTINUE : String.join(";", actions);
  }

  private static List<String> ids(List<RequestTimeline> requests) {
    return requests.stream().map(RequestTimeline::id).toList();
  }
}
