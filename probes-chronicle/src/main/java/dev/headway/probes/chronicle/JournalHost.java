package dev.headway.probes.chronicle;

import java.util.function.LongSupplier;

/**
 * What a journal's writer takes from the machine, beside the file system of its directory: the
 * queue, which maps its file by itself, two threads, when a flush is due, and how much is allocated
 * at a time.
 *
 * @param queues opens the run's queue
 * @param workers makes what allocates ahead and what flushes
 * @param clock a monotonic clock in nanoseconds
 * @param chunkBytes bytes that one call of {@link JournalSpace#extend} allocates
 */
record JournalHost(
    RecordQueue.Opener queues, Worker.Maker workers, LongSupplier clock, int chunkBytes) {

  /** Chronicle Queue, threads, and the clock of the JVM. */
  static final JournalHost MACHINE =
      new JournalHost(ChronicleQueueFile::open, WorkerThread::new, System::nanoTime, 1 << 20);
}
