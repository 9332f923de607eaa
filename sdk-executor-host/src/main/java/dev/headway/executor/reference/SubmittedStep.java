package dev.headway.executor.reference;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.step.StepPlan;
import dev.headway.executor.plan.PlanCheck;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The entries of a step as they were submitted: a copy of each, or why there is none. */
record SubmittedStep(List<@Nullable EntryWork> entries, List<@Nullable RuntimeException> refusals) {

  /** Copies a plan. An entry that cannot be run is refused alone. */
  static SubmittedStep copy(StepPlan plan, PlanCheck check, ExecutorShape shape) {
    final List<@Nullable EntryWork> entries = new ArrayList<>(plan.size());
    final List<@Nullable RuntimeException> refusals = new ArrayList<>(plan.size());
    for (int entry = 0; entry < plan.size(); entry++) {
      RuntimeException refusal = check.refuse(plan, entry);
      EntryWork work = null;
      if (refusal == null) {
        try {
          work = EntryWork.copy(plan, entry, shape);
          refusal = work.refuse(check, plan, entry);
        } catch (RuntimeException e) {
          refusal = e;
        }
      }
      entries.add(refusal == null ? work : null);
      refusals.add(refusal);
    }
    return new SubmittedStep(entries, refusals);
  }
}
