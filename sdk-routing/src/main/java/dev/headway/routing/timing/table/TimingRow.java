package dev.headway.routing.timing.table;

import dev.headway.routing.timing.TimedRequest;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@link TimingCsv}.
 *
 * @param request what was asked for
 * @param outcome how it ended, as the client saw it
 * @param timed its instants
 */
public record TimingRow(Asked request, Outcome outcome, TimedRequest timed) {

  /**
   * What was asked for.
   *
   * @param id the request's name, which the server has too
   * @param index its place in the schedule of arrivals, from 0
   * @param tenant the tenant it is accounted to, or null
   * @param priority smaller is more important
   * @param warmup whether it is none of the measurement
   * @param maxTokens most tokens of the answer
   */
  public record Asked(
      String id, int index, @Nullable String tenant, int priority, boolean warmup, int maxTokens) {}

  /**
   * How it ended.
   *
   * @param status {@code ok}, {@code error}, {@code timeout} or {@code aborted}
   * @param finishReason the answer's, or null
   * @param promptTokens by the answer's usage, else by the server's timing, else as counted
   *     locally; -1 if not known
   * @param cachedTokens those of them that were cached; -1 if not known
   * @param outputTokens by the answer's usage, else as above; -1 if not known
   * @param error what went wrong, or null
   */
  public record Outcome(
      String status,
      @Nullable String finishReason,
      int promptTokens,
      int cachedTokens,
      int outputTokens,
      @Nullable String error) {}
}
