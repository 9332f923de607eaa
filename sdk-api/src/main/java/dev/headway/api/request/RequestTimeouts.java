package dev.headway.api.request;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long a request may take, in all and by phase. Each limit that passes first ends the request,
 * with its own {@link FinishReason}. Immutable.
 *
 * <p>A request waits from its submission to its first admission and runs from there to its end:
 * what it waits for after a preemption, or as a session between two turns, counts as running. So
 * the two phases never overlap and leave no gap.
 *
 * @param total from submission to the end: {@link FinishReason#DEADLINE}; null for no limit
 * @param queue from submission to the first admission, held or not: {@link
 *     FinishReason#QUEUE_TIMEOUT}; null for no limit
 * @param run from the first admission to the end: {@link FinishReason#RUN_TIMEOUT}; null for no
 *     limit
 */
public record RequestTimeouts(
    @Nullable Duration total, @Nullable Duration queue, @Nullable Duration run) {

  /** No limits. */
  public static final RequestTimeouts NONE = new RequestTimeouts(null, null, null);

  /**
   * Validates the components.
   *
   * @throws IllegalArgumentException unless each that is given is positive
   */
  public RequestTimeouts {
    requirePositive("timeout", total);
    requirePositive("queueTimeout", queue);
    requirePositive("runTimeout", run);
  }

  private static void requirePositive(String name, @Nullable Duration limit) {
    if (limit != null && (limit.isNegative() || limit.isZero())) {
      throw new IllegalArgumentException(name + " must be > 0: " + name + "=" + limit);
    }
  }

  /** Returns these with another limit from submission to the end. */
  public RequestTimeouts withTotal(@Nullable Duration longest) {
    return new RequestTimeouts(longest, queue, run);
  }

  /** Returns these with another limit from submission to the first admission. */
  public RequestTimeouts withQueue(@Nullable Duration longest) {
    return new RequestTimeouts(total, longest, run);
  }

  /** Returns these with another limit from the first admission to the end. */
  public RequestTimeouts withRun(@Nullable Duration longest) {
    return new RequestTimeouts(total, queue, longest);
  }

  /** Returns these, and where they have no limit that of {@code defaults}. */
  public RequestTimeouts orElse(RequestTimeouts defaults) {
    return defaults.equals(NONE)
        ? this
        : new RequestTimeouts(
            total == null ? defaults.total : total,
            queue == null ? defaults.queue : queue,
            run == null ? defaults.run : run);
  }
}
