package dev.headway.simulation.calibrate;

import dev.headway.api.internal.AnswerIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that ended well, with its latencies as its client sees them.
 *
 * @param id as in the file
 * @param arrivalNs since the first arrival of the run
 * @param inputTokens of the prompt
 * @param outputTokens that it got, >= 1
 * @param ttftNs from arrival to the first token
 * @param endToEndNs from arrival to the last token
 * @param prefixGroup of the requests whose prompts begin alike; null if the file does not say
 * @param session of the requests that continue each other; null if the file does not say
 * @param sentId the id that was sent to the server; null if the file does not say
 */
public record TimedRequest(
    String id,
    long arrivalNs,
    int inputTokens,
    int outputTokens,
    long ttftNs,
    long endToEndNs,
    @Nullable String prefixGroup,
    @Nullable String session,
    @Nullable String sentId) {

  /** A request of which nothing is known that it has in common with others. */
  public TimedRequest(
      String id, long arrivalNs, int inputTokens, int outputTokens, long ttftNs, long endToEndNs) {
    this(id, arrivalNs, inputTokens, outputTokens, ttftNs, endToEndNs, null, null, null);
  }

  /** Mean time per token after the first; NaN for a single token. */
  public double tpotNs() {
    return outputTokens < 2 ? Double.NaN : (double) (endToEndNs - ttftNs) / (outputTokens - 1);
  }

  TimedRequest since(long firstNs) {
    return new TimedRequest(
        id,
        arrivalNs - firstNs,
        inputTokens,
        outputTokens,
        ttftNs,
        endToEndNs,
        prefixGroup,
        session,
        sentId);
  }

  /** All that it may be called elsewhere. */
  List<String> names() {
    final List<String> names = new ArrayList<>(List.of(id));
    if (sentId != null) {
      names.add(sentId);
      names.addAll(AnswerIds.of(sentId));
    }
    return names;
  }
}
