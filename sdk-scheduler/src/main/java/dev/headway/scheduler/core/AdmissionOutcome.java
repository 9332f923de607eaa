package dev.headway.scheduler.core;

/** What becomes of the head of the queue. */
enum AdmissionOutcome {
  /** It left the queue; the next one is examined. */
  GONE,
  /** It stays and blocks those behind it. */
  REFUSED,
  /** It stays, like those behind it, because no running request can give it its seat. */
  SEATLESS
}
