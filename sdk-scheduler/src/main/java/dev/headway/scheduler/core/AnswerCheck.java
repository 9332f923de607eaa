package dev.headway.scheduler.core;

import dev.headway.api.step.StepOutput;
import dev.headway.api.step.TokenLogprobs;
import org.jspecify.annotations.Nullable;

/** Validates the answer of an executor. */
final class AnswerCheck {

  private final int vocabularySize;

  AnswerCheck(int vocabularySize) {
    this.vocabularySize = vocabularySize;
  }

  /** Returns what is wrong with the answer for an entry, or null. */
  @Nullable String findFault(PlanBuffer plan, int entry, StepOutput output) {
    final int count = output.tokenCount(entry);
    final int least = plan.samples(entry) ? 1 : 0;
    final int most = plan.samples(entry) ? 1 + plan.draftTokens(entry) : 0;
    if (count < least || count > most) {
      return "executor must answer "
          + expected(plan, entry)
          + ": id="
          + plan.state(entry).id()
          + ", stepId="
          + plan.stepId()
          + ", tokens="
          + count;
    }
    for (int i = 0; i < count; i++) {
      if (isForeign(output.token(entry, i))) {
        return foreign("token ids", plan, entry, output.token(entry, i));
      }
    }
    return output.hasLogprobs() ? findForeignTopId(plan, entry, output) : null;
  }

  /** Checked because detokenisers look these ids up in the vocabulary. */
  private @Nullable String findForeignTopId(PlanBuffer plan, int entry, StepOutput output) {
    for (int i = 0; i < output.tokenCount(entry); i++) {
      final TokenLogprobs logprobs = output.logprobs(entry, i);
      if (logprobs == null) {
        continue;
      }
      for (int tokenId : logprobs.topIds()) {
        if (isForeign(tokenId)) {
          return foreign("topIds", plan, entry, tokenId);
        }
      }
    }
    return null;
  }

  private boolean isForeign(int tokenId) {
    return tokenId < 0 || tokenId >= vocabularySize;
  }

  private String foreign(String what, PlanBuffer plan, int entry, int tokenId) {
    return "executor must answer "
        + what
        + " in [0, vocabularySize): id="
        + plan.state(entry).id()
        + ", stepId="
        + plan.stepId()
        + ", tokenId="
        + tokenId
        + ", vocabularySize="
        + vocabularySize;
  }

  private static String expected(PlanBuffer plan, int entry) {
    if (!plan.samples(entry)) {
      return "0 tokens for a prefill chunk";
    }
    return plan.draftTokens(entry) == 0
        ? "1 token"
        : "1 to " + (1 + plan.draftTokens(entry)) + " tokens";
  }
}
