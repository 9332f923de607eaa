package dev.headway.probes.chronicle;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A part of a file in memory, read by {@code read} and not mapped: a file that is cut while it is
 * read gives fewer bytes, not a signal. One thread.
 */
final class FileWindow implements AutoCloseable {

  private static final VarHandle I32 =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final byte[] ZEROS = new byte[1 << 12];

  private final @Nullable FileChannel channel;
  private byte[] bytes;
  private ByteBuffer view;
  private long start;
  private int limit;

  private FileWindow(@Nullable FileChannel channel, int capacity) {
    this.channel = channel;
    this.bytes = new byte[capacity];
    this.view = ByteBuffer.wrap(bytes);
  }

  static FileWindow open(Path file, int capacity) throws IOException {
    return new FileWindow(FileChannel.open(file, StandardOpenOption.READ), capacity);
  }

  /** A window on nothing, of a file that is not there. */
  static FileWindow onNothing() {
    return new FileWindow(null, Long.BYTES);
  }

  byte[] array() {
    return bytes;
  }

  /** Bytes of the file now. */
  long fileBytes() throws IOException {
    return channel == null ? 0 : channel.size();
  }

  /** Index in {@link #array} of a file position that {@link #holds} has confirmed. */
  int index(long position) {
    return (int) (position - start);
  }

  int intAt(long position) {
    return intAtIndex(index(position));
  }

  int intAtIndex(int index) {
    return (int) I32.get(bytes, index);
  }

  /** Makes {@code count} bytes from {@code position} on available; false if the file has fewer. */
  boolean holds(long position, int count) throws IOException {
    if (position >= start && position + count <= start + limit) {
      return true;
    }
    refill(position, count);
    return count <= limit;
  }

  /** Reads again from {@code position} on, {@code count} bytes at least if the file has them. */
  void refill(long position, int count) throws IOException {
    if (count > bytes.length) {
      bytes = new byte[count];
      view = ByteBuffer.wrap(bytes);
    }
    start = position;
    limit = 0;
    view.clear();
    while (channel != null && view.hasRemaining()) {
      final int read = channel.read(view, position + limit);
      if (read <= 0) {
        break;
      }
      limit += read;
    }
  }

  /** Returns the position of the first byte that is not 0, from {@code position} on, or -1. */
  long firstNonZero(long position) throws IOException {
    long at = position;
    while (true) {
      refill(at, 1);
      if (limit == 0) {
        return -1;
      }
      for (int from = 0; from < limit; from += ZEROS.length) {
        final int to = Math.min(from + ZEROS.length, limit);
        final int index = Arrays.mismatch(bytes, from, to, ZEROS, 0, to - from);
        if (index >= 0) {
          return at + from + index;
        }
      }
      at += limit;
    }
  }

  @Override
  public void close() throws IOException {
    if (channel != null) {
      channel.close();
    }
  }
}
