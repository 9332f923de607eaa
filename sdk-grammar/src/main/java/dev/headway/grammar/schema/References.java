package dev.headway.grammar.schema;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;

/** Finds what {@code $ref} means. Stateless; any thread. */
final class References {

  private References() {}

  /**
   * Returns the schema that one refers to.
   *
   * @throws dev.headway.grammar.ConstraintException if it is none of the same document
   */
  static Schema target(Schema schema) {
    final String ref = schema.node().path("$ref").asString("");
    if (!ref.equals("#") && !ref.startsWith("#/")) {
      throw schema.unsupported("$ref", "must be # or begin with #/, and be in the same schema");
    }
    final String pointer =
        URLDecoder.decode(ref.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8);
    final JsonNode found;
    try {
      found = schema.base().at(JsonPointer.compile(pointer));
    } catch (IllegalArgumentException e) {
      throw schema.invalid("$ref", "must be a JSON pointer behind its #");
    }
    if (found.isMissingNode()) {
      throw schema.invalid("$ref", "must lead to a schema that is there");
    }
    return new Schema(found, schema.basePath() + pointer, schema.base(), schema.basePath());
  }
}
