package dev.headway.probes.chronicle;

import java.util.function.LongSupplier;

/**
 * What a journal's writer takes from the machine, beside the file system of its directory: the
 * queue, which maps its file by itself, two threads, and when a flush is due.
 *
 * @param queues opens the run's queue
 * @param workers makes what allocates ahead and what flushes
 * @param clock a monotonic clock in nanoseconds
 */
record JournalHost(RecordQueue.Opener queues, Worker.Maker workers, LongSupplier clock) {

  /** Chronicle Queue, threads, and the clock of the JVM. */
  static final JournalHost MACHINE =
      new JournalHost(ChronicleQueueFile::open, WorkerThread::new, System::nanoTime);
}
