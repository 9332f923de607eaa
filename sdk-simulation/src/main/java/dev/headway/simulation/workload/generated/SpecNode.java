package dev.headway.simulation.workload.generated;

import dev.headway.api.internal.NearestName;
import dev.headway.simulation.workload.TraceFormatException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An object of a YAML file. Keys that were asked for are those that it may have; {@link
 * #requireNoOthers()} refuses the rest, since a misspelt key must not be passed over.
 */
final class SpecNode {
  private final String file;
  private final String path;
  private final JsonNode node;
  private final Set<String> known = new TreeSet<>();

  SpecNode(String file, String path, JsonNode node) {
    this.file = file;
    this.path = path;
    this.node = node;
    if (!node.isObject()) {
      throw new TraceFormatException(
          "workload spec must have keys and values here: file=%s, at=%s".formatted(file, path),
          null);
    }
  }

  boolean has(String key) {
    final JsonNode value = node.get(key);
    return value != null && !value.isNull();
  }

  private @Nullable JsonNode get(String key) {
    known.add(key);
    return has(key) ? node.get(key) : null;
  }

  /** Accepts keys whose values are not used. */
  void ignore(String... keys) {
    known.addAll(List.of(keys));
  }

  /** Refuses keys that mean something which a stream of arrivals cannot be. */
  void refuse(String reason, String... keys) {
    for (String key : keys) {
      known.add(key);
      if (has(key)) {
        throw wrong(key, "is not supported: " + reason);
      }
    }
  }

  String text(String key, String fallback) {
    final JsonNode value = get(key);
    if (value == null) {
      return fallback;
    }
    if (!value.isValueNode()) {
      throw wrong(key, "must be a text");
    }
    return value.asString();
  }

  double number(String key, double fallback) {
    final JsonNode value = get(key);
    if (value == null) {
      return fallback;
    }
    if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
      throw wrong(key, "must be a finite number");
    }
    return value.doubleValue();
  }

  double number(String key) {
    if (!has(key)) {
      throw wrong(key, "must be given");
    }
    return number(key, 0);
  }

  long integer(String key, long fallback, long min, long max) {
    final JsonNode value = get(key);
    if (value == null) {
      return fallback;
    }
    final boolean whole =
        value.isNumber()
            && value.doubleValue() == StrictMath.rint(value.doubleValue())
            && Math.abs(value.doubleValue()) < 0x1p63;
    if (!whole || value.longValue() < min || value.longValue() > max) {
      throw wrong(key, "must be an integer in [" + min + ", " + max + "]");
    }
    return value.longValue();
  }

  @Nullable SpecNode child(String key) {
    final JsonNode value = get(key);
    return value == null ? null : new SpecNode(file, path + "." + key, value);
  }

  SpecNode requiredChild(String key) {
    final SpecNode child = child(key);
    if (child == null) {
      throw wrong(key, "must be given");
    }
    return child;
  }

  List<SpecNode> children(String key) {
    final JsonNode value = get(key);
    final List<SpecNode> children = new ArrayList<>();
    if (value != null) {
      if (!value.isArray()) {
        throw wrong(key, "must be a list");
      }
      for (JsonNode element : value) {
        children.add(new SpecNode(file, path + "." + key + "[" + children.size() + "]", element));
      }
    }
    return children;
  }

  List<String> keys() {
    final List<String> keys = new ArrayList<>(node.propertyNames());
    known.addAll(keys);
    return keys;
  }

  void requireNoOthers() {
    for (String key : node.propertyNames()) {
      if (!known.contains(key)) {
        throw new TraceFormatException(
            "workload spec has no such key: file=%s, at=%s, key=%s; it has %s%s"
                .formatted(file, path, key, String.join(", ", known), NearestName.hint(key, known)),
            null);
      }
    }
  }

  /** Runs a maker whose refusals say what must hold, and adds where. */
  <T> T at(Supplier<T> maker) {
    try {
      return maker.get();
    } catch (IllegalArgumentException e) {
      throw new TraceFormatException(
          "workload spec is not readable: file=%s, at=%s; %s".formatted(file, path, e.getMessage()),
          e);
    }
  }

  TraceFormatException wrong(String key, String rule) {
    return new TraceFormatException(
        "workload spec is not readable: file=%s, at=%s, key=%s; %s"
            .formatted(file, path, key, rule),
        null);
  }
}
