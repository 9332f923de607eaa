package dev.headway.report.profile;

import dev.headway.toolbox.output.WholeWrites;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.GZIPOutputStream;

/**
 * A file of lines that a reader may follow: it holds whole lines. One thread.
 *
 * <p>A file that exists is continued; if it ends within a line, as after a crash, that line is
 * ended first. A compressed one cannot be continued safely, so it is put aside. A file that has
 * grown to its limit is put aside too, as {@code NAME.1.jsonl}, {@code NAME.2.jsonl} and so on; the
 * highest number is the latest.
 */
public final class ProfileFile implements LineSink {

  private static final int FLUSH_LINES = 100;
  private static final int FLUSH_CHARS = 1 << 18;

  private final Path path;
  private final long rotateBytes;
  private final StringBuilder lines = new StringBuilder(1 << 14);
  private FileChannel channel;
  private OutputStream compressed = OutputStream.nullOutputStream();
  private int waiting;
  private long lost;

  private ProfileFile(Path path, long rotateBytes, FileChannel channel) {
    this.path = path;
    this.rotateBytes = rotateBytes;
    this.channel = channel;
  }

  /**
   * Opens the file and makes its directories.
   *
   * @param rotateBytes size from which on it is put aside; 0 for never
   * @throws IOException if it cannot be written
   */
  public static ProfileFile open(Path path, long rotateBytes) throws IOException {
    final Path directory = path.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    if (isCompressed(path) && Files.exists(path) && Files.size(path) > 0) {
      putAside(path);
    }
    final ProfileFile file = new ProfileFile(path, rotateBytes, channel(path));
    file.begin();
    return file;
  }

  @Override
  public String name() {
    return path.toString();
  }

  /** Writes a line, which reaches the file with the hundredth or the next {@link #flush}. */
  @Override
  public void append(CharSequence line) throws IOException {
    lines.append(line).append('\n');
    waiting++;
    if (waiting >= FLUSH_LINES || lines.length() >= FLUSH_CHARS) {
      flush();
    }
  }

  /**
   * Hands all lines to the operating system.
   *
   * @throws IOException if it takes none; no part of a line is left behind
   */
  @Override
  public void flush() throws IOException {
    if (waiting == 0) {
      return;
    }
    final byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
    final int handedOver = waiting;
    lines.setLength(0);
    waiting = 0;
    lost += handedOver; // until the system has them
    if (isCompressed(path)) {
      compressed.write(bytes);
      compressed.flush();
    } else {
      WholeWrites.append(channel, ByteBuffer.wrap(bytes));
    }
    lost -= handedOver;
    if (rotateBytes > 0 && channel.position() >= rotateBytes) {
      rotate();
    }
  }

  @Override
  public long lost() {
    return lost;
  }

  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      try {
        flush();
      } finally {
        compressed.close();
        channel.close();
      }
    }
  }

  private void rotate() throws IOException {
    compressed.close();
    channel.close();
    putAside(path);
    channel = channel(path);
    begin();
  }

  private void begin() throws IOException {
    if (isCompressed(path)) {
      compressed = new GZIPOutputStream(Channels.newOutputStream(channel), 1 << 13, true);
    } else if (channel.size() > 0) {
      endLine();
    }
  }

  /** After a crash the last line may lack its end. */
  private void endLine() throws IOException {
    final ByteBuffer last = ByteBuffer.allocate(1);
    channel.read(last, channel.size() - 1);
    channel.position(channel.size());
    if (last.get(0) != '\n') {
      channel.write(ByteBuffer.wrap(new byte[] {'\n'}));
    }
  }

  private static FileChannel channel(Path path) throws IOException {
    return FileChannel.open(
        path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static boolean isCompressed(Path path) {
    return path.toString().endsWith(".gz");
  }

  private static void putAside(Path path) throws IOException {
    final String name = String.valueOf(path.getFileName());
    final int dot = name.contains(".jsonl") ? name.lastIndexOf(".jsonl") : name.length();
    int number = 1;
    Path aside = numbered(path, name, dot, number);
    while (Files.exists(aside)) {
      aside = numbered(path, name, dot, ++number);
    }
    Files.move(path, aside);
  }

  private static Path numbered(Path path, String name, int dot, int number) {
    return path.resolveSibling(name.substring(0, dot) + "." + number + name.substring(dot));
  }
}
