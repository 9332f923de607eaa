package dev.headway.loadgen.metrics;

/**
 * What was measured of one request that was answered, in seconds.
 *
 * @param start when it was sent, after the start of the run
 * @param ttft from there to the first token; NaN where the answer came whole
 * @param itl gaps between the parts of the answer behind the first; not copied
 * @param promptTokens tokens of the prompt
 * @param outputTokens tokens of the answer
 * @param latency from {@code start} to the last token
 * @param queue how long it waited in this program for others to end, before {@code start}
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record Sample(
    double start,
    double ttft,
    double[] itl,
    int promptTokens,
    int outputTokens,
    double latency,
    double queue) {

  /** When its last token came. */
  public double end() {
    return start + latency;
  }

  /** Whether there is a time per output token: the answer has two tokens or more. */
  public boolean hasTpot() {
    return outputTokens > 1 && !Double.isNaN(ttft);
  }

  /** The time per output token behind the first; 0 of an answer of one. */
  public double tpot() {
    return hasTpot() ? (latency - ttft) / (outputTokens - 1) : 0;
  }
}
