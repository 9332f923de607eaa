package dev.headway.events.record;

/**
 * Takes the records that an {@link EventRecorder} makes. Engine thread. Nothing comes out of it as
 * an exception but a wrong order of calls; what it cannot keep it counts.
 */
public interface RecordSink extends AutoCloseable {

  /**
   * Takes the start record; always first, and once.
   *
   * @param runId to be handed to {@link RecordBuffer#finish} with each record
   * @param virtualTime whether the sink may make the engine wait rather than drop a record
   * @throws IllegalStateException if it has one already
   */
  void start(RecordBuffer record, long runId, boolean virtualTime);

  /** Whether an event is to be encoded; an event that is not is counted as dropped. */
  boolean accepts();

  /** Like {@link #accepts()}, for an event that carries an instant. */
  boolean accepts(long nowNs);

  /** Takes a record, which it completes with its place in the run, or counts it as dropped. */
  void append(RecordBuffer record);

  /** The records of a step are complete. */
  void stepCompleted();

  /** Nothing is going on. */
  void idle(long nowNs);

  /** Nothing comes any more: takes the end record by itself. */
  @Override
  void close();
}
