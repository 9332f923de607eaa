package dev.headway.grammar.schema;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Whether the schemas of a {@code oneOf} exclude each other, so that a value of any is a value of
 * one: by their types, by constants, or by a constant of a member that objects of both must have.
 * Stateless; any thread.
 */
final class Branches {

  private static final int MOST_STEPS = 16;

  private Branches() {}

  /**
   * Refuses those that may not.
   *
   * @throws dev.headway.grammar.ConstraintException naming the keyword
   */
  static void requireDisjoint(Schema schema, List<Schema> branches) {
    final List<Schema> resolved = new ArrayList<>();
    for (Schema branch : branches) {
      resolved.add(resolved(branch));
    }
    for (int i = 0; i < resolved.size(); i++) {
      for (int j = 0; j < i; j++) {
        if (!exclude(resolved.get(i), resolved.get(j))) {
          throw schema.unsupported(
              "oneOf",
              "must have schemas of which no two can be met at once, by their types, constants or"
                  + " constants of required members (anyOf takes others): first="
                  + j
                  + ", second="
                  + i);
        }
      }
    }
  }

  /** Follows references, so far as is usual. */
  private static Schema resolved(Schema schema) {
    Schema at = schema;
    for (int i = 0; i < MOST_STEPS && at.has("$ref"); i++) {
      at = References.target(at);
    }
    return at;
  }

  private static boolean exclude(Schema one, Schema other) {
    final Set<JsonNode> constants = constants(one.node());
    final Set<JsonNode> others = constants(other.node());
    if (!constants.isEmpty() && !others.isEmpty()) {
      return constants.stream().noneMatch(others::contains);
    }
    if (hasTypes(one, constants) && hasTypes(other, others)) {
      final boolean sameType =
          types(one, constants).stream()
              .anyMatch(type -> types(other, others).stream().anyMatch(type::overlaps));
      if (!sameType) {
        return true;
      }
    }
    return isObject(one) && isObject(other) && differByMember(one, other);
  }

  private static boolean hasTypes(Schema schema, Set<JsonNode> constants) {
    return !constants.isEmpty() || (schema.node().isObject() && schema.combining().isEmpty());
  }

  private static Set<JsonType> types(Schema schema, Set<JsonNode> constants) {
    if (constants.isEmpty()) {
      return schema.types();
    }
    final Set<JsonType> types = new HashSet<>();
    for (JsonType type : JsonType.values()) {
      if (constants.stream().anyMatch(type::isOf)) {
        types.add(type);
      }
    }
    return types;
  }

  private static boolean isObject(Schema schema) {
    return schema.node().isObject()
        && schema.combining().isEmpty()
        && schema.types().equals(Set.of(JsonType.OBJECT));
  }

  private static boolean differByMember(Schema one, Schema other) {
    for (JsonNode name : one.node().path("required")) {
      final String key = name.asString("");
      final boolean isRequired =
          other
              .node()
              .path("required")
              .valueStream()
              .anyMatch(each -> each.asString("").equals(key));
      final Set<JsonNode> constants = constants(one.node().path("properties").path(key));
      final Set<JsonNode> others = constants(other.node().path("properties").path(key));
      if (isRequired
          && !constants.isEmpty()
          && !others.isEmpty()
          && constants.stream().noneMatch(others::contains)) {
        return true;
      }
    }
    return false;
  }

  private static Set<JsonNode> constants(JsonNode schema) {
    final Set<JsonNode> constants = new HashSet<>();
    if (schema.has("const")) {
      constants.add(schema.path("const"));
    } else {
      schema.path("enum").forEach(constants::add);
    }
    return constants;
  }
}
