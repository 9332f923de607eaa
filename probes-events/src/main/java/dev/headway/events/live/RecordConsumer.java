package dev.headway.events.live;

import dev.headway.events.record.RecordVisitor;
import java.io.IOException;

/**
 * Makes something of the records of a run: files, spans, metrics. The same object serves a journal
 * that is read and an engine that is running ({@link LiveProbe}), and comes to the same result.
 *
 * <p>One thread at a time, behind {@link LiveProbe} never the engine's. What it throws ends its
 * part and nothing else.
 */
public interface RecordConsumer extends RecordVisitor, AutoCloseable {

  /** Who takes the records: itself, unless it is the face of something larger. */
  default RecordVisitor visitor() {
    return this;
  }

  /**
   * A second has passed in which records came, or the last one has come: a good moment to bring up
   * to date what others see.
   *
   * @param records records told so far, those of unknown types among them
   * @throws IOException if that fails; no more records come then, only {@link #close}
   */
  default void flush(long records) throws IOException {}

  /**
   * Nothing comes any more; called once. Writes what waited for more records.
   *
   * @throws IOException if something could not be written; what was written before stays valid
   */
  @Override
  void close() throws IOException;
}
