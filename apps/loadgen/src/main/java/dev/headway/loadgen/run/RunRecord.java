package dev.headway.loadgen.run;

import dev.headway.loadgen.client.Exchange;
import dev.headway.loadgen.dataset.BenchRequest;
import dev.headway.loadgen.metrics.Sample;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.TimingStage;

/**
 * A request of a run and what came of it.
 *
 * @param index its place in the schedule, from 0
 * @param id its name
 * @param request what was asked for
 * @param warmup whether it is none of the measurement
 * @param releasedNs when it had a place under the limit of requests under way
 * @param exchange what came of it, ended
 */
public record RunRecord(
    int index,
    String id,
    BenchRequest request,
    boolean warmup,
    long releasedNs,
    Exchange exchange) {

  private static final double NS_PER_SECOND = 1e9;

  /** Whether it was answered. */
  public boolean isOk() {
    return exchange.status() == Exchange.Status.OK;
  }

  /** Whether it was ended by this program. */
  public boolean isAborted() {
    return exchange.status() == Exchange.Status.ABORTED;
  }

  /** Tokens of the prompt, by the server where it counted them. */
  public int promptTokens() {
    return exchange.promptTokens() >= 0 ? exchange.promptTokens() : request.shape().inputTokens();
  }

  /** Tokens of the answer, by the server; else as many as parts with text, and one at least. */
  public int outputTokens() {
    return exchange.outputTokens() >= 0 ? exchange.outputTokens() : Math.max(1, exchange.chunks());
  }

  /**
   * What was measured, in seconds.
   *
   * @param originNs the start of the run
   */
  public Sample sample(long originNs) {
    final RequestTiming at = exchange.at();
    final long sentNs = at.ns(TimingStage.SENT);
    final long[] chunks = exchange.chunksNs();
    final double[] gaps = new double[Math.max(0, chunks.length - 1)];
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = (chunks[i + 1] - chunks[i]) / NS_PER_SECOND;
    }
    return new Sample(
        (sentNs - originNs) / NS_PER_SECOND,
        chunks.length == 0 ? Double.NaN : (chunks[0] - sentNs) / NS_PER_SECOND,
        gaps,
        promptTokens(),
        outputTokens(),
        (at.ns(TimingStage.CLIENT_LAST_TOKEN) - sentNs) / NS_PER_SECOND,
        (sentNs - at.ns(TimingStage.ARRIVED)) / NS_PER_SECOND);
  }
}
