package dev.headway.server;

import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * JSON from clients, with limits, and to them; no string is longer than the body, whose length the
 * server bounds. Any thread.
 */
final class Json {

  private static final int MAX_DEPTH = 64;
  private static final int MAX_NUMBER_CHARS = 64;

  /** Jackson's description of its input, which means nothing to a client. */
  private static final String SOURCE = " *\\(start marker at \\[Source:[^\\]]*\\]\\)";

  private static final StreamReadConstraints LIMITS =
      StreamReadConstraints.builder()
          .maxNestingDepth(MAX_DEPTH)
          .maxNumberLength(MAX_NUMBER_CHARS)
          .maxStringLength(Integer.MAX_VALUE)
          .build();

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(LIMITS)
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /** Of the limits of the other, but keeps no names. */
  private static final JsonFactory COUNTING =
      JsonFactory.builder().streamReadConstraints(LIMITS).build();

  private Json() {}

  /**
   * Reads JSON that is in a string of a body.
   *
   * @throws JacksonException if it is none
   */
  static JsonNode read(String text) {
    return MAPPER.readTree(text);
  }

  /**
   * Reads an object.
   *
   * @throws ApiException if the bytes are none
   */
  static ObjectNode object(byte[] body) {
    final JsonNode read;
    try {
      read = MAPPER.readTree(body);
    } catch (JacksonException e) {
      final var at = e.getLocation();
      throw ApiException.invalid(
          null,
          "the body must be a JSON object: "
              + e.getOriginalMessage().replaceAll(SOURCE, "")
              + (at == null ? "" : ", line=" + at.getLineNr() + ", column=" + at.getColumnNr()));
    }
    if (read instanceof ObjectNode object) {
      return object;
    }
    throw ApiException.invalid(
        null,
        "the body must be a JSON object: "
            + (read.isMissingNode()
                ? "it is empty"
                : "type=" + read.getNodeType().name().toLowerCase(Locale.ROOT)));
  }

  /**
   * Counts the tokens of a text, values and names, without keeping any; up to the first that is
   * none.
   */
  static long tokens(byte[] body) {
    long tokens = 0;
    try (JsonParser parser = COUNTING.createParser(ObjectReadContext.empty(), body)) {
      while (parser.nextToken() != null) {
        tokens++;
      }
    } catch (JacksonException e) {
      return tokens; // reading it says what is wrong
    }
    return tokens;
  }

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  static ArrayNode array() {
    return MAPPER.createArrayNode();
  }

  static byte[] bytes(JsonNode node) {
    return MAPPER.writeValueAsBytes(node);
  }

  /** The body of an error. */
  static ObjectNode error(ApiException failure) {
    final ObjectNode body = object();
    body.putObject("error")
        .put("message", failure.getMessage())
        .put("type", failure.type)
        .put("param", failure.param)
        .put("code", failure.code);
    return body;
  }
}
