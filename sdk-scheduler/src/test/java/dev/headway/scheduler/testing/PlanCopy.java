package dev.headway.scheduler.testing;

import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import java.util.ArrayList;
import java.util.List;

/** A plan written down, since the scheduler reuses its own. */
public record PlanCopy(
    long stepId, List<Entry> entries, List<String> preempted, List<String> finished) {

  /**
   * One request's share of a plan.
   *
   * @param blocks the whole block table; {@code newFrom} is the position of the first new one
   */
  public record Entry(
      String id,
      EntryKind kind,
      int tokens,
      int computed,
      boolean samples,
      List<Integer> blocks,
      int newFrom) {}

  /** Writes a plan down. */
  public static PlanCopy of(StepPlan plan) {
    final List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < plan.size(); i++) {
      final List<Integer> blocks = new ArrayList<>();
      for (int b = 0; b < plan.blocks().count(i, 0); b++) {
        blocks.add(plan.blocks().of(i).blockId(0, b));
      }
      entries.add(
          new Entry(
              plan.request(i).id(),
              plan.kind(i),
              plan.scheduledTokens(i),
              plan.computedTokens(i),
              plan.samples(i),
              blocks,
              plan.blocks().newFrom(i, 0)));
    }
    final List<String> preempted = new ArrayList<>();
    for (int i = 0; i < plan.preempted().size(); i++) {
      preempted.add(plan.preempted().id(i));
    }
    final List<String> finished = new ArrayList<>();
    for (int i = 0; i < plan.finished().size(); i++) {
      finished.add(plan.finished().id(i));
    }
    return new PlanCopy(plan.stepId(), entries, preempted, finished);
  }
}
