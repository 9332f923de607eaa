package dev.headway.events.jfr;

import dev.headway.events.inprocess.RunDetail;
import dev.headway.events.inprocess.RunProbe;

/**
 * Emits scheduler events to the JDK Flight Recorder: {@code dev.headway.Step}, {@code RequestWait},
 * {@code AdmissionsClosed}, {@code Preemption}, {@code RequestFinished}, {@code RequestRejected}.
 * Recordings can be started, stopped and changed at any time.
 *
 * <p>The start and duration of an event are on the recorder's clock: those of a decision refer to
 * the instant at which it took effect, the end of scheduling. Durations inside events are of the
 * engine's clock, which may be virtual, in nanoseconds; what was not measured is not available
 * ({@link Long#MIN_VALUE}).
 *
 * <p>While no recording has an event enabled, it costs the test of a flag, and no event is created.
 * The run model behind it keeps running, so that a recording started in the middle of a run
 * includes the requests already waiting: a few objects per request and decision and one per step,
 * however large the batch.
 */
public final class JfrProbe extends RunProbe {

  /** Makes a probe for one engine. */
  public JfrProbe() {
    super(new JfrListener(), RunDetail.CHANGES);
  }
}
