package dev.headway.simulation.workload;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Opens the bytes of a trace: expands gzip, known by its first two bytes, and refuses bombs. */
final class TraceBytes {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int BLANKS = 1 << 10;

  private TraceBytes() {}

  static InputStream open(String file, InputStream raw, TraceLimits limits) throws IOException {
    final Counting compressed = new Counting(raw);
    final InputStream buffered = new BufferedInputStream(compressed, BUFFER_BYTES);
    if (!startsWithGzip(buffered)) {
      return buffered;
    }
    try {
      return expanding(file, buffered, compressed, limits);
    } catch (EOFException | ZipException e) {
      throw LineReader.damaged(file, 0, e);
    }
  }

  private static InputStream expanding(
      String file, InputStream buffered, Counting compressed, TraceLimits limits)
      throws IOException {
    final InputStream expanded = new GZIPInputStream(buffered, BUFFER_BYTES);
    final InputStream guarded =
        new BufferedInputStream(new Expanding(file, expanded, compressed, limits), BUFFER_BYTES);
    if (startsWithGzip(guarded)) {
      throw new TraceFormatException("trace must be compressed once, not twice: file=" + file);
    }
    return guarded;
  }

  /** Whether the first character that is no blank, within 1 KiB, is the given one. */
  static boolean startsWith(InputStream in, char wanted) throws IOException {
    in.mark(BLANKS + 1);
    int value = in.read();
    for (int i = 0; i < BLANKS && isBlankOrMark(value); i++) {
      value = in.read();
    }
    in.reset();
    return value == wanted;
  }

  /** A blank, or a byte of the UTF-8 byte order mark EF BB BF. */
  private static boolean isBlankOrMark(int value) {
    return value == ' ' || value == '\n' || value == '\r' || value == '\t' || value >= 0xBB;
  }

  private static boolean startsWithGzip(InputStream in) throws IOException {
    in.mark(2);
    final int first = in.read();
    final int second = in.read();
    in.reset();
    return first == 0x1F && second == 0x8B;
  }

  /** Counts what was read from the file. */
  private static final class Counting extends FilterInputStream {
    private long bytes;

    Counting(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      final int value = in.read();
      bytes += value < 0 ? 0 : 1;
      return value;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      final int count = in.read(target, offset, length);
      bytes += Math.max(count, 0);
      return count;
    }
  }

  /** Fails once the file has expanded more than a text would. */
  private static final class Expanding extends FilterInputStream {
    private final String file;
    private final Counting compressed;
    private final TraceLimits limits;
    private long bytes;

    Expanding(String file, InputStream in, Counting compressed, TraceLimits limits) {
      super(in);
      this.file = file;
      this.compressed = compressed;
      this.limits = limits;
    }

    @Override
    public int read() throws IOException {
      final byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      final int count = in.read(target, offset, length);
      bytes += Math.max(count, 0);
      if (bytes > limits.freeBytes() && bytes / limits.maxExpansion() > compressed.bytes) {
        throw new TraceFormatException(
            ("gzip must not expand more than %d : 1 beyond %d bytes: file=%s, expanded=%d,"
                    + " compressed=%d")
                .formatted(
                    limits.maxExpansion(), limits.freeBytes(), file, bytes, compressed.bytes));
      }
      return count;
    }
  }
}
