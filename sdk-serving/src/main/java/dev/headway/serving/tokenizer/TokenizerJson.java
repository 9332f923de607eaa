package dev.headway.serving.tokenizer;

import java.io.IOException;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads a {@code tokenizer.json} before the native library does. Where that library meets JSON that
 * it cannot read it may end the process, so what Rust's reader refuses is refused here: broken
 * JSON, deep nesting, numbers out of range, halves of surrogate pairs. So is a template with a
 * special token that it does not define, which would end the process at the first text. Stateless.
 */
final class TokenizerJson {

  private static final int DEEPEST = 100; // of Rust's 128
  private static final JsonMapper JSON = JsonMapper.shared();

  private TokenizerJson() {}

  /**
   * Reads a file.
   *
   * @throws IOException if it is no JSON object that the native library can read
   */
  static JsonNode read(Path file) throws IOException {
    final JsonNode root;
    try {
      root = JSON.readTree(file.toFile());
    } catch (JacksonException e) {
      throw wrong(file, "JSON", e.getOriginalMessage());
    }
    if (!root.isObject()) {
      throw wrong(file, "a JSON object", "it is " + root.getNodeType());
    }
    check(file, root, 1);
    return root;
  }

  private static void check(Path file, JsonNode node, int depth) throws IOException {
    if (depth > DEEPEST) {
      throw wrong(file, "nested at most " + DEEPEST + " deep", "it is deeper");
    }
    if (node.isNumber() && !Double.isFinite(node.doubleValue())) {
      throw wrong(file, "of numbers that fit 64 bits", node.toString());
    }
    if (node.isString()) { // Jackson looks at names itself
      requireWhole(file, node.stringValue());
    }
    // whatever its type says: the library takes a template by its members
    requireDefined(file, node.path("single"), node.path("special_tokens"));
    requireDefined(file, node.path("pair"), node.path("special_tokens"));
    for (JsonNode child : node) {
      check(file, child, depth + 1);
    }
  }

  private static void requireDefined(Path file, JsonNode template, JsonNode defined)
      throws IOException {
    for (JsonNode piece : template) {
      final JsonNode id = piece.path("SpecialToken").path("id");
      if (id.isString() && !defined.has(id.stringValue())) {
        throw wrong(file, "of templates whose special_tokens has each of them", "id=" + id);
      }
    }
  }

  private static void requireWhole(Path file, String text) throws IOException {
    for (int i = 0; i < text.length(); i++) {
      final char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        throw wrong(file, "of whole characters", String.format("\\u%04x stands alone", (int) c));
      }
    }
  }

  private static IOException wrong(Path file, String rule, String found) {
    return new IOException("a tokenizer must be " + rule + ": file=" + file + ", " + found);
  }
}
