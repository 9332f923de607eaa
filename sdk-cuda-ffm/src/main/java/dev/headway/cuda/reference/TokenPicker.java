package dev.headway.cuda.reference;

import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.cuda.sampling.Logprobs;
import dev.headway.cuda.sampling.Penalties;
import dev.headway.cuda.sampling.Sampler;

/** Turns an entry's logits into its answer. */
final class TokenPicker {

  private final float[] raw;
  private final Penalties penalties;
  private final Sampler sampler;

  TokenPicker(int vocabularySize) {
    raw = new float[vocabularySize];
    penalties = new Penalties(vocabularySize);
    sampler = new Sampler(vocabularySize);
  }

  /**
   * Adds the token of an entry to the output.
   *
   * @param logits as the model made them; overwritten
   * @throws ArithmeticException if they are no distribution
   */
  void answer(EntryWork work, float[] logits, int entry, StepOutput output) {
    requireNumbers(logits, work.nextPosition());
    final SamplingParams params = work.sampling();
    if (params.wantsLogprobs()) {
      System.arraycopy(logits, 0, raw, 0, raw.length);
    }
    if (Penalties.areOn(params)) {
      penalties.apply(
          logits, params, work.knownTokens(), work.promptTokens(), work.knownTokens().length);
    }
    final int token = sampler.sample(logits, params, work.nextPosition());
    if (params.wantsLogprobs()) {
      final TokenLogprobs logprobs = Logprobs.of(raw, token, params.logprobs());
      output.addToken(entry, token, logprobs);
    } else {
      output.addToken(entry, token);
    }
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
