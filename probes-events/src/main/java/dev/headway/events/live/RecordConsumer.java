package dev.headway.events.live;

import dev.headway.events.record.RecordVisitor;
import java.io.IOException;

/**
 * Processes the records of a run into files, spans or metrics. The same object works on a journal
 * and on a running engine ({@link LiveProbe}), with the same result.
 *
 * <p>One thread at a time, behind {@link LiveProbe} never the engine's. An exception detaches this
 * consumer only.
 */
public interface RecordConsumer extends RecordVisitor, AutoCloseable {

  /** The visitor of the records: this object, unless it wraps another. */
  default RecordVisitor visitor() {
    return this;
  }

  /**
   * A second has passed in which records came, or the last one has come: a good moment to publish
   * or flush.
   *
   * @param records records passed so far, including those of unknown types
   * @throws IOException if that fails; no more records come then, only {@link #close}
   */
  default void flush(long records) throws IOException {}

  /**
   * No more records follow; called once. Writes what is still pending.
   *
   * @throws IOException if something could not be written; what was written before stays valid
   */
  @Override
  void close() throws IOException;
}
