package dev.headway.events.model;

import dev.headway.events.record.PlannedStep;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A step in flight and the requests of its batch. Reused, and so allocates nothing once it has had
 * the largest batch; keeps as many requests, some of which may have ended. One thread.
 */
final class OpenStep {

  private static final @Nullable RequestTimeline[] NONE = {};

  private @Nullable StepTimeline timeline;
  private @Nullable RequestTimeline[] requests = NONE;
  private int size;

  /** The step, in flight. */
  StepTimeline timeline() {
    return Objects.requireNonNull(timeline, "no step in flight");
  }

  /** Number of entries; 0 if their requests are not known. */
  int size() {
    return size;
  }

  /** The request of an entry, or null if the record that names it is missing. */
  @Nullable RequestTimeline request(int entry) {
    return requests[entry];
  }

  /** The requests of all entries, copied. */
  @Nullable RequestTimeline[] requests() {
    return Arrays.copyOf(requests, size);
  }

  /** The step is in flight; {@link #find} has its batch. */
  void begin(StepTimeline step) {
    timeline = step;
  }

  /** The step is not in flight any more; {@link #find} can still start from its requests. */
  void end() {
    timeline = null;
  }

  /** Finds the requests of a batch. The step {@code before} may have been in this object. */
  void find(PlannedStep plan, RunTimeline run, OpenStep before) {
    final @Nullable RequestTimeline[] known = before.requests;
    size = plan.hasNumbers() ? plan.batchSize() : 0;
    if (size > requests.length) {
      requests = new @Nullable RequestTimeline[Math.max(size, 2 * requests.length)];
    }
    int next = 0; // batches are alike: mostly the next entry of the step before, or the one behind
    for (int entry = 0; entry < size; entry++) {
      final long number = plan.number(entry);
      RequestTimeline request = live(known, next, number);
      if (request == null) {
        request = live(known, ++next, number);
      }
      next++;
      if (request == null) {
        request = run.find(number);
        next -= 2;
      }
      if (request == null) {
        run.countUnknown();
      }
      requests[entry] = request;
    }
  }

  private static @Nullable RequestTimeline live(
      @Nullable RequestTimeline[] known, int entry, long number) {
    final RequestTimeline request = entry < known.length ? known[entry] : null;
    if (request == null || request.number() != number || request.phase() == Phase.ENDED) {
      return null;
    }
    return request;
  }
}
