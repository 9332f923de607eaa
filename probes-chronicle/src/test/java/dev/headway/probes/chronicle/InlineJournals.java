package dev.headway.probes.chronicle;

import dev.headway.events.record.JournalLevel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;

/**
 * Journals without threads or a clock: what their threads would do is done inside the calls that
 * wake them, so that the file calls of a run have one order. With a directory of {@code
 * FaultyFiles} each of them can be made to fail.
 */
public final class InlineJournals {

  /** How room is made for records. */
  public enum Room {
    /** Ahead of them, as on an idle machine. */
    AHEAD(JournalHost.MACHINE.chunkBytes()),

    /**
     * When there is none left, and little at a time: what allocates ahead gets no processor. A
     * short run can come to a full disk.
     */
    LATE(2 * JournalStore.MARGIN_BYTES + (16 << 10));

    private final int chunkBytes;

    Room(int chunkBytes) {
      this.chunkBytes = chunkBytes;
    }
  }

  private InlineJournals() {}

  /** Opens a journal that flushes after each step and whose appends do not fail. */
  public static JournalProbe open(Path directory, JournalLevel level) throws IOException {
    return open(directory, level, 1, Room.AHEAD, append -> false);
  }

  /**
   * Opens a journal.
   *
   * @param flushIterations steps after which it flushes
   * @param fails whether the append of that number, from 1, fails as a store to mapped memory does
   */
  public static JournalProbe open(
      Path directory, JournalLevel level, int flushIterations, Room room, LongPredicate fails)
      throws IOException {
    final JournalOptions options =
        new JournalOptions(
            directory, level, flushIterations, 60, 32 * Journals.MEBIBYTE, Journals.MEBIBYTE);
    return JournalProbe.open(options, host(room, fails));
  }

  private static JournalHost host(Room room, LongPredicate fails) {
    final AtomicLong seconds = new AtomicLong();
    return new JournalHost(
        (run, openedMs, blockBytes) ->
            new FailingQueue(ChronicleQueueFile.open(run, openedMs, blockBytes), fails),
        (name, duty) ->
            new InlineWorker(duty, room == Room.LATE && name.equals(JournalSpace.THREAD)),
        () -> seconds.incrementAndGet() * 1_000_000_000L,
        room.chunkBytes);
  }

  /** Does its duty on the thread that wakes it, unless it is starved. */
  private static final class InlineWorker implements Worker {
    private final Duty duty;
    private final boolean starved;
    private boolean started;
    private boolean atWork;

    InlineWorker(Duty duty, boolean starved) {
      this.duty = duty;
      this.starved = starved;
    }

    @Override
    public void start() {
      started = true;
      wake();
    }

    @Override
    public void wake() {
      if (!started || starved || atWork) {
        return;
      }
      atWork = true;
      final boolean interrupted = Thread.interrupted(); // a thread of its own would not be
      try {
        while (duty.work() == 0) {
          // more is due
        }
      } finally {
        atWork = false;
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    @Override
    public void close() {
      started = false;
    }
  }

  /** A queue in front of the real one. */
  private static final class FailingQueue implements RecordQueue {
    private final RecordQueue real;
    private final LongPredicate fails;
    private long appends;

    FailingQueue(RecordQueue real, LongPredicate fails) {
      this.real = real;
      this.fails = fails;
    }

    @Override
    public long append(byte[] record, int length) {
      if (fails.test(++appends)) {
        throw new InternalError("a fault occurred in an unsafe memory access operation");
      }
      return real.append(record, length);
    }

    @Override
    public void close() {
      real.close();
    }
  }
}
