package dev.headway.simulation.plan;

import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.run.EngineSettings;

/**
 * What one instance does in a steady state, from its step times alone: with {@code b} requests
 * running, a step decodes {@code b} tokens and computes as many prompt tokens as the requests that
 * end in it bring.
 *
 * <pre>
 * rate(b) = b / (output · step(b))      requests per second, of the best b
 *   with b ≤ seats, b · (input not shared + output / 2) ≤ tokens of the KV cache,
 *        b + prompt tokens per step ≤ token budget, step(b) ≤ TPOT limit
 * </pre>
 *
 * <p>All requests are taken to be the mean one, the prefix cache to forget nothing, and queues are
 * left out: no instance sustains much more, however late a short load shows that.
 *
 * @param rate requests per second, > 0
 * @param running requests at that rate, by Little's law
 * @param e2eNs how long one takes
 */
record RateEstimate(double rate, double running, double e2eNs) {

  private static final double NS_PER_S = 1e9;

  /** By how much requests that are not the mean one may do better. */
  private static final double SLACK = 1.25;

  /** The best number of running requests, among those that grow by a tenth. */
  static RateEstimate of(EngineSettings engine, PlanLoad load, LatencyLimits limits) {
    final double output = Math.max(1, load.meanOutputTokens());
    final double input = load.meanInputTokens();
    final boolean isCached = engine.config().prefixCache().isEnabled();
    final double computed = Math.max(1, input * (1 - (isCached ? load.sharedInput() : 0)));
    final double seats =
        Math.min(
            engine.config().limits().maxNumSeqs(),
            (double) engine.kvCache().usableBlocks()
                * engine.kvCache().blockSize()
                / (computed + output / 2));
    RateEstimate best = null;
    for (double running = 1; running <= Math.max(1, seats); running = Math.ceil(running * 1.1)) {
      final double prefill =
          Math.min(
              running * computed / output,
              Math.max(1, engine.config().limits().maxNumBatchedTokens() - running));
      final double ns = stepNs(engine.latency(), running, input + output / 2, prefill, computed);
      final double rate = prefill / computed * NS_PER_S / Math.max(1, ns);
      final double e2eNs = Math.max(output, computed / prefill) * ns;
      if (best == null || (rate > best.rate && ns <= limits.tpotNs() && e2eNs <= limits.e2eNs())) {
        best = new RateEstimate(rate, running, e2eNs);
      }
    }
    if (best == null) {
      throw new IllegalStateException("one request must always be looked at");
    }
    return best;
  }

  /** The rate that is not exceeded. */
  double bound() {
    return SLACK * rate;
  }

  private static double stepNs(
      LatencyModel model, double running, double context, double prefill, double prompt) {
    final StepFeatures step = new StepFeatures();
    final int decodes = (int) running;
    step.addDecodes(
        decodes,
        decodes,
        Math.round(decodes * context),
        Math.round(decodes * context * context),
        0);
    final long tokens = Math.max(1, Math.round(prefill));
    final int prompts = (int) Math.max(1, Math.round(prefill / prompt));
    step.addPrefills(prompts, tokens, 0, tokens * tokens / prompts);
    step.addSampling(decodes + prompts);
    return model.stepNs(step);
  }
}
