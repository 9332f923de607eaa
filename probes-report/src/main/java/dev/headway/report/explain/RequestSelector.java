package dev.headway.report.explain;

/**
 * Which request to explain. An id may come again once its request has ended, and in every run.
 *
 * @param id of the request
 * @param run which run of the journal, from 0, or {@link #LATEST}
 * @param number the request's number in its run, or {@link #LATEST}
 */
public record RequestSelector(String id, int run, long number) {

  /** The latest of those that match. */
  public static final int LATEST = -1;

  RequestSelector withId(String otherId) {
    return new RequestSelector(otherId, run, number);
  }

  boolean takes(int otherRun) {
    return run == LATEST || run == otherRun;
  }

  boolean takes(int otherRun, long otherNumber) {
    return takes(otherRun) && (number == LATEST || number == otherNumber);
  }
}
