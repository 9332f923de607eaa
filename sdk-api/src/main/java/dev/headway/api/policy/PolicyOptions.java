package dev.headway.api.policy;

import dev.headway.api.internal.NearestName;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the options of one policy. Every getter names the option it read, so that {@link
 * #requireNoOthers} can refuse misspelled ones. Not thread-safe.
 */
public final class PolicyOptions {

  private final String policy;
  private final Map<String, String> given;
  private final Set<String> known = new TreeSet<>();

  private PolicyOptions(String policy, Map<String, String> given) {
    this.policy = policy;
    this.given = given;
  }

  /**
   * Returns the options given for a policy.
   *
   * @param policy its name, for messages
   * @param given values by option name; not copied
   */
  public static PolicyOptions of(String policy, Map<String, String> given) {
    return new PolicyOptions(policy, given);
  }

  /**
   * Reads a whole number.
   *
   * @throws IllegalArgumentException unless it is in [{@code min}, {@code max}]
   */
  public int integer(String option, int fallback, int min, int max) {
    return (int) whole(option, fallback, min, max);
  }

  /**
   * Reads a whole number of 64 bits.
   *
   * @throws IllegalArgumentException unless it is in [{@code min}, {@code max}]
   */
  public long whole(String option, long fallback, long min, long max) {
    final Long value = parse(option, Long::valueOf, "a whole number");
    if (value == null) {
      return fallback;
    }
    if (value < min || value > max) {
      throw refused(option, "be in [" + min + ", " + max + "]");
    }
    return value;
  }

  /**
   * Reads a number.
   *
   * @throws IllegalArgumentException unless it is in [{@code min}, {@code max}]
   */
  public double number(String option, double fallback, double min, double max) {
    final Double value = parse(option, Double::valueOf, "a number");
    if (value == null) {
      return fallback;
    }
    if (!(value >= min && value <= max)) {
      throw refused(option, "be in [" + min + ", " + max + "]");
    }
    return value;
  }

  /**
   * Reads a constant of an enum, written in lower case with hyphens.
   *
   * @throws IllegalArgumentException unless it is one of {@code type}'s
   */
  public <E extends Enum<E>> E choice(String option, E fallback, Class<E> type) {
    known.add(option);
    final String text = given.get(option);
    if (text == null) {
      return fallback;
    }
    final Set<String> words = new TreeSet<>();
    for (E constant : type.getEnumConstants()) {
      final String word = constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
      if (word.equals(text)) {
        return constant;
      }
      words.add(word);
    }
    throw refused(option, "be one of " + words);
  }

  /**
   * Reads every option that starts with {@code prefix} as a number, by the rest of its name.
   *
   * @throws IllegalArgumentException unless each is in [{@code min}, {@code max}]
   */
  public Map<String, Double> numbers(String prefix, double min, double max) {
    final Map<String, Double> numbers = new TreeMap<>();
    known.add(prefix + "<name>");
    for (String option : given.keySet()) {
      if (option.startsWith(prefix) && option.length() > prefix.length()) {
        numbers.put(option.substring(prefix.length()), number(option, 0, min, max));
      }
    }
    return numbers;
  }

  /** Whether the option was given. */
  public boolean has(String option) {
    known.add(option);
    return given.containsKey(option);
  }

  /**
   * Refuses options that were not read.
   *
   * @throws IllegalArgumentException naming them, those there are, and the nearest to the first
   */
  public void requireNoOthers() {
    final Set<String> others = new TreeSet<>(given.keySet());
    others.removeAll(known);
    if (!others.isEmpty()) {
      throw new IllegalArgumentException(
          "policy '"
              + policy
              + "' has no such options: given="
              + others
              + ", known="
              + known
              + NearestName.hint(others.iterator().next(), known));
    }
  }

  private <T> @Nullable T parse(String option, Function<String, T> parser, String what) {
    known.add(option);
    final String text = given.get(option);
    if (text == null) {
      return null;
    }
    try {
      return parser.apply(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(refusal(option, "be " + what), e);
    }
  }

  private IllegalArgumentException refused(String option, String must) {
    return new IllegalArgumentException(refusal(option, must));
  }

  private String refusal(String option, String must) {
    return "option "
        + option
        + " of policy '"
        + policy
        + "' must "
        + must
        + ": "
        + option
        + "="
        + given.get(option);
  }
}
