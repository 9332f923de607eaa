package dev.headway.api.step;

import java.util.Arrays;

/**
 * Transfers that have ended: requests whose load is there, requests whose blocks are sent, and
 * blocks whose load has failed. Requests are named by their {@code number()}. Reused; one thread at
 * a time; allocates only to grow.
 *
 * <p>A failed load is reported as received too, with its failed blocks in the same report or one
 * before: until then its blocks may still be written.
 */
public final class TransferReport {

  private long[] received = new long[4];
  private long[] sent = new long[4];
  private int[] invalid = new int[4];
  private int receivedCount;
  private int sentCount;
  private int invalidCount;

  /** Creates an empty report. */
  public TransferReport() {}

  /** Empties the report. */
  public void clear() {
    receivedCount = 0;
    sentCount = 0;
    invalidCount = 0;
  }

  /**
   * The load of a request has ended: nothing is written to its blocks any more.
   *
   * @param requestNumber of a request whose load is out; it may have ended
   */
  public void received(long requestNumber) {
    if (receivedCount == received.length) {
      received = Arrays.copyOf(received, 2 * receivedCount);
    }
    received[receivedCount++] = requestNumber;
  }

  /**
   * The blocks of a request are read no longer.
   *
   * @param requestNumber of a request that has ended with {@code BlockRelease.WHEN_SENT}
   */
  public void sent(long requestNumber) {
    if (sentCount == sent.length) {
      sent = Arrays.copyOf(sent, 2 * sentCount);
    }
    sent[sentCount++] = requestNumber;
  }

  /**
   * A block does not hold what was to be loaded into it: by the step that this report comes with,
   * or by a load between steps.
   */
  public void invalid(int blockId) {
    if (invalidCount == invalid.length) {
      invalid = Arrays.copyOf(invalid, 2 * invalidCount);
    }
    invalid[invalidCount++] = blockId;
  }

  /** Whether there is nothing in it. */
  public boolean isEmpty() {
    return (receivedCount | sentCount | invalidCount) == 0;
  }

  /** Loads that have ended. */
  public int receivedCount() {
    return receivedCount;
  }

  /** Returns the number of the request whose load has ended, {@code index} in [0, count). */
  public long receivedAt(int index) {
    return received[checked(index, receivedCount)];
  }

  /** Requests whose blocks are sent. */
  public int sentCount() {
    return sentCount;
  }

  /** Returns the number of the request whose blocks are sent, {@code index} in [0, count). */
  public long sentAt(int index) {
    return sent[checked(index, sentCount)];
  }

  /** Blocks whose load has failed. */
  public int invalidCount() {
    return invalidCount;
  }

  /** Returns the block whose load has failed, {@code index} in [0, count). */
  public int invalidAt(int index) {
    return invalid[checked(index, invalidCount)];
  }

  /** Whether the load of {@code blockId} has failed. O(failed blocks). */
  public boolean isInvalid(int blockId) {
    for (int i = 0; i < invalidCount; i++) {
      if (invalid[i] == blockId) {
        return true;
      }
    }
    return false;
  }

  /** Adds what {@code other} has. */
  public void add(TransferReport other) {
    for (int i = 0; i < other.invalidCount; i++) {
      invalid(other.invalid[i]);
    }
    for (int i = 0; i < other.receivedCount; i++) {
      received(other.received[i]);
    }
    for (int i = 0; i < other.sentCount; i++) {
      sent(other.sent[i]);
    }
  }

  private static int checked(int index, int count) {
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException(
          "index must be in [0, count): index=" + index + ", count=" + count);
    }
    return index;
  }
}
