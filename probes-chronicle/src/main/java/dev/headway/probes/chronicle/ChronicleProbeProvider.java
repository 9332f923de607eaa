package dev.headway.probes.chronicle;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeEnvironment;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.api.probe.ProbeRequest;
import dev.headway.events.record.JournalLevel;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link JournalProbe}; its name is {@code chronicle}. The options are {@link
 * JournalOptions}.
 */
public final class ChronicleProbeProvider implements ProbeProvider {

  private static final String DEFAULT_DIRECTORY = "journal";

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

  /** {@code HEADWAY_JOURNAL} asks for a journal, unless it is {@code off}. */
  @Override
  public @Nullable ProbeRequest requested(ProbeEnvironment environment) {
    final String level = environment.variable(JournalOptions.SWITCH);
    if (level == null || level.isBlank() || level.equals(JournalLevel.OFF.label())) {
      return null;
    }
    final String directory = environment.variable(JournalOptions.DIRECTORY_SWITCH);
    return new ProbeRequest(
        Map.of("level", level, "dir", directory == null ? DEFAULT_DIRECTORY : directory),
        directory == null
            ? List.of(JournalOptions.SWITCH + "=" + level)
            : List.of(
                JournalOptions.SWITCH + "=" + level,
                JournalOptions.DIRECTORY_SWITCH + "=" + directory));
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
