package dev.headway.probes.chronicle;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.events.record.JournalLevel;
import java.io.IOException;
import java.util.Set;

/**
 * Makes a {@link JournalProbe}; its name is {@code chronicle}. The options are {@link
 * JournalOptions}.
 */
public final class ChronicleProbeProvider implements ProbeProvider {

  /** Called by {@link java.util.ServiceLoader}. */
  public ChronicleProbeProvider() {}

  @Override
  public String name() {
    return "chronicle";
  }

  @Override
  public String description() {
    return "Records every decision in a journal of Chronicle Queue.";
  }

  /**
   * Opens a journal, or returns a probe that wants nothing if the level is off.
   *
   * @throws JournalException if the journal cannot be made
   * @throws IllegalArgumentException if an option is unknown or out of range
   */
  @Override
  public Probe create(ProbeContext context) throws IOException {
    final JournalOptions options =
        JournalOptions.resolve(context.options(), System::getProperty, System.getenv());
    return options.level() == JournalLevel.OFF ? new Silent() : JournalProbe.open(options);
  }

  /** The probe of a journal that is switched off. */
  private static final class Silent implements Probe {
    @Override
    public Set<ProbeInterest> interests() {
      return Set.of();
    }
  }
}
