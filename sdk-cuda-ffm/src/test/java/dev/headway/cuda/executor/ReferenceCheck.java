package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.executor.model.Model;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.ReferenceModel;
import dev.headway.executor.sampling.Logprobs;
import dev.headway.executor.sampling.Penalties;
import dev.headway.executor.sampling.Sampler;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Follows generated tokens with the reference in bfloat16, one whole forward pass for each. Sums in
 * another order turn roundings, so a token may differ where the reference is undecided: where it
 * picks that token for logits moved by noise as large as those roundings. Such ties are counted.
 */
final class ReferenceCheck {
  /** What roundings that fall otherwise make of a logit, as a part of their root mean square. */
  static final double LOGIT_ERROR = 0.02;

  private static final int TRIES = 200;

  private final ReferenceModel reference;
  private final int vocabulary;
  int tokens;
  int ties;
  double worstLogprobError;

  ReferenceCheck(Model model) {
    reference = new ReferenceModel(model, Precision.BFLOAT16);
    vocabulary = model.config().vocabularySize();
  }

  /** Checks all tokens of all requests that did not fail. */
  void follow(String what, List<Request> requests, Generation actual) {
    for (int i = 0; i < requests.size(); i++) {
      if (actual.causes().get(i) == null) {
        final String which = what + ", request=" + requests.get(i).id();
        follow(which, requests.get(i), actual.tokens().get(i), actual.logprobs().get(i));
      }
    }
  }

  private void follow(String what, Request request, int[] outputs, List<TokenLogprobs> logprobs) {
    final SamplingParams params = request.sampling();
    final int prompt = request.promptTokens();
    final int[] known = new int[prompt + outputs.length];
    request.copyPromptTokenIds(0, known, 0, prompt);
    System.arraycopy(outputs, 0, known, prompt, outputs.length);
    assertThat(outputs).as(what).hasSize(request.stopRule().maxTokens());
    assertThat(logprobs).as(what).hasSize(params.logprobs().isPresent() ? outputs.length : 0);
    for (int i = 0; i < outputs.length; i++) {
      final float[] raw = reference.logits(Arrays.copyOf(known, prompt + i));
      final int picked = pick(raw, request, known, prompt + i);
      tokens++;
      if (picked != outputs[i]) {
        ties++;
        assertThat(isUndecided(raw, request, known, prompt + i, outputs[i]))
            .as("%s: output %d, reference=%d, actual=%d", what, i, picked, outputs[i])
            .isTrue();
      }
      if (params.logprobs().isPresent()) {
        compare(what, raw, outputs[i], params.logprobs().getAsInt(), logprobs.get(i));
      }
    }
  }

  private int pick(float[] raw, Request request, int[] known, int length) {
    final float[] logits = raw.clone();
    new Penalties(vocabulary)
        .apply(logits, request.sampling(), known, request.promptTokens(), length);
    return new Sampler(vocabulary).sample(logits, request.sampling(), length);
  }

  private boolean isUndecided(float[] raw, Request request, int[] known, int length, int token) {
    final Random random = new Random(length);
    final double deviation = LOGIT_ERROR * rootMeanSquare(raw);
    for (int i = 0; i < TRIES; i++) {
      final float[] moved = raw.clone();
      for (int j = 0; j < moved.length; j++) {
        moved[j] += (float) (random.nextGaussian() * deviation);
      }
      if (pick(moved, request, known, length) == token) {
        return true;
      }
    }
    return false;
  }

  private void compare(String what, float[] raw, int token, int top, TokenLogprobs actual) {
    assertThat(actual.topIds()).as(what).hasSize(Math.min(top, vocabulary));
    note(Logprobs.of(raw, token, 0).logprob() - actual.logprob());
    for (int i = 0; i < actual.topIds().length; i++) {
      note(Logprobs.of(raw, actual.topIds()[i], 0).logprob() - actual.topLogprobs()[i]);
    }
    final int expectedRank = Logprobs.of(raw, token, 0).rank();
    assertThat(Math.abs(actual.rank() - expectedRank))
        .as("%s: rank=%d, reference=%d", what, actual.rank(), expectedRank)
        .isLessThanOrEqualTo(2 + expectedRank / 4);
  }

  private void note(double error) {
    worstLogprobError = Math.max(worstLogprobError, Math.abs(error));
  }

  private static double rootMeanSquare(float[] values) {
    double squares = 0;
    for (float value : values) {
      squares += (double) value * value;
    }
    return Math.sqrt(squares / values.length);
  }

  @Override
  public String toString() {
    return "tokens=%d, ties=%d, worstLogprobError=%.4f".formatted(tokens, ties, worstLogprobError);
  }
}
