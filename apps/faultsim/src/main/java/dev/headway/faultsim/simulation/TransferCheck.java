package dev.headway.faultsim.simulation;

import dev.headway.api.step.BlockPairs;
import dev.headway.api.step.StepPlan;
import java.util.Arrays;

/** Whether only that is loaded from host memory which a step has saved that was answered. */
final class TransferCheck {

  private final RuleBook rules;

  /** The step that has saved to each host block; 0 for none that counts. */
  private final long[] savedIn;

  private long answered;

  TransferCheck(RuleBook rules, int hostBlocks) {
    this.rules = rules;
    savedIn = new long[hostBlocks];
  }

  void planned(StepPlan plan) {
    final BlockPairs loads = plan.blockOperations().loads();
    for (int i = 0; i < loads.size(); i++) {
      final int host = loads.source(i);
      if (savedIn[host] == 0 || savedIn[host] > answered) {
        rules.violate(
            Rule.TRANSFERS,
            "what is loaded must have been saved by a step that was answered: step="
                + plan.stepId()
                + ", hostBlock="
                + host
                + ", savedIn="
                + savedIn[host]
                + ", answered="
                + answered);
      }
    }
    final BlockPairs saves = plan.blockOperations().saves();
    for (int i = 0; i < saves.size(); i++) {
      savedIn[saves.target(i)] = plan.stepId();
    }
  }

  /** A step has ended; if it failed, what it and later ones were to save counts for nothing. */
  void ended(long stepId, boolean hasFailed) {
    if (hasFailed) {
      for (int host = 0; host < savedIn.length; host++) {
        savedIn[host] = savedIn[host] >= stepId ? 0 : savedIn[host];
      }
    }
    answered = stepId;
  }

  @Override
  public String toString() {
    return Arrays.toString(savedIn);
  }
}
