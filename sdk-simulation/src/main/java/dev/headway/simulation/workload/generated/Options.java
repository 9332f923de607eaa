package dev.headway.simulation.workload.generated;

import dev.headway.api.internal.NearestName;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Options of a made-up load, by name. Those that were asked for are the ones that it has. */
final class Options {
  private final String source;
  private final Map<String, String> left;
  private final Set<String> known = new TreeSet<>();

  Options(String source, Map<String, String> given) {
    this.source = source;
    this.left = new LinkedHashMap<>(given);
  }

  @Nullable String text(String name) {
    known.add(name);
    return left.remove(name);
  }

  String text(String name, String fallback) {
    final String given = text(name);
    return given == null ? fallback : given;
  }

  boolean has(String name) {
    return left.containsKey(name);
  }

  double number(String name, double fallback) {
    final String text = text(name);
    try {
      return text == null ? fallback : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw wrong(name + " of a load must be a number", name, text, e);
    }
  }

  int integer(String name, int fallback) {
    final long value = whole(name, fallback);
    if (value != (int) value) {
      throw wrong(name + " of a load must fit 32 bits", name, String.valueOf(value), null);
    }
    return (int) value;
  }

  long whole(String name, long fallback) {
    final String text = text(name);
    try {
      return text == null ? fallback : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw wrong(name + " of a load must be an integer", name, text, e);
    }
  }

  boolean flag(String name, boolean fallback) {
    final String text = text(name, String.valueOf(fallback));
    if (!text.equals("true") && !text.equals("false")) {
      throw wrong(name + " of a load must be true or false", name, text, null);
    }
    return text.equals("true");
  }

  void requireNoOthers() {
    if (!left.isEmpty()) {
      throw new IllegalArgumentException(
          "a load has no such options: options="
              + left.keySet()
              + ", load="
              + source
              + "; it has "
              + String.join(", ", known)
              + NearestName.hint(left.keySet().iterator().next(), known));
    }
  }

  IllegalArgumentException wrong(
      String rule, String name, @Nullable String value, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        rule + ": " + name + "=" + value + ", load=" + source, cause);
  }

  static int inRange(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "%s must be in [%d, %d]: %s=%d".formatted(name, min, max, name, value));
    }
    return value;
  }
}
