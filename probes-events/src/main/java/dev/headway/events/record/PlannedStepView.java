package dev.headway.events.record;

/** Reads a PLANNED record in place; the table is in {@link PlannedRecord}. */
final class PlannedStepView implements PlannedStep {

  private RecordCursor in;
  private int batchSize;
  private int entryBytes;
  private long baseNumber;

  PlannedStepView(RecordCursor in) {
    this.in = in;
  }

  void wrap(RecordCursor record) {
    in = record;
    batchSize = record.intAt(40);
    entryBytes = record.intAt(76);
    baseNumber = record.longAt(80);
    if (entryBytes != 0
        && entryBytes != PlannedRecord.COMPACT_BYTES
        && entryBytes != PlannedRecord.WIDE_BYTES) {
      throw new MalformedRecordException("expected entryBytes 0, 16 or 28, found " + entryBytes);
    }
    record.require(PlannedRecord.ENTRIES_OFFSET, (long) batchSize * entryBytes);
  }

  @Override
  public long stepId() {
    return in.longAt(16);
  }

  @Override
  public long beginNs() {
    return in.longAt(24);
  }

  @Override
  public long endNs() {
    return in.longAt(32);
  }

  @Override
  public int batchSize() {
    return batchSize;
  }

  @Override
  public int totalTokens() {
    return in.intAt(44);
  }

  @Override
  public int prefillRequests() {
    return in.intAt(48);
  }

  @Override
  public int prefillTokens() {
    return in.intAt(52);
  }

  @Override
  public int runningCount() {
    return in.intAt(56);
  }

  @Override
  public int waitingCount() {
    return in.intAt(60);
  }

  @Override
  public int preemptedWaitingCount() {
    return in.intAt(64);
  }

  @Override
  public int freeBlocks() {
    return in.intAt(68);
  }

  @Override
  public int encodedItems() {
    return encoded(0);
  }

  @Override
  public int encodedEmbeddings() {
    return encoded(Integer.BYTES);
  }

  private int encoded(int offset) {
    final int tail = PlannedRecord.ENTRIES_OFFSET + batchSize * entryBytes;
    in.seek(tail);
    return in.remaining() >= 2 * Integer.BYTES ? in.intAt(tail + offset) : 0;
  }

  @Override
  public boolean hasEntries() {
    return entryBytes != 0 || batchSize == 0;
  }

  @Override
  public long number(int entry) {
    final int at = at(entry);
    return isCompact() ? baseNumber + in.intAt(at) : in.longAt(at);
  }

  @Override
  public int computedTokens(int entry) {
    return in.intAt(at(entry) + (isCompact() ? 4 : 8)) & 0x7FFF_FFFF;
  }

  @Override
  public EntryPhase phase(int entry) {
    if (in.schemaVersion() < 2) {
      return EntryPhase.UNKNOWN;
    }
    return in.intAt(at(entry) + (isCompact() ? 4 : 8)) < 0 ? EntryPhase.DECODE : EntryPhase.PREFILL;
  }

  @Override
  public int scheduledTokens(int entry) {
    final int at = at(entry);
    return isCompact() ? in.intAt(at + 8) & 0x7FFF_FFFF : in.intAt(at + 12);
  }

  @Override
  public boolean samples(int entry) {
    final int at = at(entry);
    return isCompact() ? in.intAt(at + 8) < 0 : in.intAt(at + 16) != 0;
  }

  @Override
  public int blockCount(int entry) {
    final int at = at(entry);
    return isCompact()
        ? in.intAt(at + 12) & ((1 << PlannedRecord.BLOCK_COUNT_BITS) - 1)
        : in.intAt(at + 20);
  }

  @Override
  public int newBlocks(int entry) {
    final int at = at(entry);
    if (!isCompact()) {
      return in.intAt(at + 24);
    }
    final int fresh = in.intAt(at + 12) >>> PlannedRecord.BLOCK_COUNT_BITS;
    return fresh == PlannedRecord.ALL_BLOCKS ? blockCount(entry) : fresh;
  }

  private boolean isCompact() {
    return entryBytes == PlannedRecord.COMPACT_BYTES;
  }

  private int at(int entry) {
    PlannedRecord.requireEntry(entry, batchSize, entryBytes != 0);
    return PlannedRecord.ENTRIES_OFFSET + entry * entryBytes;
  }
}
