package dev.headway.report.explain;

import dev.headway.events.model.RequestTimeline;
import org.jspecify.annotations.Nullable;

/**
 * Another request that an explanation mentions.
 *
 * @param number order of arrival in its run
 * @param id the caller's name for it; {@code request #17} if the journal does not hold it
 */
record RequestName(long number, String id) {

  static RequestName of(RequestTimeline request) {
    return new RequestName(request.number(), request.id());
  }

  /** Names the request of a number; null if that is absent. */
  static @Nullable RequestName of(long number, @Nullable RequestTimeline request) {
    if (request != null) {
      return of(request);
    }
    return number < 0 ? null : new RequestName(number, "request #" + number);
  }
}
