package dev.headway.events.model;

/**
 * Why a request waits.
 *
 * @param index of this pair in its run, from 0
 * @param reason the wait reason as recorded
 * @param root the same, but for {@code head_of_line} the reason of the request ahead in the queue:
 *     the condition that must change before this request can proceed
 */
public record Cause(int index, String reason, String root) {

  /** Both: {@code head_of_line (memory_insufficient)}; the reason alone if it is the root. */
  public String label() {
    return reason.equals(root) ? reason : reason + " (" + root + ")";
  }
}
