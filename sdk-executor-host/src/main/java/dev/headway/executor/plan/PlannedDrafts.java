package dev.headway.executor.plan;

import dev.headway.api.step.DraftTokens;
import dev.headway.api.step.StepPlan;

/** Drafts of a plan for an executor with one step in flight, which knows none but those. */
public final class PlannedDrafts {

  private PlannedDrafts() {}

  /** Drafts of an entry, those that stand for none included. */
  public static int count(StepPlan plan, int entry) {
    return plan.drafts().isEmpty() ? 0 : plan.drafts().count(entry);
  }

  /**
   * Copies an entry's drafts to {@code target}, from {@code at} on. What stands for none, which is
   * never accepted, becomes token 0.
   *
   * @return how many are proposals, the first ones
   */
  public static int copy(StepPlan plan, int entry, int[] target, int at) {
    final int drafts = count(plan, entry);
    int proposed = drafts == 0 ? 0 : drafts - plan.drafts().padding(entry);
    for (int i = 0; i < drafts; i++) {
      final int draft = i < proposed ? plan.drafts().tokenId(entry, i) : DraftTokens.ON_DEVICE;
      if (draft == DraftTokens.ON_DEVICE) { // no step is ahead that could have proposed one
        proposed = Math.min(proposed, i);
      }
      target[at + i] = draft == DraftTokens.ON_DEVICE ? 0 : draft;
    }
    return proposed;
  }
}
