package dev.headway.probes.chronicle;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.rollcycles.SparseRollCycles;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

/**
 * A Chronicle queue of one {@code .cq4} file that never rolls, because the queue's clock is
 * constant.
 */
final class ChronicleQueueFile implements RecordQueue {

  /**
   * An index entry per 2^20 records: Chronicle keeps the block of every page of its index mapped,
   * and with one entry per 256 records there was a page per 330 MB of journal. Our reader does not
   * use the index.
   */
  private static final RollCycle CYCLE = SparseRollCycles.LARGE_HOURLY_XSPARSE;

  private final Path run;
  private final SingleChronicleQueue queue;
  private final ExcerptAppender appender;

  private ChronicleQueueFile(Path run, SingleChronicleQueue queue, ExcerptAppender appender) {
    this.run = run;
    this.queue = queue;
    this.appender = appender;
    appender.singleThreadedCheckDisabled(true);
  }

  /** Opens the queue with an appender; its data file is made at the first record. */
  static RecordQueue open(Path run, long openedMs, long blockBytes) {
    final SingleChronicleQueue queue =
        SingleChronicleQueueBuilder.single(run.toFile())
            .rollCycle(CYCLE)
            .timeProvider(() -> openedMs)
            .blockSize(blockBytes)
            .checkInterrupts(false)
            .build();
    try {
      return new ChronicleQueueFile(run, queue, queue.createAppender());
    } catch (RuntimeException | Error e) {
      queue.close();
      throw e;
    }
  }

  /** The name of the data file of a queue that was opened at an instant. */
  static String fileName(long openedMs) {
    return DateTimeFormatter.ofPattern(CYCLE.format())
            .withZone(ZoneOffset.UTC)
            .format(Instant.ofEpochMilli(openedMs))
        + SingleChronicleQueue.SUFFIX;
  }

  @Override
  public long append(byte[] record, int length) {
    try (DocumentContext document = appender.writingDocument()) {
      return write(document, record, length);
    }
  }

  private long write(DocumentContext document, byte[] record, int length) {
    final Wire wire = document.wire();
    if (wire == null) {
      throw new IllegalStateException("queue gave no wire to write to: dir=" + run);
    }
    final Bytes<?> bytes = wire.bytes();
    final long start = bytes.writePosition();
    try {
      bytes.write(record, 0, length);
    } catch (RuntimeException | Error e) {
      document.rollbackOnClose();
      throw e;
    }
    return start + length;
  }

  @Override
  public void close() {
    appender.close();
    queue.close();
  }
}
