package dev.headway.grammar.schema;

import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * A schema inside another one. Immutable.
 *
 * @param path where it is, as {@code #/properties/name}
 * @param base the schema that {@code #} in its references means: the outermost, or the nearest
 *     around it with an {@code $id}
 * @param basePath where that is
 */
record Schema(JsonNode node, String path, JsonNode base, String basePath) {

  private static final int MAX_SHOWN_CHARS = 60;

  /** Keywords that constrain nothing. */
  private static final Set<String> ANNOTATIONS =
      Set.of(
          "title",
          "description",
          "default",
          "examples",
          "example",
          "deprecated",
          "readOnly",
          "writeOnly",
          "contentEncoding",
          "contentMediaType",
          "discriminator", // of OpenAPI; the constants that it names discriminate
          "$comment",
          "$schema",
          "$id",
          "$defs",
          "definitions");

  private static final Set<String> COMBINING =
      Set.of("$ref", "anyOf", "oneOf", "allOf", "enum", "const");

  static Schema root(JsonNode node) {
    return new Schema(node, "#", node, "#");
  }

  /** One inside it. */
  Schema child(JsonNode child, String... names) {
    final StringBuilder childPath = new StringBuilder(path);
    for (String name : names) {
      childPath.append('/').append(name.replace("~", "~0").replace("/", "~1"));
    }
    return child.path("$id").isString()
        ? new Schema(child, childPath.toString(), child, childPath.toString())
        : new Schema(child, childPath.toString(), base, basePath);
  }

  Schema child(String name) {
    return child(node.path(name), name);
  }

  boolean has(String keyword) {
    return node.has(keyword);
  }

  /** Which of the keywords that combine schemas it has, if any. */
  String combining() {
    String found = "";
    for (String keyword : node.propertyNames()) {
      if (COMBINING.contains(keyword) && found.isEmpty()) {
        found = keyword;
      }
    }
    return found;
  }

  /** Refuses keywords that nothing here constrains by. */
  void requireKnown() {
    for (String keyword : node.propertyNames()) {
      if (!isKnown(keyword)) {
        throw unsupported(keyword, "is not supported");
      }
    }
  }

  private boolean isKnown(String keyword) {
    if (ANNOTATIONS.contains(keyword)
        || COMBINING.contains(keyword)
        || keyword.equals("type")
        || keyword.startsWith("x-")) {
      return true;
    }
    if (keyword.equals("uniqueItems")) {
      return node.path(keyword).isBoolean() && !node.path(keyword).booleanValue();
    }
    for (JsonType type : JsonType.values()) {
      if (type.has(keyword)) {
        return true;
      }
    }
    return false;
  }

  /** Refuses other keywords beside one, unless they constrain nothing. */
  void requireAlone(String keyword, String... others) {
    final Set<String> allowed = new HashSet<>(Set.of(others));
    allowed.add(keyword);
    for (String other : node.propertyNames()) {
      if (!allowed.contains(other) && !ANNOTATIONS.contains(other) && !other.startsWith("x-")) {
        throw unsupported(other, "is not supported beside " + keyword);
      }
    }
  }

  /** The types it names, or those that its keywords are of; all if there are none. */
  Set<JsonType> types() {
    final Set<JsonType> types = EnumSet.noneOf(JsonType.class);
    final JsonNode named = node.path("type");
    if (named.isMissingNode()) {
      for (JsonType type : JsonType.values()) {
        if (type != JsonType.INTEGER && type.isMeantBy(node)) {
          types.add(type);
        }
      }
      return types.isEmpty() ? EnumSet.complementOf(EnumSet.of(JsonType.INTEGER)) : types;
    }
    if (named.isArray() && !named.isEmpty()) {
      named.forEach(each -> types.add(type(each)));
    } else {
      types.add(type(named));
    }
    if (types.contains(JsonType.NUMBER)) {
      types.remove(JsonType.INTEGER);
    }
    return types;
  }

  private JsonType type(JsonNode name) {
    return JsonType.named(name.asString(""))
        .orElseThrow(
            () -> invalid("type", "must be a name of JSON schemas' types, or an array of some"));
  }

  /** A count, or another value if it is absent. */
  int count(String keyword, int otherwise) {
    final JsonNode value = node.path(keyword);
    if (value.isMissingNode()) {
      return otherwise;
    }
    if (!value.isIntegralNumber() || !value.canConvertToInt() || value.intValue() < 0) {
      throw invalid(keyword, "must be a whole number in [0, " + Integer.MAX_VALUE + "]");
    }
    return value.intValue();
  }

  ConstraintException invalid(String keyword, String rule) {
    return because(Kind.INVALID, keyword, rule);
  }

  ConstraintException unsupported(String keyword, String rule) {
    return because(Kind.UNSUPPORTED, keyword, rule);
  }

  private ConstraintException because(Kind kind, String keyword, String rule) {
    final String value = node.path(keyword).toString();
    final String shown =
        value.length() > MAX_SHOWN_CHARS ? value.substring(0, MAX_SHOWN_CHARS) + "..." : value;
    return new ConstraintException(
        kind, path + "/" + keyword, keyword + " " + rule + ": " + keyword + "=" + shown);
  }
}
