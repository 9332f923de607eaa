package dev.headway.grammar.schema;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The types of JSON schemas, with the keywords that constrain each of them alone. */
enum JsonType {
  OBJECT("object"),
  ARRAY("array"),
  STRING("string"),
  INTEGER("integer"),
  NUMBER("number"),
  BOOLEAN("boolean"),
  NULL("null");

  final String label;

  JsonType(String label) {
    this.label = label;
  }

  private List<String> keywords() {
    return switch (this) {
      case OBJECT -> List.of("properties", "required", "additionalProperties");
      case ARRAY -> List.of("items", "prefixItems", "minItems", "maxItems");
      case STRING -> List.of("pattern", "format", "minLength", "maxLength");
      case INTEGER, NUMBER -> List.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum");
      case BOOLEAN, NULL -> List.of();
    };
  }

  static Optional<JsonType> named(String label) {
    return Arrays.stream(values()).filter(type -> type.label.equals(label)).findFirst();
  }

  /** Whether a keyword constrains values of this type. */
  boolean has(String keyword) {
    return keywords().contains(keyword);
  }

  /** Whether a schema has a keyword for values of this type. */
  boolean isMeantBy(JsonNode schema) {
    return keywords().stream().anyMatch(schema::has);
  }

  /** Whether a value is of this type. */
  boolean isOf(JsonNode value) {
    return switch (this) {
      case OBJECT -> value.isObject();
      case ARRAY -> value.isArray();
      case STRING -> value.isString();
      case INTEGER ->
          value.isIntegralNumber()
              || (value.isNumber() && value.decimalValue().stripTrailingZeros().scale() <= 0);
      case NUMBER -> value.isNumber();
      case BOOLEAN -> value.isBoolean();
      case NULL -> value.isNull();
    };
  }

  /** Whether a value can be of both. */
  boolean overlaps(JsonType other) {
    return this == other
        || (this == INTEGER && other == NUMBER)
        || (this == NUMBER && other == INTEGER);
  }
}
