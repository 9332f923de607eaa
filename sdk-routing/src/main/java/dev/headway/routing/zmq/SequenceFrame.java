package dev.headway.routing.zmq;

import java.nio.ByteBuffer;

/** The frame that numbers a message: 8 bytes, big-endian. */
public final class SequenceFrame {

  /** The number behind the last message of a replay. */
  public static final long END = -1;

  private SequenceFrame() {}

  /** The frame of a number. */
  public static byte[] of(long sequence) {
    return ByteBuffer.allocate(Long.BYTES).putLong(sequence).array();
  }

  /**
   * The number in a frame.
   *
   * @throws IllegalArgumentException if it has not 8 bytes
   */
  public static long read(byte[] frame) {
    if (frame.length != Long.BYTES) {
      throw new IllegalArgumentException(
          "a sequence number must have 8 bytes: bytes=" + frame.length);
    }
    return ByteBuffer.wrap(frame).getLong();
  }
}
