package dev.headway.examples.customprobe;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;

/** Makes a {@link LongestWaitProbe} for an engine that asks for {@code longest-wait}. */
public final class LongestWaitProvider implements ProbeProvider {

  /** Called by {@link java.util.ServiceLoader}. */
  public LongestWaitProvider() {}

  @Override
  public String name() {
    return "longest-wait";
  }

  @Override
  public Probe create(ProbeContext context) {
    return new LongestWaitProbe(System.out);
  }
}
