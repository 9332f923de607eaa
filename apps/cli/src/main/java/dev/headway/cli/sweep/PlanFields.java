package dev.headway.cli.sweep;

import dev.headway.api.internal.EditDistance;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one part of a plan, each read once. What is left at the end is a mistake. One thread.
 */
final class PlanFields {

  private static final int NEAR = 3;

  private final String file;
  private final PlanNode.Fields fields;
  private final Map<String, PlanNode> left = new HashMap<>();
  private final List<String> known = new ArrayList<>();

  private PlanFields(String file, PlanNode.Fields fields) {
    this.file = file;
    this.fields = fields;
    fields.nodes().forEach((key, node) -> left.put(key.text(), node));
  }

  /**
   * Takes a part of the plan that must have keys.
   *
   * @param what the part, in messages
   */
  static PlanFields of(String file, String what, PlanNode node) {
    if (node instanceof PlanNode.Fields fields) {
      return new PlanFields(file, fields);
    }
    throw new PlanException(file, node.line(), what + " must have keys, not " + node.kind());
  }

  /** The line that it begins in. */
  int line() {
    return fields.line();
  }

  /** Takes what a key holds; null if it is not there. */
  @Nullable PlanNode take(String key) {
    known.add(key);
    return left.remove(key);
  }

  /** The keys and what they hold, all of which count as read. */
  Map<PlanNode.Text, PlanNode> takeAll() {
    left.clear();
    return fields.nodes();
  }

  /** Takes a value; null if it is not there. */
  @Nullable String text(String key) {
    final PlanNode node = take(key);
    return node == null ? null : text(file, key, node);
  }

  /** Takes a value that must be there. */
  String requiredText(String key) {
    final String text = text(key);
    if (text == null) {
      throw new PlanException(file, line(), "the key " + key + " is needed");
    }
    return text;
  }

  /** Takes a number; {@code fallback} if it is not there. */
  double number(String key, double fallback) {
    return parsed(key, "a number", fallback, Double::valueOf);
  }

  /** Takes a number that must be there. */
  double requiredNumber(String key) {
    final double number = number(key, Double.NaN);
    if (Double.isNaN(number)) {
      throw new PlanException(file, line(), "the key " + key + " is needed, a number");
    }
    return number;
  }

  /** Takes a whole number; {@code fallback} if it is not there. */
  long whole(String key, long fallback) {
    return parsed(key, "a whole number", fallback, Long::valueOf);
  }

  private <T extends Number> T parsed(
      String key, String what, T fallback, Function<String, T> parse) {
    final PlanNode node = take(key);
    if (node == null) {
      return fallback;
    }
    final String text = text(file, key, node);
    try {
      return parse.apply(text);
    } catch (NumberFormatException e) {
      throw new PlanException(
          file, node.line(), key + " must be " + what + ": " + key + "=" + text);
    }
  }

  /** The value that a node must be. */
  static String text(String file, String what, PlanNode node) {
    if (node instanceof PlanNode.Text value) {
      return value.text();
    }
    throw new PlanException(file, node.line(), what + " must be a value, not " + node.kind());
  }

  /** Refuses keys that nothing has read. */
  void requireNoOthers() {
    for (PlanNode.Text key : fields.nodes().keySet()) {
      if (left.containsKey(key.text())) {
        throw new PlanException(file, key.line(), unknown("key", key.text(), known));
      }
    }
  }

  /** Says that a name is unknown, and which are near. */
  static String unknown(String what, String name, Collection<String> known) {
    final List<String> near =
        known.stream()
            .filter(
                other ->
                    other.contains(name)
                        || distance(name, other) <= Math.max(2, other.length() / NEAR))
            .sorted(
                Comparator.comparingInt((String other) -> distance(name, other))
                    .thenComparing(Comparator.naturalOrder()))
            .limit(NEAR)
            .toList();
    return "there is no "
        + what
        + " '"
        + name
        + "'; "
        + (near.isEmpty()
            ? "there are: " + String.join(", ", known)
            : "the nearest: " + String.join(", ", near));
  }

  /** Edits from one word to another (Levenshtein), dashes and underscores alike. */
  private static int distance(String one, String other) {
    return new EditDistance(plain(one)).to(plain(other));
  }

  private static String plain(String word) {
    return word.toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
