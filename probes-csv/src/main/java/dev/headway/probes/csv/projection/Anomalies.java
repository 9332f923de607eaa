package dev.headway.probes.csv.projection;

/**
 * Counts of what a journal should not hold. The rows concerned are written and marked.
 *
 * @param timingViolations requests with {@code timing_valid} false
 * @param unknownRequests records that name a request which was never queued, or has ended
 * @param inconsistentRecords records that contradict what was recorded before
 * @param droppedRecords records that the writer had to drop
 * @param eventsOutOfOrder events whose place in the file had been passed when they came
 */
public record Anomalies(
    long timingViolations,
    long unknownRequests,
    long inconsistentRecords,
    long droppedRecords,
    long eventsOutOfOrder) {

  static final Anomalies NONE = new Anomalies(0, 0, 0, 0, 0);

  Anomalies plus(Anomalies other) {
    return new Anomalies(
        timingViolations + other.timingViolations,
        unknownRequests + other.unknownRequests,
        inconsistentRecords + other.inconsistentRecords,
        droppedRecords + other.droppedRecords,
        eventsOutOfOrder + other.eventsOutOfOrder);
  }

  Anomalies withEventsOutOfOrder(long total) {
    return new Anomalies(
        timingViolations, unknownRequests, inconsistentRecords, droppedRecords, total);
  }
}
