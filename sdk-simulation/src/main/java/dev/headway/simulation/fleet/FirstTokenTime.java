package dev.headway.simulation.fleet;

import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.routing.policy.LatencyPredictor;
import dev.headway.routing.policy.Worker;

/**
 * Predicts the time to a first token from a model of step times: the queued prompt tokens and those
 * of this prompt are computed in steps of the token budget, beside one token for each request that
 * decodes. Context is taken as half of what has been computed; queueing for memory is left out. One
 * thread.
 */
public final class FirstTokenTime implements LatencyPredictor {

  /** Context of a request that decodes when nothing is known of the load, in tokens. */
  public static final int TYPICAL_DECODE_CONTEXT = 1_024;

  private final LatencyModel model;
  private final int tokensPerStep;
  private final int decodeContext;
  private final StepFeatures features = new StepFeatures();

  /**
   * Makes a predictor.
   *
   * @param model how long steps take; asked out of order, so it should keep no state
   * @param tokensPerStep the scheduler's token budget, >= 1
   * @param decodeContext context of a request that decodes, in tokens, >= 1
   */
  public FirstTokenTime(LatencyModel model, int tokensPerStep, int decodeContext) {
    this.model = model;
    this.tokensPerStep = tokensPerStep;
    this.decodeContext = decodeContext;
  }

  @Override
  public double firstTokenNs(
      Worker worker, long queuedTokens, int runningRequests, int promptTokens) {
    return ns(queuedTokens, runningRequests, promptTokens);
  }

  /** The same of any server. */
  double ns(long queuedTokens, int decoding, int promptTokens) {
    final long tokens = queuedTokens + promptTokens;
    final int budget = Math.max(1, tokensPerStep - decoding);
    final long whole = tokens / budget;
    final int rest = (int) (tokens % budget);
    return whole * stepNs(budget, decoding) + (rest == 0 ? 0 : stepNs(rest, decoding));
  }

  private double stepNs(int prefillTokens, int decoding) {
    features.begin();
    features.addPrefill(prefillTokens, 0);
    features.addDecodesAt(decoding, decodeContext);
    features.addSampling(decoding + 1);
    return model.stepNs(features);
  }
}
