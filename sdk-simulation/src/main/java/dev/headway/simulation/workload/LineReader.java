package dev.headway.simulation.workload;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Splits bytes into UTF-8 lines that end with LF, CRLF or CR, mixed as they come, and counts them
 * from 1. A byte order mark at the start is dropped; a line over the limit is refused before it is
 * held in memory.
 */
final class LineReader implements Closeable {
  private static final int END = -1;
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final String file;
  private final InputStream in;
  private final int maxLineBytes;
  private final byte[] chunk = new byte[1 << 16];
  private byte[] line = new byte[1 << 10];
  private int position;
  private int limit;
  private long number;
  private boolean skipLineFeed;
  private @Nullable String peeked;

  LineReader(String file, InputStream in, int maxLineBytes) {
    this.file = file;
    this.in = in;
    this.maxLineBytes = maxLineBytes;
  }

  String file() {
    return file;
  }

  /** The number of the line last returned or peeked at; 0 before the first. */
  long number() {
    return number;
  }

  /** The first line that is not blank, which {@link #next()} will return again; null at the end. */
  @Nullable String peekNotBlank() throws IOException {
    while (peeked == null || peeked.isBlank()) {
      peeked = read();
      if (peeked == null) {
        return null;
      }
    }
    return peeked;
  }

  /** The next line without its end, or null. */
  @Nullable String next() throws IOException {
    final String result = peeked == null ? read() : peeked;
    peeked = null;
    return result;
  }

  private @Nullable String read() throws IOException {
    int length = 0;
    int value = readByte();
    if (value == END) {
      return null;
    }
    number++;
    while (value != END && value != '\n' && value != '\r') {
      if (length == maxLineBytes) {
        throw new TraceFormatException(
            "trace line must not be longer than %d bytes: file=%s, line=%d"
                .formatted(maxLineBytes, file, number));
      }
      if (length == line.length) {
        line = Arrays.copyOf(line, 2 * length);
      }
      line[length++] = (byte) value;
      value = readByte();
    }
    skipLineFeed = value == '\r';
    return decode(length);
  }

  private int readByte() throws IOException {
    int value = nextByte();
    if (skipLineFeed) {
      skipLineFeed = false;
      value = value == '\n' ? nextByte() : value;
    }
    return value;
  }

  private int nextByte() throws IOException {
    if (position == limit) {
      limit = fill();
      position = 0;
      if (limit <= 0) {
        limit = 0;
        return END;
      }
    }
    return chunk[position++] & 0xFF;
  }

  private int fill() throws IOException {
    try {
      return in.read(chunk);
    } catch (EOFException | ZipException e) {
      throw damaged(file, number, e);
    }
  }

  static TraceFormatException damaged(String file, long linesRead, IOException cause) {
    final String found = cause.getMessage() == null ? "early end" : cause.getMessage();
    return new TraceFormatException(
        "gzip file must be complete and undamaged: file=%s, linesRead=%d, found='%s'"
            .formatted(file, linesRead, found),
        cause);
  }

  private String decode(int length) {
    try {
      final String text =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line, 0, length)).toString();
      final boolean marked = number == 1 && !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK;
      return marked ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      throw new TraceFormatException(
          "trace must be UTF-8 text: file=%s, line=%d".formatted(file, number), e);
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
