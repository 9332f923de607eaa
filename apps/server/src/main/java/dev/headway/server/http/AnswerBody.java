package dev.headway.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;

/** The body of an answer: collected until it is flushed, and no longer than announced. */
final class AnswerBody extends OutputStream {

  private static final int FIRST_BYTES = 512; // a token's event
  private static final int PART_BYTES = 8 << 10;

  private final ServerExchange exchange;
  private final boolean isDiscarded;
  private long left;
  private byte[] part = new byte[FIRST_BYTES];
  private int size;
  private boolean isClosed;

  /**
   * @param length announced, or {@link Long#MAX_VALUE} if it is not known
   * @param isDiscarded of the answer to HEAD
   */
  AnswerBody(ServerExchange exchange, long length, boolean isDiscarded) {
    this.exchange = exchange;
    this.left = length;
    this.isDiscarded = isDiscarded;
  }

  /** Whether all that was announced was written. */
  boolean isWhole() {
    return left == 0 || left > Long.MAX_VALUE / 2 || isDiscarded;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (isClosed) {
      throw new IOException("the answer has ended");
    }
    if (length > left) {
      throw new IOException("an answer must not be longer than it said: left=" + left);
    }
    left -= length;
    if (isDiscarded) {
      return;
    }
    int at = offset;
    while (at < offset + length) {
      makeRoom(offset + length - at);
      final int taken = Math.min(part.length - size, offset + length - at);
      System.arraycopy(bytes, at, part, size, taken);
      size += taken;
      at += taken;
    }
  }

  private void makeRoom(int wanted) throws IOException {
    if (size + wanted > part.length && part.length < PART_BYTES) {
      part = Arrays.copyOf(part, Math.min(PART_BYTES, Math.max(2 * part.length, size + wanted)));
    }
    if (size == part.length) {
      flush();
    }
  }

  @Override
  public void flush() throws IOException {
    if (size > 0) {
      exchange.send(part, size);
      size = 0;
    }
  }

  @Override
  public void close() throws IOException {
    if (!isClosed) {
      isClosed = true;
      flush();
      exchange.end();
    }
  }
}
