package dev.headway.executor.reference;

import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.TokenConstraints;
import dev.headway.executor.sampling.Logprobs;
import dev.headway.executor.sampling.Penalties;
import dev.headway.executor.sampling.Sampler;
import dev.headway.executor.sampling.TokenMask;
import dev.headway.executor.sampling.TokenRules;
import dev.headway.executor.speculation.NgramDrafter;
import java.util.Arrays;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Turns an entry's logits into its answer, and proposes what comes next. One worker's own. */
final class TokenPicker {

  private final float[] logits;
  private final float[] raw;
  private final Penalties penalties;
  private final Sampler sampler;

  private final @Nullable NgramDrafter drafter;
  private final int maxModelLen;

  /**
   * Makes scratch space.
   *
   * @param drafter proposes drafts; null for none
   * @param maxModelLen longest context, in tokens
   */
  TokenPicker(int vocabularySize, @Nullable NgramDrafter drafter, int maxModelLen) {
    logits = new float[vocabularySize];
    raw = new float[vocabularySize];
    penalties = new Penalties(vocabularySize);
    sampler = new Sampler(vocabularySize);
    this.drafter = drafter;
    this.maxModelLen = maxModelLen;
  }

  /**
   * Picks the tokens of an entry: one, and one more behind each draft that is what was picked in
   * its place. Which token is picked is a function of the logits, the seed and the position, so
   * drafts change how many tokens a step answers, and none of them.
   *
   * @param toPropose drafts to propose for the next step
   * @throws ArithmeticException if logits are no distribution
   * @throws IllegalArgumentException if grammar and rules leave no token
   */
  void answer(EntryWork work, HostModel model, int toPropose, SampledEntry answer) {
    int picked = 0;
    int token;
    do {
      token = pick(work, model, picked, answer);
      picked++;
    } while (picked <= work.drafts() - work.padding() && token == work.draft(picked - 1));
    if (drafter != null && toPropose > 0) {
      final int[] text = work.knownTokens();
      final int count = work.nextPosition() + picked;
      text[count - 1] = token; // those before it are drafts that were right
      final int most = Math.min(toPropose, maxModelLen - count);
      final int first = drafter.firstDraft(text, count, most);
      answer.propose(Arrays.copyOfRange(text, first, Math.min(count, first + Math.max(most, 0))));
    }
  }

  private int pick(EntryWork work, HostModel model, int index, SampledEntry answer) {
    final int position = work.nextPosition() + index;
    model.logits(answer.firstSample() + index, logits);
    requireNumbers(logits, position);
    final SamplingParams params = work.sampling();
    if (params.logprobs().isPresent()) {
      System.arraycopy(logits, 0, raw, 0, raw.length);
    }
    TokenRules.apply(
        logits, params, work.stopRule(), work.knownTokens(), work.promptTokens(), position);
    if (Penalties.areOn(params)) {
      penalties.apply(logits, params, work.knownTokens(), work.promptTokens(), position);
    }
    if (work.allowed().length > 0) {
      TokenMask.apply(logits, work.allowed(), index * TokenConstraints.wordsPerRow(logits.length));
    }
    final int token = sampler.sample(logits, params, position);
    if (logits[token] == Float.NEGATIVE_INFINITY) { // the largest of them
      throw TokenRules.nothingLeft(position);
    }
    final OptionalInt top = params.logprobs();
    answer.add(token, top.isPresent() ? Logprobs.of(raw, token, top.getAsInt()) : null);
    return token;
  }

  private static void requireNumbers(float[] logits, int position) {
    for (int token = 0; token < logits.length; token++) {
      if (!Float.isFinite(logits[token])) {
        throw new ArithmeticException(
            "logits must be finite: tokenId="
                + token
                + ", logit="
                + logits[token]
                + ", position="
                + position
                + "; the weights overflow or KV was read before it was written");
      }
    }
  }
}
