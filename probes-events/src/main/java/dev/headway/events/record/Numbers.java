package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.request.RequestView;
import org.jspecify.annotations.Nullable;

/** Numbers of requests, which name them in all records but the first of each. */
final class Numbers {

  private Numbers() {}

  /** Returns the number of a request; absent for none. */
  static long of(@Nullable RequestView request) {
    return request == null ? ABSENT : request.number();
  }
}
