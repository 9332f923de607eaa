package dev.headway.probes.csv.projection;

/** Counts what a journal should not hold. The rows concerned are written and marked. */
public final class Anomalies {

  private long timingViolations;
  private long unknownRequests;
  private long inconsistentRecords;
  private long droppedRecords;
  private long eventsOutOfOrder;

  /** Requests with {@code timing_valid} false. */
  public long timingViolations() {
    return timingViolations;
  }

  /** Records that name a request which was never queued, or has ended. */
  public long unknownRequests() {
    return unknownRequests;
  }

  /** Records that contradict what was recorded before. */
  public long inconsistentRecords() {
    return inconsistentRecords;
  }

  /** Records that the writer had to drop. */
  public long droppedRecords() {
    return droppedRecords;
  }

  /** Events whose place in the file had been passed when they came. */
  public long eventsOutOfOrder() {
    return eventsOutOfOrder;
  }

  void timingViolation() {
    timingViolations++;
  }

  void unknownRequest() {
    unknownRequests++;
  }

  void inconsistent() {
    inconsistentRecords++;
  }

  void inconsistent(RequestTimeline request) {
    inconsistentRecords++;
    request.distrust();
  }

  void dropped(long records) {
    droppedRecords += records;
  }

  void eventsOutOfOrder(long total) {
    eventsOutOfOrder = total;
  }
}
