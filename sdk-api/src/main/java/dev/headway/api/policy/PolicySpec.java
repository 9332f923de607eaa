package dev.headway.api.policy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Reads and writes policies as command lines do: names joined by {@code +}, each with its options
 * in parentheses.
 *
 * <pre>{@code
 * spec   = policy { "+" policy }
 * policy = name [ "(" [ option { "," option } ] ")" ]
 * option = name "=" value
 * }</pre>
 *
 * <p>For example {@code vtc(wq=2,tenant.a=3)+least-computed}. Spaces around words are ignored; a
 * value cannot contain a comma or a parenthesis.
 */
public final class PolicySpec {

  private final String text;
  private int position;

  private PolicySpec(String text) {
    this.text = text;
  }

  /**
   * Returns the options by policy name, in the order of {@code text}; nothing for a blank text.
   *
   * @throws IllegalArgumentException naming the position at which the text stops making sense
   */
  public static Map<String, Map<String, String>> parse(String text) {
    return text.isBlank() ? Map.of() : new PolicySpec(text).policies();
  }

  /**
   * The text that {@link #parse} reads as these policies.
   *
   * @param policies options by policy name, in the order of the text; a value that has a comma or a
   *     parenthesis is written and cannot be read
   * @return empty if there are none
   */
  public static String text(Map<String, Map<String, String>> policies) {
    return policies.entrySet().stream()
        .map(policy -> policy.getKey() + options(policy.getValue()))
        .collect(Collectors.joining("+"));
  }

  private static String options(Map<String, String> options) {
    return options.isEmpty()
        ? ""
        : options.entrySet().stream()
            .map(option -> option.getKey() + "=" + option.getValue())
            .sorted() // maps given to builders have no order
            .collect(Collectors.joining(",", "(", ")"));
  }

  private Map<String, Map<String, String>> policies() {
    final Map<String, Map<String, String>> policies = new LinkedHashMap<>();
    do {
      final int start = position;
      final String name = word("a policy name", "+(");
      final Map<String, String> options = accept('(') ? options() : Map.of();
      if (policies.putIfAbsent(name, options) != null) {
        throw refused("name each policy once", start);
      }
    } while (accept('+'));
    if (position < text.length()) {
      throw refused("have '+' or the end here", position);
    }
    return policies;
  }

  private Map<String, String> options() {
    final Map<String, String> options = new LinkedHashMap<>();
    if (accept(')')) {
      return options;
    }
    do {
      final int start = position;
      final String name = word("an option name", "=,()");
      if (!accept('=')) {
        throw refused("have '=' after an option name", position);
      }
      if (options.putIfAbsent(name, word("a value", ",()")) != null) {
        throw refused("name each option once", start);
      }
    } while (accept(','));
    if (!accept(')')) {
      throw refused("have ',' or ')' here", position);
    }
    return options;
  }

  private String word(String what, String ends) {
    final int start = position;
    while (position < text.length() && ends.indexOf(text.charAt(position)) < 0) {
      position++;
    }
    final String word = text.substring(start, position).strip();
    if (word.isEmpty()) {
      throw refused("have " + what + " here", start);
    }
    return word;
  }

  private boolean accept(char wanted) {
    while (position < text.length() && Character.isWhitespace(text.charAt(position))) {
      position++;
    }
    if (position < text.length() && text.charAt(position) == wanted) {
      position++;
      return true;
    }
    return false;
  }

  private IllegalArgumentException refused(String must, int at) {
    return new IllegalArgumentException(
        "policies must " + must + ": policies='" + text + "', position=" + at);
  }
}
