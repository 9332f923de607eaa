package dev.headway.testkit.files;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** How a call fails, with the message that Linux gives. */
public enum FileFault {
  /** ENOSPC. */
  DISK_FULL("No space left on device"),
  /** EIO. */
  INPUT_OUTPUT("Input/output error"),
  /** EROFS. */
  READ_ONLY("Read-only file system"),
  /** ENOENT: the directory was removed. */
  VANISHED("No such file or directory");

  private final String message;

  FileFault(String message) {
    this.message = message;
  }

  /** What a message about the fault contains. */
  public String message() {
    return message;
  }

  /** The exception that the JDK throws for it. */
  public IOException exception(Path path) {
    return this == VANISHED
        ? new NoSuchFileException(path.toString(), null, message)
        : new FileSystemException(path.toString(), null, message);
  }
}
