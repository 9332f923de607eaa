package dev.headway.report.analyze;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A temporary file of chunks of figures, in {@code java.io.tmpdir}, made with the first chunk and
 * deleted when it is closed. Not thread-safe. Errors of the file system are {@link
 * UncheckedIOException}.
 */
final class ColumnFile implements Closeable {

  private final ByteBuffer bytes =
      ByteBuffer.allocate(Samples.CHUNK * Double.BYTES).order(ByteOrder.nativeOrder());
  private @Nullable FileChannel channel;
  private int chunks;

  /** Appends a chunk; returns its number, from 0. */
  int append(double[] chunk) {
    bytes.clear().asDoubleBuffer().put(chunk);
    try {
      final FileChannel file = open();
      long at = (long) chunks * bytes.capacity();
      while (bytes.hasRemaining()) {
        at += file.write(bytes, at);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return chunks++;
  }

  /** Reads a chunk. */
  void read(int chunk, double[] into) {
    bytes.clear();
    try {
      final FileChannel file = open();
      final long begin = (long) chunk * bytes.capacity();
      while (bytes.hasRemaining()) {
        if (file.read(bytes, begin + bytes.position()) < 0) {
          throw new EOFException("a temporary file was truncated: chunk=" + chunk);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    bytes.flip().asDoubleBuffer().get(into);
  }

  private FileChannel open() throws IOException {
    if (channel == null) {
      channel =
          FileChannel.open(
              Files.createTempFile("headway-analyze-", ".tmp"),
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE);
    }
    return channel;
  }

  @Override
  public void close() throws IOException {
    if (channel != null) {
      channel.close();
    }
  }
}
