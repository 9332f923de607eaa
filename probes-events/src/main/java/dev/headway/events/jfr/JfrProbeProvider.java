package dev.headway.events.jfr;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;

/** Makes the probe {@code jfr}, which has no options. */
public final class JfrProbeProvider implements ProbeProvider {

  /** Called by {@link java.util.ServiceLoader}. */
  public JfrProbeProvider() {}

  @Override
  public String name() {
    return "jfr";
  }

  @Override
  public String description() {
    return "Emits events for JDK Flight Recorder.";
  }

  /**
   * Makes a probe.
   *
   * @throws IllegalArgumentException if there is an option: the recording selects what is recorded
   */
  @Override
  public Probe create(ProbeContext context) {
    if (!context.options().isEmpty()) {
      throw new IllegalArgumentException(
          "probe 'jfr' has no options, recordings choose events: options="
              + context.options().keySet());
    }
    return new JfrProbe();
  }
}
