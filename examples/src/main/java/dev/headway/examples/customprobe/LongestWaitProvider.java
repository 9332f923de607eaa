package dev.headway.examples.customprobe;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.events.inprocess.RunDetail;
import dev.headway.events.inprocess.RunProbe;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Makes the probe of a {@link LongestWait} for an engine that asks for {@code longest-wait}. */
public final class LongestWaitProvider implements ProbeProvider {

  private static final String FROM_MS = "fromMs";

  /** Called by {@link java.util.ServiceLoader}. */
  public LongestWaitProvider() {}

  @Override
  public String name() {
    return "longest-wait";
  }

  @Override
  public String description() {
    return "Remembers the longest wait for admission. Options: fromMs=0 (shorter ones are left out).";
  }

  @Override
  public Probe create(ProbeContext context) {
    if (!Set.of(FROM_MS).containsAll(context.options().keySet())) {
      throw new IllegalArgumentException(
          "longest-wait has one option, fromMs: options=" + context.options());
    }
    final long fromMs = Long.parseLong(context.options().getOrDefault(FROM_MS, "0"));
    return new RunProbe(new LongestWait(TimeUnit.MILLISECONDS.toNanos(fromMs)), RunDetail.CHANGES);
  }
}
