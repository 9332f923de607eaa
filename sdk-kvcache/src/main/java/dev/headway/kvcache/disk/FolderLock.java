package dev.headway.kvcache.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Says that a folder is in use: two that bound its bytes would exceed them. */
final class FolderLock implements AutoCloseable {

  private final FileChannel file;

  private FolderLock(FileChannel file) {
    this.file = file;
  }

  /**
   * Takes a folder.
   *
   * @throws IllegalStateException if it is in use
   */
  static FolderLock of(Path folder) throws IOException {
    final FileChannel file =
        FileChannel.open(
            folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      final FileLock lock = file.tryLock();
      if (lock != null) {
        return new FolderLock(file);
      }
    } catch (OverlappingFileLockException e) {
      // in use in this process
    } catch (IOException e) {
      file.close();
      throw e;
    }
    file.close();
    throw new IllegalStateException(
        "a folder of KV blocks must be used by one tier at a time: folder="
            + folder
            + "; close the other, or give this one a folder of its own");
  }

  @Override
  public void close() {
    try {
      file.close(); // and with it the lock
    } catch (IOException e) {
      throw new UncheckedIOException("the lock of a folder could not be given back", e);
    }
  }
}
