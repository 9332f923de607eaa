package dev.headway.events.inprocess;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.record.EventRecorder;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.RecordBuffer;
import dev.headway.events.record.RecordCursor;
import dev.headway.events.record.RecordDecoder;
import dev.headway.events.record.RecordSink;
import dev.headway.events.record.RunEndedRecord;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Encodes every event and decodes it at once: what a reader of a journal's bytes is notified of.
 */
final class JournalBytesProbe extends EventRecorder {

  JournalBytesProbe(JournalLevel level, RunListener listener) {
    super(level, new ThroughBytes(new RunModel(listener)));
  }

  private static final class ThroughBytes implements RecordSink {
    private final RunModel model;
    private final RecordCursor cursor = new RecordCursor();
    private final RecordDecoder decoder = new RecordDecoder(cursor);
    private long runId;
    private long sequence;
    private long latestNs;

    ThroughBytes(RunModel model) {
      this.model = model;
    }

    @Override
    public void start(RecordBuffer record, long id, boolean virtualTime) {
      runId = id;
      append(record);
    }

    @Override
    public boolean accepts() {
      return true;
    }

    @Override
    public boolean accepts(long nowNs) {
      latestNs = Math.max(latestNs, nowNs);
      return true;
    }

    @Override
    public void append(RecordBuffer record) {
      final int length = record.finish(++sequence, runId);
      cursor.wrap(record.array(), 0, length);
      if (!decoder.decode(cursor, model)) {
        throw new AssertionError("unknown record: sequence=" + sequence);
      }
    }

    @Override
    public void stepCompleted() {}

    @Override
    public void idle(long nowNs) {
      accepts(nowNs);
      try {
        model.flush(sequence);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      final RecordBuffer end = new RecordBuffer(64);
      RunEndedRecord.encode(end, latestNs);
      append(end);
      try {
        model.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
