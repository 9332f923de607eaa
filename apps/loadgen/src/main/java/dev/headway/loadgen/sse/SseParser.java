package dev.headway.loadgen.sse;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Takes server-sent events out of bytes as they come, cut anywhere: in a line, in a character, in
 * the JSON of an event. Only {@code data} matters here; comments and other fields are passed over,
 * lines of one event's data are joined, LF and CRLF end a line. One thread.
 */
public final class SseParser {

  /** Longest event that is taken. */
  public static final int MOST_EVENT_BYTES = 16 << 20;

  private static final byte[] DATA = {'d', 'a', 't', 'a', ':'};

  private final Consumer<byte[]> onEvent;
  private byte[] line = new byte[512];
  private int lineLength;
  private byte[] data = new byte[512];
  private int dataLength;
  private boolean hasData;

  /**
   * Begins a stream.
   *
   * @param onEvent is given the data of each event, an array of its own
   */
  public SseParser(Consumer<byte[]> onEvent) {
    this.onEvent = onEvent;
  }

  /**
   * Takes bytes; events that they complete are reported before it returns.
   *
   * @throws IllegalStateException if an event is longer than {@link #MOST_EVENT_BYTES}
   */
  public void feed(ByteBuf bytes) {
    while (bytes.isReadable()) {
      final int left = bytes.readableBytes();
      final int toEnd = bytes.bytesBefore((byte) '\n');
      append(bytes, toEnd < 0 ? left : toEnd);
      if (toEnd >= 0) {
        bytes.skipBytes(1);
        endLine();
      }
    }
  }

  /** The stream is over: an event that lacks its blank line is reported, as most clients do. */
  public void end() {
    if (lineLength > 0) {
      endLine();
    }
    dispatch();
  }

  private void append(ByteBuf bytes, int count) {
    line = withRoom(line, lineLength, count);
    bytes.readBytes(line, lineLength, count);
    lineLength += count;
  }

  private void endLine() {
    final int length = lineLength > 0 && line[lineLength - 1] == '\r' ? lineLength - 1 : lineLength;
    lineLength = 0;
    if (length == 0) {
      dispatch();
    } else if (startsWithData(length)) {
      final int from = DATA.length < length && line[DATA.length] == ' ' ? 6 : DATA.length;
      data = withRoom(data, dataLength, length - from + 1);
      if (hasData) {
        data[dataLength++] = '\n';
      }
      System.arraycopy(line, from, data, dataLength, length - from);
      dataLength += length - from;
      hasData = true;
    }
  }

  private boolean startsWithData(int length) {
    return length >= DATA.length && Arrays.equals(line, 0, DATA.length, DATA, 0, DATA.length);
  }

  private void dispatch() {
    if (hasData) {
      final byte[] event = Arrays.copyOf(data, dataLength);
      hasData = false;
      dataLength = 0;
      onEvent.accept(event);
    }
  }

  private static byte[] withRoom(byte[] array, int used, int more) {
    if (used + more <= array.length) {
      return array;
    }
    if (used + more > MOST_EVENT_BYTES) {
      throw new IllegalStateException(
          "an event must be at most " + MOST_EVENT_BYTES + " bytes: bytes=" + (used + more));
    }
    return Arrays.copyOf(array, Math.max(used + more, 2 * array.length));
  }
}
