package dev.headway.simulation.predict;

import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.step.ArrivalDelay;

/**
 * Latencies by formulas: {@code ttft = alpha + beta(prefill)}, {@code itl = beta(decode)}, {@code
 * e2e = ttft + (outputs - 1) itl}. The decode is that of all requests at once, in the middle of
 * their answers; the prefill runs beside the decodes of the others, in chunks of the token budget;
 * alpha is half a decode step, since a request finds one under way, and what the step times know of
 * the way to the queue.
 *
 * <p>What they leave out: that other requests' prefills lengthen decodes, that requests queue for
 * seats, tokens or blocks, and preemptions. A simulation has all of these.
 *
 * @param alphaNs from arrival to the begin of the prefill
 * @param prefillNs of the prompt, over all its chunks
 * @param itlNs between two tokens
 * @param e2eNs from arrival to the last token
 */
public record ShapeFormulas(long alphaNs, long prefillNs, long itlNs, long e2eNs) {

  /**
   * Works the formulas out.
   *
   * @param latency how long steps take
   * @param maxNumBatchedTokens most tokens of a step, more than there are decodes
   * @throws IllegalArgumentException if the decodes alone are more than the budget
   */
  public static ShapeFormulas of(
      RequestShape shape, LatencyModel latency, int maxNumBatchedTokens) {
    final int others = shape.concurrency() - 1;
    final int budget = maxNumBatchedTokens - others;
    if (budget < 1) {
      throw new IllegalArgumentException(
          "max-num-batched-tokens must be above the concurrency: max-num-batched-tokens="
              + maxNumBatchedTokens
              + ", concurrency="
              + shape.concurrency());
    }
    final int context = shape.inputTokens() + shape.outputTokens() / 2;
    final StepFeatures step = new StepFeatures();
    addDecodes(step, shape.concurrency(), context);
    final long itlNs = latency.stepNs(step);
    final long toQueueNs = latency instanceof ArrivalDelay delay ? delay.arrivalToQueueNs() : 0;
    final long alphaNs = toQueueNs + (others == 0 ? 0 : itlNs / 2);
    long prefillNs = 0;
    for (int computed = 0; computed < shape.inputTokens(); computed += budget) {
      final int chunk = Math.min(budget, shape.inputTokens() - computed);
      step.begin();
      addDecodes(step, others, context);
      step.addPrefill(chunk, computed);
      step.addSampling(computed + chunk == shape.inputTokens() ? 1 : 0);
      prefillNs += latency.stepNs(step);
    }
    final long ttftNs = alphaNs + prefillNs;
    return new ShapeFormulas(
        alphaNs, prefillNs, itlNs, ttftNs + (shape.outputTokens() - 1) * itlNs);
  }

  private static void addDecodes(StepFeatures step, int requests, int context) {
    step.addDecodesAt(requests, context);
    step.addSampling(requests);
  }

  /** From arrival to the first token. */
  public long ttftNs() {
    return alphaNs + prefillNs;
  }
}
