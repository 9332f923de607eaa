package dev.headway.examples.customprobe;

import dev.headway.api.probe.Probe;
import dev.headway.events.inprocess.RunDetail;
import dev.headway.events.inprocess.RunProbe;
import dev.headway.testkit.probe.ProbeContract;

// @start region="contract"
class LongestWaitTest extends ProbeContract {

  @Override
  protected Probe create() {
    return new RunProbe(new LongestWait(0), RunDetail.CHANGES);
  }
}
// @end
