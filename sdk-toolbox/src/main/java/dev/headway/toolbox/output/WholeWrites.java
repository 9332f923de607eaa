package dev.headway.toolbox.output;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Writes to the end of a file that leave nothing half written behind. */
public final class WholeWrites {

  private WholeWrites() {}

  /**
   * Writes all of a buffer, or nothing: a full disk must not leave half a row.
   *
   * @param channel stands at the end of its file
   * @throws IOException why it was not written; the file is then as before, if it is a file and not
   *     a pipe or a device
   */
  public static void append(FileChannel channel, ByteBuffer bytes) throws IOException {
    final long end = channel.position();
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      try {
        channel.truncate(end);
      } catch (IOException noFile) { // a pipe or a device
        e.addSuppressed(noFile);
      }
      throw e;
    }
  }
}
