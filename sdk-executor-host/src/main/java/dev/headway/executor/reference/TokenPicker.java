package dev.headway.executor.reference;

import dev.headway.api.request.SamplingParams;
import dev.headway.executor.sampling.Logprobs;
import dev.headway.executor.sampling.Penalties;
import dev.headway.executor.sampling.Sampler;
import dev.headway.executor.sampling.TokenMask;
import dev.headway.executor.sampling.TokenRules;
import java.util.OptionalInt;

/** Turns an entry's logits into its answer. One worker's own. */
final class TokenPicker {

  private final float[] logits;
  private final float[] raw;
  private final Penalties penalties;
  private final Sampler sampler;

  TokenPicker(int vocabularySize) {
    logits = new float[vocabularySize];
    raw = new float[vocabularySize];
    penalties = new Penalties(vocabularySize);
    sampler = new Sampler(vocabularySize);
  }

  /**
   * Picks the token of an entry.
   *
   * @param sample which of the model's sampling rows is the entry's
   * @throws ArithmeticException if its logits are no distribution
   * @throws IllegalArgumentException if its grammar and its rules leave no token
   */
  void answer(EntryWork work, HostModel model, int sample, SampledEntry answer) {
    model.logits(sample, logits);
    requireNumbers(logits, work.nextPosition());
    final SamplingParams params = work.sampling();
    if (params.logprobs().isPresent()) {
      System.arraycopy(logits, 0, raw, 0, raw.length);
    }
    TokenRules.apply(
        logits,
        params,
        work.stopRule(),
        work.knownTokens(),
        work.promptTokens(),
        work.nextPosition());
    if (Penalties.areOn(params)) {
      penalties.apply(
          logits, params, work.knownTokens(), work.promptTokens(), work.knownTokens().length);
    }
    if (work.allowed().length > 0) {
      TokenMask.apply(logits, work.allowed());
    }
    final int token = sampler.sample(logits, params, work.nextPosition());
    if (logits[token] == Float.NEGATIVE_INFINITY) { // the largest of them
      throw TokenRules.nothingLeft(work.nextPosition());
    }
    final OptionalInt top = params.logprobs();
    answer.token(token, top.isPresent() ? Logprobs.of(raw, token, top.getAsInt()) : null);
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
