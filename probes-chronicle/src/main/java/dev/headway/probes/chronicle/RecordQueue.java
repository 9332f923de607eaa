package dev.headway.probes.chronicle;

import java.nio.file.Path;

/** The queue of one run, which is never read here. One thread at a time. */
interface RecordQueue extends AutoCloseable {

  /** Opens the queue of a run, which has no data file yet. */
  @FunctionalInterface
  interface Opener {
    /**
     * Opens it.
     *
     * @param openedMs the time of the queue, which never changes
     * @throws RuntimeException or {@link InternalError} if it cannot be opened
     */
    RecordQueue open(Path run, long openedMs, long blockBytes);
  }

  /**
   * Appends the first {@code length} bytes of {@code record} as one excerpt; allocates nothing.
   *
   * @return the position in the file after them
   * @throws RuntimeException or {@link InternalError} if it failed; the excerpt may then be torn
   */
  long append(byte[] record, int length);

  @Override
  void close();
}
