package dev.headway.simulation.workload;

/**
 * What a workload changed in the requests it has handed out, so that no change is silent.
 *
 * @param zeroOutputRows rows that asked for 0 output tokens and were given 1, since an engine
 *     always generates a first token
 * @param cappedInputRows requests whose prompt was cut
 * @param cappedOutputRows requests whose output was cut
 * @param droppedRows rows that are no request by the rules of their format
 */
public record Adjustments(
    long zeroOutputRows, long cappedInputRows, long cappedOutputRows, long droppedRows) {
  /** Nothing was changed. */
  public static final Adjustments NONE = new Adjustments(0, 0, 0, 0);

  /** Adds up the changes; a request changed in two ways counts twice. */
  public long total() {
    return zeroOutputRows + cappedInputRows + cappedOutputRows + droppedRows;
  }
}
