package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.reference.KvPrecision;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.ReferenceModel;
import dev.headway.executor.sampling.Logprobs;
import dev.headway.executor.sampling.Penalties;
import dev.headway.executor.sampling.Sampler;
import dev.headway.executor.sampling.TokenMask;
import dev.headway.executor.sampling.TokenRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Follows generated tokens with the reference in bfloat16, which knows all before each. Sums in
 * another order turn roundings, so a token may differ where the reference is undecided: where it
 * picks that token for logits moved by noise as large as those roundings. Such ties are counted.
 *
 * <p>They may give a token other experts, too, of which some are about as good: then it must be
 * what the reference makes with {@link MovedRouters}. Those are counted as well, and must be few.
 */
final class ReferenceCheck {
  /** What roundings that fall otherwise make of a logit, as a part of their root mean square. */
  static final double LOGIT_ERROR = 0.02;

  /** Most that those roundings make of a log-probability. */
  static final double LOGPROB_ERROR = 0.25;

  /**
   * How much more it is where inputs are rounded to eight-bit floats: one that falls otherwise is
   * off by an eighth, which roundings to bfloat16 do to about one in fifty.
   */
  private static final int OF_ROUNDED_INPUTS = 3;

  private static final int TRIES = 200;
  private static final int MOVED_ROUTERS = 12;

  private final ReferenceModel reference;
  private final int slack;
  private final List<ReferenceModel> moved = new ArrayList<>();
  private final int vocabulary;
  private final Masks masks;
  private final Map<LoraAdapter, LoraWeights> adapters;
  int tokens;
  int ties;
  int rerouted;
  double worstLogprobError;

  /** What the grammars of requests allow. */
  interface Masks {
    /** The mask of a request's output, counted from 0; null if every token may come. */
    int @Nullable [] of(Request request, int output);
  }

  /** For requests without grammars. */
  ReferenceCheck(Model model) {
    this(model, (request, output) -> null);
  }

  /** For keys and values that are kept so. */
  ReferenceCheck(Model model, KvPrecision kept) {
    this(model, Precision.BFLOAT16, (request, output) -> null, kept, Map.of());
  }

  /** For requests that may name an adapter. */
  ReferenceCheck(Model model, Map<LoraAdapter, LoraWeights> adapters) {
    this(model, Precision.BFLOAT16, adapters);
  }

  /** For inputs that may be rounded, and requests that may name an adapter. */
  ReferenceCheck(Model model, Precision precision, Map<LoraAdapter, LoraWeights> adapters) {
    this(model, precision, (request, output) -> null, KvPrecision.AS_COMPUTED, adapters);
  }

  ReferenceCheck(Model model, Masks masks) {
    this(model, Precision.BFLOAT16, masks, KvPrecision.AS_COMPUTED, Map.of());
  }

  private ReferenceCheck(
      Model model,
      Precision precision,
      Masks masks,
      KvPrecision kept,
      Map<LoraAdapter, LoraWeights> adapters) {
    this.adapters = adapters;
    this.masks = masks;
    reference = new ReferenceModel(model, precision, kept);
    slack = precision == Precision.QUANTIZED ? OF_ROUNDED_INPUTS : 1;
    vocabulary = model.config().vocabularySize();
    for (int i = 0; i < MOVED_ROUTERS && model.config().experts() != null; i++) {
      moved.add(new ReferenceModel(MovedRouters.of(model, i), precision, kept));
    }
  }

  /** Checks all tokens of all requests that did not fail. */
  void follow(String what, List<Request> requests, Generation actual) {
    for (int i = 0; i < requests.size(); i++) {
      if (actual.causes().get(i) == null) {
        final String which = what + ", request=" + requests.get(i).id();
        follow(which, requests.get(i), actual.tokens().get(i), actual.logprobs().get(i));
      }
    }
    assertThat(rerouted).as("%s: %s", what, this).isLessThanOrEqualTo(8 + tokens / 5);
  }

  private void follow(String what, Request request, int[] outputs, List<TokenLogprobs> logprobs) {
    final SamplingParams params = request.sampling();
    final int prompt = request.promptTokens();
    final int[] known = new int[prompt + outputs.length];
    request.copyPromptTokenIds(0, known, 0, prompt);
    System.arraycopy(outputs, 0, known, prompt, outputs.length);
    assertEnds(what, request, outputs);
    assertThat(logprobs).as(what).hasSize(params.logprobs().isPresent() ? outputs.length : 0);
    final References references = new References(request, known, prompt);
    for (int i = 0; i < outputs.length; i++) {
      final TokenLogprobs told = params.logprobs().isPresent() ? logprobs.get(i) : null;
      final float[] raw = logits(request, references, prompt + i, told);
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

  /** What the reference and those with moved routers make of a request, each if it is asked. */
  private final class References {
    final int[] known;
    private final int prompt;
    private final float @Nullable [][][] moved = new float[ReferenceCheck.this.moved.size()][][];
    private final float[][] logits;
    private final @Nullable LoraWeights adapter;

    References(Request request, int[] known, int prompt) {
      this.known = known;
      this.prompt = prompt;
      final LoraAdapter named = request.lora();
      adapter = named == null ? null : adapters.get(named);
      logits = reference.logitsFrom(adapter, prompt, known);
    }

    float[] logits(int length) {
      return logits[length - prompt];
    }

    float[] moved(int which, int length) {
      float[][] made = moved[which];
      if (made == null) {
        made = ReferenceCheck.this.moved.get(which).logitsFrom(adapter, prompt, known);
        moved[which] = made;
      }
      return made[length - prompt];
    }
  }

  /** The reference's, or those of moved routers where only these fit what was made. */
  private float[] logits(
      Request request, References references, int length, @Nullable TokenLogprobs told) {
    final float[] raw = references.logits(length);
    final int[] known = references.known;
    final int token = known[length];
    if (moved.isEmpty() || fits(raw, request, known, length, token, told)) {
      return raw;
    }
    for (int which = 0; which < moved.size(); which++) {
      final float[] logits = references.moved(which, length);
      if (fits(logits, request, known, length, token, told)) {
        rerouted++;
        return logits;
      }
    }
    return raw;
  }

  private boolean fits(
      float[] raw,
      Request request,
      int[] known,
      int length,
      int token,
      @Nullable TokenLogprobs told) {
    for (int i = 0; told != null && i < told.topIds().length; i++) {
      final double logprob = Logprobs.of(raw, told.topIds()[i], 0).logprob();
      if (Math.abs(logprob - told.topLogprobs()[i]) > LOGPROB_ERROR) {
        return false;
      }
    }
    return pick(raw, request, known, length) == token
        || isUndecided(raw, request, known, length, token);
  }

  /** At the most tokens, or at the first token from the least ones on that ends it. */
  private static void assertEnds(String what, Request request, int[] outputs) {
    final StopRule rule = request.stopRule();
    for (int i = 0; i < outputs.length; i++) {
      final boolean ends = rule.isEos(outputs[i]) || rule.isStopToken(outputs[i]);
      final boolean last = i == outputs.length - 1;
      assertThat(ends && i + 1 < rule.minTokens()).as("%s: an end at output %d", what, i).isFalse();
      assertThat(last).as("%s: output %d", what, i).isEqualTo(ends || i + 1 == rule.maxTokens());
    }
  }

  private int pick(float[] raw, Request request, int[] known, int length) {
    final float[] logits = raw.clone();
    final int prompt = request.promptTokens();
    TokenRules.apply(logits, request.sampling(), request.stopRule(), known, prompt, length);
    new Penalties(vocabulary).apply(logits, request.sampling(), known, prompt, length);
    final int[] mask = masks.of(request, length - prompt);
    if (mask != null) {
      TokenMask.apply(logits, mask);
    }
    return new Sampler(vocabulary).sample(logits, request.sampling(), length);
  }

  private boolean isUndecided(float[] raw, Request request, int[] known, int length, int token) {
    final Random random = new Random(length);
    final double deviation = slack * LOGIT_ERROR * rootMeanSquare(raw);
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
        .isLessThanOrEqualTo(slack * (2 + expectedRank / 4));
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
    return "tokens=%d, ties=%d, rerouted=%d, worstLogprobError=%.4f"
        .formatted(tokens, ties, rerouted, worstLogprobError);
  }
}
