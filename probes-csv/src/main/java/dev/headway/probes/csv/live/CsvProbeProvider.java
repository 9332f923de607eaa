package dev.headway.probes.csv.live;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.probes.chronicle.JournalLevel;
import dev.headway.probes.chronicle.live.LiveOptions;
import dev.headway.probes.chronicle.live.LiveProbe;
import dev.headway.probes.chronicle.live.Overflow;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IdLists;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.option.Overwrite;
import dev.headway.probes.csv.table.TextPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Makes a probe that writes CSV while the engine runs; its name is {@code csv}.
 *
 * <table>
 *   <caption>Options</caption>
 *   <tr><td>dir</td><td>required; each run gets a sub-directory</td></tr>
 *   <tr><td>level</td><td>summary, full (unless set) or debug</td></tr>
 *   <tr><td>iterationRequests</td><td>full (unless set), changes or off</td></tr>
 *   <tr><td>ids</td><td>compact (unless set) or full</td></tr>
 *   <tr><td>text</td><td>neutralised (unless set) or raw</td></tr>
 *   <tr><td>overflow</td><td>drop (unless set) or block</td></tr>
 *   <tr><td>ringBytes</td><td>8388608 unless set</td></tr>
 * </table>
 */
public final class CsvProbeProvider implements ProbeProvider {

  private static final Set<String> NAMES =
      new TreeSet<>(
          List.of("dir", "level", "iterationRequests", "ids", "text", "overflow", "ringBytes"));

  /** Called by {@link java.util.ServiceLoader}. */
  public CsvProbeProvider() {}

  @Override
  public String name() {
    return "csv";
  }

  /**
   * Begins the files.
   *
   * @throws IOException if they cannot be made
   * @throws IllegalArgumentException if an option is missing, unknown or out of range
   */
  @Override
  public Probe create(ProbeContext context) throws IOException {
    final Map<String, String> options = context.options();
    requireKnown(options.keySet());
    final String directory = options.getOrDefault("dir", "");
    if (directory.isBlank()) {
      throw new IllegalArgumentException("csv option dir must be set: options=" + options);
    }
    final LiveOptions live =
        new LiveOptions(
            choice(options, "level", JournalLevel.FULL),
            ringBytes(options),
            choice(options, "overflow", Overflow.DROP),
            LiveOptions.DEFAULT.threads());
    final ConvertOptions convert =
        new ConvertOptions(
            Overwrite.REFUSE,
            choice(options, "text", TextPolicy.NEUTRALISED),
            choice(options, "iterationRequests", IterationRequests.FULL),
            choice(options, "ids", IdLists.COMPACT));
    return LiveProbe.of(live, List.of(LiveCsv.begin(Path.of(directory), convert)));
  }

  private static void requireKnown(Set<String> options) {
    final Set<String> unknown = new TreeSet<>(options);
    unknown.removeAll(NAMES);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "csv options must be among " + NAMES + ": unknown=" + unknown);
    }
  }

  private static int ringBytes(Map<String, String> options) {
    final String value = options.get("ringBytes");
    try {
      return value == null ? LiveOptions.DEFAULT.ringBytes() : Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("ringBytes must be a number: ringBytes=" + value, e);
    }
  }

  private static <E extends Enum<E>> E choice(
      Map<String, String> options, String name, E fallback) {
    final String value = options.get(name);
    if (value == null) {
      return fallback;
    }
    final E[] choices = fallback.getDeclaringClass().getEnumConstants();
    for (E choice : choices) {
      if (word(choice).equals(value)) {
        return choice;
      }
    }
    throw new IllegalArgumentException(
        "csv option "
            + name
            + " must be among "
            + Arrays.stream(choices).map(CsvProbeProvider::word).toList()
            + ": "
            + name
            + "="
            + value);
  }

  private static String word(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
