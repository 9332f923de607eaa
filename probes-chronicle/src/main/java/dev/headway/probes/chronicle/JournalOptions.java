package dev.headway.probes.chronicle;

import dev.headway.events.record.JournalLevel;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Options of a journal.
 *
 * <p>{@link #resolve} takes the first that is set: the probe's option, the system property, the
 * environment variable.
 *
 * <table>
 *   <caption>Names</caption>
 *   <tr><th>option</th><th>system property</th><th>environment</th></tr>
 *   <tr><td>level</td><td>headway.journal.level</td><td>HEADWAY_JOURNAL</td></tr>
 *   <tr><td>dir</td><td>headway.journal.dir</td><td>HEADWAY_JOURNAL_DIR</td></tr>
 *   <tr><td>flushIterations</td><td>headway.journal.flushIterations</td>
 *       <td>HEADWAY_JOURNAL_FLUSH_ITERATIONS</td></tr>
 *   <tr><td>flushSeconds</td><td>headway.journal.flushSeconds</td>
 *       <td>HEADWAY_JOURNAL_FLUSH_SECONDS</td></tr>
 *   <tr><td>blockSizeBytes</td><td>headway.journal.blockSizeBytes</td>
 *       <td>HEADWAY_JOURNAL_BLOCK_SIZE_BYTES</td></tr>
 *   <tr><td>aheadBytes</td><td>headway.journal.aheadBytes</td>
 *       <td>HEADWAY_JOURNAL_AHEAD_BYTES</td></tr>
 * </table>
 *
 * @param directory holds one sub-directory per run; made if missing; null only at level off
 * @param level how much is kept
 * @param flushIterations steps after which records are forced to the device, at most every 100 ms
 * @param flushSeconds seconds after which they are, if that comes first
 * @param blockSizeBytes bytes of the file that are mapped at a time, a multiple of 1 MiB
 * @param aheadBytes bytes kept allocated beyond what is written, a multiple of 1 MiB
 */
public record JournalOptions(
    @Nullable Path directory,
    JournalLevel level,
    int flushIterations,
    int flushSeconds,
    long blockSizeBytes,
    long aheadBytes) {

  private static final long MEBIBYTE = 1 << 20;
  private static final String PROPERTY_PREFIX = "headway.journal.";
  private static final String LEVEL = "level";
  private static final String DIR = "dir";
  private static final String FLUSH_ITERATIONS = "flushIterations";
  private static final String FLUSH_SECONDS = "flushSeconds";
  private static final String BLOCK_SIZE_BYTES = "blockSizeBytes";
  private static final String AHEAD_BYTES = "aheadBytes";

  /** Environment variable of the level. */
  static final String SWITCH = "HEADWAY_JOURNAL";

  /** Environment variable of the directory. */
  static final String DIRECTORY_SWITCH = "HEADWAY_JOURNAL_DIR";

  /** Option, environment variable. */
  private static final List<Name> NAMES =
      List.of(
          new Name(AHEAD_BYTES, "HEADWAY_JOURNAL_AHEAD_BYTES"),
          new Name(BLOCK_SIZE_BYTES, "HEADWAY_JOURNAL_BLOCK_SIZE_BYTES"),
          new Name(DIR, DIRECTORY_SWITCH),
          new Name(FLUSH_ITERATIONS, "HEADWAY_JOURNAL_FLUSH_ITERATIONS"),
          new Name(FLUSH_SECONDS, "HEADWAY_JOURNAL_FLUSH_SECONDS"),
          new Name(LEVEL, SWITCH));

  /** Validates the components. */
  public JournalOptions {
    if (directory == null && level != JournalLevel.OFF) {
      throw new IllegalArgumentException(
          "journal directory must be set unless level is off: level="
              + level.label()
              + "; set option dir, system property headway.journal.dir or HEADWAY_JOURNAL_DIR");
    }
    require(FLUSH_ITERATIONS, flushIterations, 1, Integer.MAX_VALUE);
    require(FLUSH_SECONDS, flushSeconds, 1, 86_400);
    require(BLOCK_SIZE_BYTES, blockSizeBytes, 32 * MEBIBYTE, 1024 * MEBIBYTE);
    require(AHEAD_BYTES, aheadBytes, MEBIBYTE, 16_384 * MEBIBYTE);
    requireMebibytes(BLOCK_SIZE_BYTES, blockSizeBytes);
    requireMebibytes(AHEAD_BYTES, aheadBytes);
  }

  /** Returns the defaults: flush every 100 steps or 60 s, blocks of 64 MiB, 32 MiB ahead. */
  public static JournalOptions of(Path directory, JournalLevel level) {
    return new JournalOptions(directory, level, 100, 60, 64 * MEBIBYTE, 32 * MEBIBYTE);
  }

  /**
   * Collects what is set, see the table of the class. The level is full unless set.
   *
   * @param options the probe's options
   * @param properties looks a system property up; null if it is not set
   * @param environment the environment variables
   * @throws IllegalArgumentException naming the setting as it was written, its value and what is
   *     allowed
   */
  public static JournalOptions resolve(
      Map<String, String> options,
      Function<String, @Nullable String> properties,
      Map<String, String> environment) {
    requireKnown(options.keySet());
    final Sources sources = new Sources(options, properties, environment);
    final JournalLevel level =
        sources.find(LEVEL).map(JournalOptions::parseLevel).orElse(JournalLevel.FULL);
    return new JournalOptions(
        sources.find(DIR).map(JournalOptions::parsePath).orElse(null),
        level,
        (int) sources.number(FLUSH_ITERATIONS, 100, 1, Integer.MAX_VALUE),
        (int) sources.number(FLUSH_SECONDS, 60, 1, 86_400),
        sources.number(BLOCK_SIZE_BYTES, 64 * MEBIBYTE, 32 * MEBIBYTE, 1024 * MEBIBYTE),
        sources.number(AHEAD_BYTES, 32 * MEBIBYTE, MEBIBYTE, 16_384 * MEBIBYTE));
  }

  private static JournalLevel parseLevel(Setting setting) {
    for (JournalLevel level : JournalLevel.values()) {
      if (level.label().equals(setting.value())) {
        return level;
      }
    }
    throw new IllegalArgumentException(
        "journal level must be off, summary, full or debug: " + setting);
  }

  private static Path parsePath(Setting setting) {
    try {
      return Path.of(setting.value());
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("journal directory must be a path: " + setting, e);
    }
  }

  private static void requireKnown(Set<String> options) {
    final Set<String> unknown = new TreeSet<>(options);
    NAMES.forEach(name -> unknown.remove(name.option()));
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "journal options must be among "
              + NAMES.stream().map(Name::option).toList()
              + ": unknown="
              + unknown);
    }
  }

  private static void require(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " must be in [" + least + ", " + most + "]: " + name + "=" + value);
    }
  }

  private static void requireMebibytes(String name, long value) {
    if (value % MEBIBYTE != 0) {
      throw new IllegalArgumentException(
          name + " must be a multiple of 1048576: " + name + "=" + value);
    }
  }

  /** The names of one setting. */
  private record Name(String option, String variable) {}

  /** A value and the name under which it was found. */
  private record Setting(String key, String value) {

    @Override
    public String toString() {
      return key + "=" + value;
    }
  }

  /** The places to look in. */
  private record Sources(
      Map<String, String> options,
      Function<String, @Nullable String> properties,
      Map<String, String> environment) {

    Optional<Setting> find(String option) {
      final Name name =
          NAMES.stream().filter(each -> each.option().equals(option)).findFirst().orElseThrow();
      final String property = PROPERTY_PREFIX + option;
      return Arrays.asList(
              setting("option " + option, options.get(option)),
              setting(property, properties.apply(property)),
              setting(name.variable(), environment.get(name.variable())))
          .stream()
          .flatMap(Optional::stream)
          .findFirst();
    }

    long number(String option, long fallback, long least, long most) {
      final Optional<Setting> setting = find(option);
      if (setting.isEmpty()) {
        return fallback;
      }
      try {
        final long value = Long.parseLong(setting.get().value());
        if (value >= least && value <= most) {
          return value;
        }
      } catch (NumberFormatException e) {
        // falls through to the same message: what is allowed is a number in that range
      }
      throw new IllegalArgumentException(
          option + " must be a number in [" + least + ", " + most + "]: " + setting.get());
    }

    private static Optional<Setting> setting(String key, @Nullable String value) {
      return value == null || value.isEmpty()
          ? Optional.empty()
          : Optional.of(new Setting(key, value));
    }
  }
}
