package dev.headway.probes.chronicle;

import dev.headway.events.record.MalformedRecordException;
import dev.headway.events.record.RecordBuffer;
import dev.headway.events.record.RecordCursor;
import dev.headway.events.record.RecordDecoder;
import dev.headway.events.record.RecordType;
import dev.headway.events.record.RecordVisitor;
import dev.headway.events.record.RunStartedRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/*
 * What a .cq4 file is (Chronicle Wire, size-prefixed blobs): documents one after another, each at a
 * multiple of four bytes, each with a 32-bit header:
 *
 *   bits 0-29  length of what follows
 *   bit  30    1 = metadata: the file's header and the pages of Chronicle's index; 0 = a record
 *   bit  31    1 = being written
 *   0          nothing here yet: the end
 *   0xC0000000 nothing will come: the end
 *
 * Why not Chronicle's own tailer: it needs JVM flags, opens the queue's lock table for writing, waits
 * for ten seconds and more on a foreign file, maps what may be cut meanwhile, and verifies nothing.
 */
/**
 * Reads the records of one run, verifying each. One thread; memory is bounded by the largest
 * record.
 */
final class RunReader implements AutoCloseable {

  /** What {@link #next} found. */
  enum Found {
    /** A record, and the visitor was called. */
    RECORD,
    /** A page of Chronicle's index, to be skipped. */
    METADATA,
    /** Nothing now. */
    NOTHING,
    /** The end record was the one before. */
    END,
    /** Something that cannot be what was written. */
    DAMAGE
  }

  private static final int WINDOW_BYTES = 256 << 10;
  private static final int LENGTH_MASK = 0x3FFF_FFFF;
  private static final int METADATA = 1 << 30;
  private static final int BEING_WRITTEN = 1 << 31;
  private static final int END_OF_DATA = METADATA | BEING_WRITTEN;
  private static final int MAX_METADATA_BYTES = 1 << 20;
  private static final int MAX_RECORD_BYTES = 4 * RecordBuffer.MAX_RECORD_BYTES;
  private static final byte FILLER = (byte) 0x8F;
  private static final byte[] INDEX_MARK = {(byte) 0xB9, 5, 'i', 'n', 'd', 'e', 'x'};
  private static final byte[] STORE_MARK = "header".getBytes(StandardCharsets.US_ASCII);

  private final Path directory;
  private final boolean isBeingWritten;
  private final Path file;
  private final FileWindow window;
  private final RecordCursor cursor = new RecordCursor();
  private final RecordDecoder decoder = new RecordDecoder(cursor);
  private long position;
  private long records;
  private long runId;
  private long unknownRecords;
  private long droppedRecords;
  private int lastType;
  private @Nullable JournalDamage damage;
  private RunEnd end = RunEnd.OPEN;
  private String problem = "";

  private RunReader(Path directory, boolean isBeingWritten, Path file, FileWindow window) {
    this.directory = directory;
    this.isBeingWritten = isBeingWritten;
    this.file = file;
    this.window = window;
  }

  static RunReader open(Path directory) throws IOException {
    final boolean isBeingWritten = WriterLock.isHeld(directory); // now: it may end while we read
    final Path file = JournalStore.dataFile(directory);
    return file == null
        ? new RunReader(directory, isBeingWritten, directory, FileWindow.onNothing())
        : new RunReader(directory, isBeingWritten, file, FileWindow.open(file, WINDOW_BYTES));
  }

  /** Bytes read so far. */
  long position() {
    return position;
  }

  long records() {
    return records;
  }

  long fileBytes() throws IOException {
    return window.fileBytes();
  }

  /**
   * Says why this is no journal, or null if its first record is a start record.
   *
   * @throws JournalException if a newer version wrote it
   */
  @Nullable String startFault() throws IOException {
    if (file.equals(directory)) {
      return "run has no .cq4 file: dir=" + directory;
    }
    if (!isStore()) {
      return "file is no Chronicle queue: file=" + file + ", bytes=" + window.fileBytes();
    }
    final Found found = seekRecord();
    if (found == Found.DAMAGE && damage != null) {
      return damage.message();
    }
    if (found != Found.RECORD) {
      return "file has no start record: file=" + file + ", offset=" + position;
    }
    if (cursor.length() < RunStartedRecord.MIN_BYTES || !RunStartedRecord.isAt(cursor)) {
      return "first record is no start record: file=" + file + ", offset=" + position;
    }
    if (cursor.schemaVersion() > RecordType.SCHEMA_VERSION) {
      throw new JournalException(
          "journal was written by a newer version: file="
              + file
              + ", schemaVersion="
              + cursor.schemaVersion()
              + ", newest readable="
              + RecordType.SCHEMA_VERSION);
    }
    return null;
  }

  /** Reads the next record and calls {@code visitor}. */
  Found next(RecordVisitor visitor) throws IOException {
    if (end == RunEnd.CLEAN) {
      return Found.END;
    }
    final Found found = damage != null ? Found.DAMAGE : seekRecord();
    if (found != Found.RECORD) {
      return found;
    }
    final long offset = position;
    if (cursor.schemaVersion() < 1 || cursor.schemaVersion() > RecordType.SCHEMA_VERSION) {
      return damaged(
          offset,
          "expected schemaVersion in [1, "
              + RecordType.SCHEMA_VERSION
              + "], found "
              + cursor.schemaVersion());
    }
    position += 4 + cursor.length();
    try {
      if (!decoder.decode(cursor, visitor)) {
        unknownRecords++;
      }
    } catch (MalformedRecordException e) {
      position = offset;
      return damaged(offset, String.valueOf(e.getMessage()));
    }
    records++;
    lastType = cursor.type();
    droppedRecords += decoder.droppedRecords(cursor);
    if (decoder.isEnd(cursor)) {
      end = RunEnd.CLEAN;
    }
    return Found.RECORD;
  }

  /** Ends reading and decides how the run ended. */
  void conclude() throws IOException {
    if (end == RunEnd.CLEAN) {
      position = window.fileBytes();
      return;
    }
    if (damage == null && !isBeingWritten) { // there, what follows is what came since
      final long clear = position + clearance();
      final long stray = window.firstNonZero(clear);
      if (stray >= 0) {
        damaged(position, "expected a record, found none, but data at offset " + stray);
      }
    }
    end = damage != null ? RunEnd.DAMAGED : isBeingWritten ? RunEnd.LIVE : unfinished();
  }

  private RunEnd unfinished() {
    return records == 0 ? RunEnd.NOT_STARTED : RunEnd.CUT;
  }

  RunSummary summary() {
    return new RunSummary(
        directory,
        end,
        records,
        unknownRecords,
        droppedRecords,
        RecordType.name(lastType),
        decoder.lastStepId(),
        decoder.lastInstantNs(),
        damage);
  }

  @Override
  public void close() throws IOException {
    window.close();
  }

  /**
   * Bytes behind the last record that need not be zeros: what was being written when the writer
   * died. Chronicle marks a place as being written or leaves the mark 0, and sets the length last.
   */
  private int clearance() throws IOException {
    final int look = 4 + INDEX_MARK.length;
    window.refill(position, look);
    if (!window.holds(position, look)) {
      return 0;
    }
    if (window.intAt(position) != 0) {
      return 4 + MAX_RECORD_BYTES;
    }
    if (isIndexMark(window.index(position) + 4)) {
      return 4 + MAX_METADATA_BYTES;
    }
    final int ownLength = window.intAt(position + 4);
    return ownLength > 0 && ownLength <= RecordBuffer.MAX_RECORD_BYTES ? 4 + ownLength : 0;
  }

  private boolean isIndexMark(int index) {
    return Arrays.equals(window.array(), index, index + INDEX_MARK.length, INDEX_MARK, 0, 7);
  }

  private boolean isStore() throws IOException {
    final int mark = 6;
    if (!window.holds(0, mark + STORE_MARK.length)) {
      return false;
    }
    final int header = window.intAt(0);
    if ((header & END_OF_DATA) != METADATA) {
      return false;
    }
    for (int index = 0; index < STORE_MARK.length; index++) {
      if (window.array()[mark + index] != STORE_MARK[index]) {
        return false;
      }
    }
    return true;
  }

  /** Points the cursor at the record at or behind the position, checked. */
  private Found seekRecord() throws IOException {
    Found found = look();
    while (found == Found.METADATA) {
      position = (position + 4 + (window.intAt(position) & LENGTH_MASK) + 3) & -4L;
      found = look();
    }
    return found == Found.DAMAGE ? damaged(position, problem) : found;
  }

  /** Looks at the position; again, if the window may be older than what the writer does there. */
  private Found look() throws IOException {
    final Found found = lookInWindow();
    if (found == Found.RECORD || found == Found.METADATA) {
      return found;
    }
    window.refill(position, 4);
    return lookInWindow();
  }

  private Found lookInWindow() throws IOException {
    if (!window.holds(position, 4)) {
      return Found.NOTHING;
    }
    final int header = window.intAt(position);
    if (header == 0 || header == END_OF_DATA || header == BEING_WRITTEN) {
      return Found.NOTHING;
    }
    if ((header & BEING_WRITTEN) != 0) {
      problem = String.format("expected a header, found %08x", header);
      return Found.DAMAGE;
    }
    final int length = header & LENGTH_MASK;
    return (header & METADATA) != 0 ? lookAtMetadata(length) : lookAtRecord(length);
  }

  private Found lookAtMetadata(int length) throws IOException {
    if (length > MAX_METADATA_BYTES || !window.holds(position, 4 + length)) {
      problem = "expected metadata of <= 1048576 bytes inside the file, found " + length;
      return Found.DAMAGE;
    }
    cursor.wrap(window.array(), window.index(position) + 4, length);
    if (cursor.fault(records + 1, runId()) == null) {
      problem = "expected a record, found one that is marked as metadata";
      return Found.DAMAGE;
    }
    if (records > 0) {
      final int expected = indexPageBytes(window.index(position) + 4, length);
      if (length != expected) {
        problem = "expected an index page of " + expected + " bytes, found " + length;
        return Found.DAMAGE;
      }
    }
    return Found.METADATA;
  }

  /**
   * Bytes that a page of Chronicle's index at {@code index} has by its own account, -1 if there is
   * none: event "index", filler up to a multiple of eight, an array of i64 with capacity and use.
   */
  private int indexPageBytes(int index, int length) {
    final byte[] bytes = window.array();
    if (length < 64 || !isIndexMark(index)) {
      return -1;
    }
    int at = index + 7;
    while (bytes[at] == FILLER && at < index + 15) {
      at++;
    }
    return at + 17 - index + 8 * window.intAtIndex(at + 1);
  }

  private Found lookAtRecord(int length) throws IOException {
    if (length > MAX_RECORD_BYTES) {
      problem = "expected a record of <= " + MAX_RECORD_BYTES + " bytes, found " + length;
      return Found.DAMAGE;
    }
    if (!window.holds(position, 4 + length)) {
      problem = "expected a record of " + length + " bytes, found the end of the file";
      return Found.DAMAGE;
    }
    cursor.wrap(window.array(), window.index(position) + 4, length);
    final String fault = cursor.fault(records + 1, runId());
    problem = fault == null ? "" : fault;
    return fault == null ? Found.RECORD : Found.DAMAGE;
  }

  /**
   * The id of the run; of its first record that is its own claim, which the checksum covers too.
   */
  private long runId() {
    if (records == 0) {
      runId = cursor.length() < RunStartedRecord.MIN_BYTES ? 0 : RunStartedRecord.runId(cursor);
    }
    return runId;
  }

  private Found damaged(long offset, String problem) {
    damage = new JournalDamage(file, offset, records + 1, problem);
    end = RunEnd.DAMAGED;
    return Found.DAMAGE;
  }
}
