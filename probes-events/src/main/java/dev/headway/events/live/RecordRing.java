package dev.headway.events.live;

import dev.headway.events.record.RecordCursor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/*
 * Positions only grow; a record is stored contiguously at position & mask: where it does not fit
 * before the end of the array, a mark flags the rest as empty. A record begins with its own length,
 * a multiple of four, so every position is one too and there is always room for the mark.
 *
 *   |..consumed..|records............|..free..|          head <= tail <= head + capacity
 *                 ^ head              ^ tail
 */
/**
 * Carries records from one thread to another: bounded, wait-free on both sides, nothing allocated.
 * The writer's side and the reader's are each for one thread.
 */
final class RecordRing {

  private static final VarHandle I32 =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int REST_IS_EMPTY = -1;

  /** Places in {@link #positions}, each on a separate cache line. */
  private static final int HEAD = 16;

  private static final int TAIL = 48;
  private static final int PADDED = 80;

  private final byte[] bytes;
  private final int mask;
  private final long[] positions = new long[PADDED];

  // the writer's
  private long tail;
  private long knownHead;

  // the reader's
  private long head;
  private long knownTail;

  /** Makes a ring of a power of two of bytes. */
  RecordRing(int capacity) {
    bytes = new byte[capacity];
    mask = capacity - 1;
  }

  /** Longest record that is guaranteed to fit into an empty ring. */
  int longestRecord() {
    return bytes.length / 2;
  }

  /** Whether a record of {@code length} bytes fits now. Writer. */
  boolean hasRoom(int length) {
    final long end = startOf(length) + length;
    if (end - knownHead > bytes.length) {
      knownHead = (long) LONGS.getAcquire(positions, HEAD);
    }
    return end - knownHead <= bytes.length;
  }

  /** Publishes a record, for which there is room, to the reader. Writer. */
  void write(byte[] record, int length) {
    final long start = startOf(length);
    if (start != tail) {
      I32.set(bytes, (int) tail & mask, REST_IS_EMPTY);
    }
    System.arraycopy(record, 0, bytes, (int) start & mask, length);
    tail = start + length;
    LONGS.setRelease(positions, TAIL, tail);
  }

  private long startOf(int length) {
    final int untilEnd = bytes.length - ((int) tail & mask);
    return length <= untilEnd ? tail : tail + untilEnd;
  }

  /**
   * Points {@code cursor} at the next record, which stays valid until {@link #release}. Reader.
   *
   * @return whether there is one
   */
  boolean next(RecordCursor cursor) {
    if (head == knownTail) {
      knownTail = (long) LONGS.getAcquire(positions, TAIL);
      if (head == knownTail) {
        return false;
      }
    }
    int at = (int) head & mask;
    int length = (int) I32.get(bytes, at);
    if (length == REST_IS_EMPTY) {
      head += bytes.length - at;
      at = 0;
      length = (int) I32.get(bytes, 0);
    }
    cursor.wrap(bytes, at, length);
    head += length;
    return true;
  }

  /** Releases the room of all records read so far to the writer. Reader. */
  void release() {
    LONGS.setRelease(positions, HEAD, head);
  }
}
