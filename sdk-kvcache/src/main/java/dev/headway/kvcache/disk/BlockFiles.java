package dev.headway.kvcache.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The files of a folder, one for each block, big-endian:
 *
 * <pre>
 *  0  magic     i32  "HWKV"
 *  4  version   i32  1
 *  8  length    i32  bytes of the block
 * 12  checksum  i32  CRC-32C of the name, in ASCII, and the bytes of the block
 * 16  the bytes of the block
 * </pre>
 *
 * <p>A file is written aside and renamed, and not forced to the device: what a crash of the machine
 * tears has another checksum. Any thread; one writer of a name at a time.
 */
final class BlockFiles {

  /** In front of the block's bytes. */
  static final int HEADER_BYTES = 16;

  private static final int MAGIC = 0x48574b56;
  private static final int VERSION = 1;
  private static final String SUFFIX = ".kv";
  private static final String ASIDE = ".tmp";

  private final Path folder;

  BlockFiles(Path folder) {
    this.folder = folder;
  }

  /** A file that is there. */
  record Found(String name, long bytes, long modifiedMs) {}

  /** Returns the files that are there, oldest first, and deletes what was left aside. */
  List<Found> scan() throws IOException {
    final List<Found> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        final String name = file.getFileName().toString();
        if (name.endsWith(ASIDE)) {
          Files.delete(file);
        } else if (name.endsWith(SUFFIX)) {
          final BasicFileAttributes about = Files.readAttributes(file, BasicFileAttributes.class);
          final String block = name.substring(0, name.length() - SUFFIX.length());
          found.add(new Found(block, about.size(), about.lastModifiedTime().toMillis()));
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    found.sort(Comparator.comparingLong(Found::modifiedMs).thenComparing(Found::name));
    return found;
  }

  /**
   * Reads a block.
   *
   * @param target receives its bytes; as large as these
   * @throws CorruptBlockException if the file is not what was written
   * @throws IOException if it cannot be read
   */
  void read(String name, ByteBuffer target) throws IOException {
    final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    try (FileChannel file = FileChannel.open(path(name), StandardOpenOption.READ)) {
      fill(file, name, header);
      fill(file, name, target);
      if (file.position() != file.size()) {
        throw new CorruptBlockException(
            "a file of a block must end behind it: file=" + path(name) + ", bytes=" + file.size());
      }
    }
    header.flip();
    target.flip();
    final int magic = header.getInt();
    final int version = header.getInt();
    final int length = header.getInt();
    final int checksum = header.getInt();
    if (magic != MAGIC || version != VERSION || length != target.limit()) {
      throw new CorruptBlockException(
          "a file of a block must begin with magic, version and length: file="
              + path(name)
              + ", magic="
              + Integer.toHexString(magic)
              + ", version="
              + version
              + ", length="
              + length
              + ", blockBytes="
              + target.limit());
    }
    if (checksum != checksum(name, target)) {
      throw new CorruptBlockException("the checksum must be that of the block: file=" + path(name));
    }
  }

  private void fill(FileChannel file, String name, ByteBuffer target) throws IOException {
    while (target.hasRemaining()) {
      if (file.read(target) < 0) {
        throw new CorruptBlockException(
            "a file of a block must have all its bytes: file="
                + path(name)
                + ", missing="
                + target.remaining());
      }
    }
  }

  /**
   * Writes a block.
   *
   * @param block its bytes, from position 0 to the limit
   * @throws IOException if it is not written; then there is nothing of it
   */
  void write(String name, ByteBuffer block) throws IOException {
    final Path aside = folder.resolve(name + ASIDE);
    try {
      try (FileChannel file =
          FileChannel.open(
              aside,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        writeAll(file, header(name, block));
        writeAll(file, block.duplicate());
      }
      Files.move(aside, path(name), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      try {
        Files.deleteIfExists(aside);
      } catch (IOException later) {
        e.addSuppressed(later);
      }
      throw e;
    }
  }

  private static ByteBuffer header(String name, ByteBuffer block) {
    return ByteBuffer.allocate(HEADER_BYTES)
        .putInt(MAGIC)
        .putInt(VERSION)
        .putInt(block.limit())
        .putInt(checksum(name, block))
        .flip();
  }

  private static void writeAll(FileChannel file, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
  }

  private static int checksum(String name, ByteBuffer block) {
    final CRC32C sum = new CRC32C();
    sum.update(name.getBytes(StandardCharsets.US_ASCII));
    sum.update(block.duplicate());
    return (int) sum.getValue();
  }

  /** Deletes a block's file, if there is one. */
  void delete(String name) throws IOException {
    Files.deleteIfExists(path(name));
  }

  private Path path(String name) {
    return folder.resolve(name + SUFFIX);
  }
}
