package dev.headway.simulation.calibrate;

/**
 * A request that ended well, with its latencies as its client sees them.
 *
 * @param id as in the file
 * @param arrivalNs since the first arrival of the run
 * @param inputTokens of the prompt
 * @param outputTokens that it got, >= 1
 * @param ttftNs from arrival to the first token
 * @param endToEndNs from arrival to the last token
 */
public record TimedRequest(
    String id, long arrivalNs, int inputTokens, int outputTokens, long ttftNs, long endToEndNs) {

  /** Mean time per token after the first; NaN for a single token. */
  public double tpotNs() {
    return outputTokens < 2 ? Double.NaN : (double) (endToEndNs - ttftNs) / (outputTokens - 1);
  }

  TimedRequest since(long firstNs) {
    return new TimedRequest(id, arrivalNs - firstNs, inputTokens, outputTokens, ttftNs, endToEndNs);
  }
}
