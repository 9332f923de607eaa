package dev.headway.events.live;

import dev.headway.events.record.JournalLevel;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Options given to a probe by name, for its provider to read: every error names the probe, the
 * option, its value and what is allowed. Immutable.
 *
 * <table>
 *   <caption>Options of every live probe</caption>
 *   <tr><td>level</td><td>summary, full (unless set) or debug</td></tr>
 *   <tr><td>overflow</td><td>drop (unless set) or block</td></tr>
 *   <tr><td>ringBytes</td><td>8388608 unless set</td></tr>
 * </table>
 */
public final class NamedOptions {

  private static final List<String> COMMON = List.of("level", "overflow", "ringBytes");

  private final String probe;
  private final Map<String, String> options;

  /**
   * Reads options.
   *
   * @param probe name of the probe
   * @param own names of its options besides those of every live probe
   * @throws IllegalArgumentException if there are others
   */
  public NamedOptions(String probe, Map<String, String> options, String... own) {
    this(probe, options, known(own));
  }

  private NamedOptions(String probe, Map<String, String> options, Set<String> known) {
    this.probe = probe;
    this.options = Map.copyOf(options);
    final Set<String> unknown = new TreeSet<>(options.keySet());
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          probe + " options must be among " + known + ": unknown=" + unknown);
    }
  }

  /**
   * Reads options of something that is no live probe: those of {@link #live} are unknown to it.
   *
   * @throws IllegalArgumentException if there are others than {@code names}
   */
  public static NamedOptions only(String name, Map<String, String> options, String... names) {
    return new NamedOptions(name, options, new TreeSet<>(List.of(names)));
  }

  private static Set<String> known(String... own) {
    final Set<String> known = new TreeSet<>(COMMON);
    known.addAll(List.of(own));
    return known;
  }

  /** Level, ring and overflow. */
  public LiveOptions live() {
    return new LiveOptions(
        choice("level", JournalLevel.FULL),
        (int) number("ringBytes", LiveOptions.DEFAULT.ringBytes(), 1, 1 << 30),
        choice("overflow", Overflow.DROP),
        LiveOptions.DEFAULT.threads());
  }

  /** Returns an option, or null. */
  public @Nullable String text(String name) {
    return options.get(name);
  }

  /** Returns an option that must be there. */
  public String required(String name) {
    final String value = options.getOrDefault(name, "");
    if (value.isBlank()) {
      throw new IllegalArgumentException(
          probe + " option " + name + " must be set: options=" + options);
    }
    return value;
  }

  /** Returns a whole number in [least, most], or {@code fallback}. */
  public long number(String name, long fallback, long least, long most) {
    final String value = options.get(name);
    if (value == null) {
      return fallback;
    }
    try {
      final long number = Long.parseLong(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // falls through to the same message: what is allowed is a number in that range
    }
    throw wrong(name, "a number in [" + least + ", " + most + "]", value);
  }

  /** Returns a share in [0, 1], or {@code fallback}. */
  public double rate(String name, double fallback) {
    final String value = options.get(name);
    if (value == null) {
      return fallback;
    }
    try {
      final double rate = Double.parseDouble(value);
      if (rate >= 0 && rate <= 1) {
        return rate;
      }
    } catch (NumberFormatException e) {
      // falls through to the same message: what is allowed is a number in that range
    }
    throw wrong(name, "a number in [0, 1]", value);
  }

  /** Returns a constant by its name in lower case, or {@code fallback}. */
  public <E extends Enum<E>> E choice(String name, E fallback) {
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
    throw wrong(name, "among " + Arrays.stream(choices).map(NamedOptions::word).toList(), value);
  }

  private IllegalArgumentException wrong(String name, String allowed, String value) {
    return new IllegalArgumentException(
        probe + " option " + name + " must be " + allowed + ": " + name + "=" + value);
  }

  private static String word(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
