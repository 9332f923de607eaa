package dev.headway.events.jfr;

import dev.headway.api.probe.Probe;
import dev.headway.testkit.probe.ProbeContract;

/** The Flight Recorder probe keeps the contract. */
class JfrProbeContractTest extends ProbeContract {

  @Override
  protected Probe create() {
    return new JfrProbe();
  }
}
