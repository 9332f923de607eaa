package dev.headway.examples.customprobe;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.events.inprocess.RunDetail;
import dev.headway.events.inprocess.RunProbe;

/** Makes the probe of a {@link LongestWait} for an engine that asks for {@code longest-wait}. */
public final class LongestWaitProvider implements ProbeProvider {

  /** Called by {@link java.util.ServiceLoader}. */
  public LongestWaitProvider() {}

  @Override
  public String name() {
    return "longest-wait";
  }

  @Override
  public String description() {
    return "Remembers the longest wait for admission.";
  }

  @Override
  public Probe create(ProbeContext context) {
    return new RunProbe(new LongestWait(), RunDetail.CHANGES);
  }
}
