package dev.headway.api.request;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How long a request may take, in all and by phase. Each limit that passes first ends the request,
 * with its own {@link FinishReason}. Immutable.
 *
 * <p>A request waits from its submission to its first admission and runs from there to its end:
 * what it waits for after a preemption, or as a session between two turns, counts as running. So
 * the two phases never overlap and leave no gap.
 */
public final class RequestTimeouts {

  /** No limits. */
  public static final RequestTimeouts NONE = new RequestTimeouts(null, null, null);

  private final @Nullable Duration total;
  private final @Nullable Duration queue;
  private final @Nullable Duration run;

  private RequestTimeouts(
      @Nullable Duration total, @Nullable Duration queue, @Nullable Duration run) {
    this.total = total;
    this.queue = queue;
    this.run = run;
  }

  /** From submission to the end: {@link FinishReason#DEADLINE}; null for no limit. */
  public @Nullable Duration total() {
    return total;
  }

  /**
   * From submission to the first admission, held or not: {@link FinishReason#QUEUE_TIMEOUT}; null
   * for no limit.
   */
  public @Nullable Duration queue() {
    return queue;
  }

  /** From the first admission to the end: {@link FinishReason#RUN_TIMEOUT}; null for no limit. */
  public @Nullable Duration run() {
    return run;
  }

  private static @Nullable Duration positive(String name, @Nullable Duration limit) {
    if (limit != null && (limit.isNegative() || limit.isZero())) {
      throw new IllegalArgumentException(name + " must be > 0: " + name + "=" + limit);
    }
    return limit;
  }

  /**
   * Returns these with another limit from submission to the end.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  public RequestTimeouts withTotal(@Nullable Duration longest) {
    return new RequestTimeouts(positive("timeout", longest), queue, run);
  }

  /**
   * Returns these with another limit from submission to the first admission.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  public RequestTimeouts withQueue(@Nullable Duration longest) {
    return new RequestTimeouts(total, positive("queueTimeout", longest), run);
  }

  /**
   * Returns these with another limit from the first admission to the end.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  public RequestTimeouts withRun(@Nullable Duration longest) {
    return new RequestTimeouts(total, queue, positive("runTimeout", longest));
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

  @Override
  public boolean equals(Object other) {
    return other instanceof RequestTimeouts that
        && Objects.equals(total, that.total)
        && Objects.equals(queue, that.queue)
        && Objects.equals(run, that.run);
  }

  @Override
  public int hashCode() {
    return Objects.hash(total, queue, run);
  }

  @Override
  public String toString() {
    return "RequestTimeouts[total=" + total + ", queue=" + queue + ", run=" + run + "]";
  }
}
