package dev.headway.http.server;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;

/** The body of an answer: collected until it is flushed. */
final class AnswerBody extends OutputStream {

  private static final int FIRST_BYTES = 512; // a token's event
  private static final int PART_BYTES = 8 << 10;

  private final ServerExchange exchange;
  private final boolean isDiscarded;
  private byte[] part = new byte[FIRST_BYTES];
  private int size;
  private boolean isClosed;

  /**
   * @param isDiscarded of the answer to HEAD
   */
  AnswerBody(ServerExchange exchange, boolean isDiscarded) {
    this.exchange = exchange;
    this.isDiscarded = isDiscarded;
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
