package dev.headway.report.analyze;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Lines of a stream as bytes, without a copy per line. Not thread-safe. */
final class LineBytes {

  private static final int CHUNK = 1 << 18;

  private final InputStream in;
  private byte[] buffer = new byte[CHUNK];
  private int from;
  private int filled;
  private int start;
  private int length;
  private boolean ended;
  private boolean whole;

  LineBytes(InputStream in) {
    this.in = in;
  }

  /** Goes to the next line; false at the end. */
  boolean next() throws IOException {
    int scan = from;
    while (true) {
      for (; scan < filled; scan++) {
        if (buffer[scan] == '\n') {
          take(scan, true);
          from = scan + 1;
          return true;
        }
      }
      if (ended) {
        take(filled, false);
        from = filled;
        return length > 0;
      }
      scan -= fill();
    }
  }

  byte[] buffer() {
    return buffer;
  }

  int start() {
    return start;
  }

  int length() {
    return length;
  }

  /** Whether the line has its end; the last one of a file that was cut has none. */
  boolean isWhole() {
    return whole;
  }

  private void take(int end, boolean terminated) {
    start = from;
    length = end - from;
    whole = terminated;
  }

  /** Reads more; returns by how much the bytes in the buffer have moved. */
  private int fill() throws IOException {
    final int moved = from;
    if (from > 0) {
      System.arraycopy(buffer, from, buffer, 0, filled - from);
      filled -= from;
      from = 0;
    }
    if (filled == buffer.length) {
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
    }
    final int read = in.read(buffer, filled, buffer.length - filled);
    if (read < 0) {
      ended = true;
    } else {
      filled += read;
    }
    return moved;
  }
}
