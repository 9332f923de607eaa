package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.step.FirstOfKind;
import org.jspecify.annotations.Nullable;

/** Reads a STEP_COMPLETED record in place; the table is in {@link StepCompletedRecord}. */
final class CompletedStepView implements CompletedStep {

  private static final int COUNTS = 3;
  private static final int COUNTS_BYTES = COUNTS * Integer.BYTES;

  private RecordCursor in;
  private int batchSize;
  private int producedBytes;

  CompletedStepView(RecordCursor in) {
    this.in = in;
  }

  void wrap(RecordCursor record) {
    in = record;
    batchSize = record.intAt(96);
    producedBytes = record.intAt(100);
    if (producedBytes < -1 || producedBytes > 4) {
      throw new MalformedRecordException(
          "expected producedBytes -1, 0, 1 or 4, found " + producedBytes);
    }
    record.require(StepCompletedRecord.PRODUCED_OFFSET, arrayBytes());
    // what is none of a text or a count must be found before the visitor takes anything
    failure();
    tail(COUNTS - 1);
    final int positions = acceptedPositions();
    if (positions < 0) {
      throw new MalformedRecordException("expected positions >= 0, found " + positions);
    }
    for (int left = positions; left > 0; left--) {
      in.nextCount();
    }
    final long experts = activatedExperts();
    if (experts < 0 && experts != ABSENT) {
      throw new MalformedRecordException("expected activatedExperts >= 0, found " + experts);
    }
  }

  @Override
  public long stepId() {
    return in.longAt(16);
  }

  @Override
  public boolean wasExecuted() {
    return (in.intAt(92) & StepCompletedRecord.EXECUTED) != 0;
  }

  @Override
  public FirstOfKind firstOfKind() {
    return StepCompletedRecord.firstOfKind(in.intAt(92));
  }

  @Override
  public long submitNs() {
    return in.longAt(24);
  }

  @Override
  public long outputNs() {
    return in.longAt(32);
  }

  @Override
  public long endNs() {
    return in.longAt(40);
  }

  @Override
  public long prepareNs() {
    return in.longAt(48);
  }

  @Override
  public long forwardNs() {
    return in.longAt(56);
  }

  @Override
  public long sampleNs() {
    return in.longAt(64);
  }

  @Override
  public long deviceMemoryUsedBytes() {
    return in.longAt(72);
  }

  @Override
  public long deviceUtilizationPermille() {
    return in.longAt(80);
  }

  @Override
  public int producedTotal() {
    return in.intAt(88);
  }

  @Override
  public boolean hasEntries() {
    return producedBytes >= 0;
  }

  @Override
  public int producedTokens(int entry) {
    PlannedRecord.requireEntry(entry, batchSize, hasEntries());
    if (producedBytes == 0) {
      return in.intAt(104);
    }
    final int at = StepCompletedRecord.PRODUCED_OFFSET + entry * producedBytes;
    return producedBytes == 1 ? in.byteAt(at) : in.intAt(at);
  }

  @Override
  public @Nullable String failure() {
    seekFailure();
    return in.nextNullableText();
  }

  @Override
  public int drafts() {
    return tail(0);
  }

  @Override
  public int draftTokens() {
    return tail(1);
  }

  @Override
  public int acceptedTokens() {
    return tail(2);
  }

  @Override
  public long measuredScheduleNs() {
    seekFailure();
    in.skipText();
    if (in.remaining() < COUNTS_BYTES + Long.BYTES) {
      return ABSENT;
    }
    for (int i = 0; i < COUNTS; i++) {
      in.nextCount();
    }
    return in.nextLong();
  }

  @Override
  public int acceptedPositions() {
    return seekPositions() ? in.nextCount() : 0;
  }

  @Override
  public int acceptedTokensAt(int position) {
    final int positions = acceptedPositions();
    if (position < 0 || position >= positions) {
      throw new IndexOutOfBoundsException(
          "position must be in [0, acceptedPositions): position="
              + position
              + ", acceptedPositions="
              + positions);
    }
    for (int i = 0; i < position; i++) {
      in.nextCount();
    }
    return in.nextCount();
  }

  @Override
  public long activatedExperts() {
    if (!seekPositions()) {
      return ABSENT;
    }
    for (int left = in.nextCount(); left > 0; left--) {
      in.nextCount();
    }
    return in.remaining() < Long.BYTES ? ABSENT : in.nextLong();
  }

  /** Goes to the number of positions; false if the record has none. */
  private boolean seekPositions() {
    seekFailure();
    in.skipText();
    if (in.remaining() < COUNTS_BYTES + Long.BYTES + Integer.BYTES) {
      return false;
    }
    for (int i = 0; i < COUNTS; i++) {
      in.nextCount();
    }
    in.nextLong();
    return true;
  }

  private int tail(int index) {
    seekFailure();
    in.skipText();
    if (in.remaining() < COUNTS_BYTES) {
      return 0; // minor 0
    }
    for (int i = 0; i < index; i++) {
      in.nextCount();
    }
    return in.nextCount();
  }

  private void seekFailure() {
    in.seek((int) (StepCompletedRecord.PRODUCED_OFFSET + arrayBytes()));
  }

  private long arrayBytes() {
    return (long) batchSize * Math.max(0, producedBytes);
  }
}
