package dev.headway.grammar.schema;

import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;
import dev.headway.grammar.GrammarLimits;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the text of a schema. Stateless; any thread. */
final class SchemaJson {

  private static final int MAX_NUMBER_CHARS = 64;

  private SchemaJson() {}

  static JsonNode read(String text, GrammarLimits limits) {
    final JsonMapper mapper =
        JsonMapper.builder(
                JsonFactory.builder()
                    .streamReadConstraints(
                        StreamReadConstraints.builder()
                            .maxNestingDepth(limits.maxDepth())
                            .maxNumberLength(MAX_NUMBER_CHARS)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    try {
      return mapper.readTree(text);
    } catch (StreamConstraintsException e) {
      throw new ConstraintException(
          Kind.LIMIT,
          "#",
          "a schema must be nested at most "
              + limits.maxDepth()
              + " deep, with numbers of at most "
              + MAX_NUMBER_CHARS
              + " characters");
    } catch (JacksonException e) {
      throw new ConstraintException(
          Kind.INVALID, "#", "a schema must be JSON: " + e.getOriginalMessage());
    }
  }
}
