package dev.headway.events.jfr;

import dev.headway.events.inprocess.RunDetail;
import dev.headway.events.inprocess.RunProbe;

/**
 * Tells the JDK's Flight Recorder what the scheduler does: {@code dev.headway.Step}, {@code
 * RequestWait}, {@code AdmissionsClosed}, {@code Preemption}, {@code RequestFinished}, {@code
 * RequestRejected}. Recordings can be started, stopped and changed at any time.
 *
 * <p>The start and duration of an event are the recorder's own: those of a decision are of the
 * moment at which it took effect, the end of scheduling. Durations inside events are of the
 * engine's clock, which may be virtual, in nanoseconds; what was not measured is not available
 * ({@link Long#MIN_VALUE}).
 *
 * <p>While no recording wants an event, it costs the test of a flag, and no event is made. The run
 * model behind it goes on, so that a recording which begins in the middle knows who waits: a few
 * objects per request and decision and one per step, however large the batch.
 */
public final class JfrProbe extends RunProbe {

  /** Makes a probe for one engine. */
  public JfrProbe() {
    super(new JfrListener(), RunDetail.CHANGES);
  }
}
