package dev.headway.api.probe;

/**
 * Something that a probe is notified of. Events are reused views: valid during the call, on the
 * engine thread, and reading them allocates nothing. A figure that is added later is a new method
 * with a default, so that probes and readers written before keep working.
 */
public interface ProbeEvent {

  /**
   * The step that the event belongs to: of a decision the step being planned, of anything else the
   * step planned last; 0 before the first.
   */
  long stepId();

  /**
   * When it happened, of the engine's clock. A decision of a step takes effect when the planning of
   * the step ends: its instant is not known yet, so that this is {@link dev.headway.api.Absent} and
   * {@link PlannedEvent#endNs()} follows.
   */
  long atNs();
}
