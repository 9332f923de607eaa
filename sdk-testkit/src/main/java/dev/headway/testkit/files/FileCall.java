package dev.headway.testkit.files;

/** What a program asks of a file system. */
public enum FileCall {
  /** The names in a directory, as the directory is opened. */
  LIST,
  /** Whether a file exists, what it is, how large, its real path. */
  LOOK,
  /** A new directory. */
  CREATE_DIRECTORY,
  /** A file opened or made. */
  OPEN,
  /** Bytes from a channel. */
  READ,
  /** Bytes to a channel. */
  WRITE,
  /** The length of an open file asked or cut. */
  RESIZE,
  /** A channel forced to the device. */
  FORCE,
  /** A lock of a file. */
  LOCK,
  /** A file mapped from a channel, or handed to code that opens it by {@code Path.toFile()}. */
  MAP,
  /** A rename. */
  MOVE,
  /** A file or directory deleted. */
  DELETE,
  /** The free space. */
  SPACE
}
