package dev.headway.server;

import dev.headway.grammar.Constraint;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The fields that constrain an answer: OpenAI's {@code response_format}, vLLM's {@code
 * structured_outputs} and the older {@code guided_json} and its like, SGLang's in {@code
 * sampling_params}. One thread.
 */
final class ConstraintReader {

  private static final int MAX_CHOICES = 10_000;

  /** Of structured_outputs: what happens anyway. */
  private static final Set<String> HARMLESS =
      Set.of("disable_any_whitespace", "disable_fallback", "json_object");

  /** Read so far; more than one is an error. */
  private final List<Named> found = new ArrayList<>();

  /** A constraint and the field that asked for it. */
  record Named(Constraint constraint, String field) {}

  private ConstraintReader() {}

  /** Reads the fields of OpenAI's endpoints; null if there are none. */
  static @Nullable Named read(Fields fields) {
    final ConstraintReader reader = new ConstraintReader();
    reader.responseFormat(fields.object("response_format"));
    reader.json(fields, "guided_json", "guided_json");
    reader.regex(fields, "guided_regex", "guided_regex");
    reader.choice(fields, "guided_choice", "guided_choice");
    reader.ebnf(fields, "guided_grammar", "guided_grammar");
    reader.structuredOutputs(fields.object("structured_outputs"));
    return reader.only();
  }

  /** Reads SGLang's {@code sampling_params}; null if there are none. */
  static @Nullable Named readSampling(Fields fields) {
    final ConstraintReader reader = new ConstraintReader();
    reader.json(fields, "json_schema", "sampling_params.json_schema");
    reader.regex(fields, "regex", "sampling_params.regex");
    reader.ebnf(fields, "ebnf", "sampling_params.ebnf");
    return reader.only();
  }

  private @Nullable Named only() {
    if (found.size() > 1) {
      throw ApiException.invalid(
          found.get(1).field,
          "an answer must be constrained by one field at most: first="
              + found.get(0).field
              + ", second="
              + found.get(1).field);
    }
    return found.isEmpty() ? null : found.getFirst();
  }

  private void responseFormat(Fields format) {
    final String type = format.text("type", "text");
    switch (type) {
      case "text" -> {}
      case "json_object" ->
          found.add(new Named(new Constraint.JsonObject(), "response_format.type"));
      case "json_schema" -> {
        final Fields named = format.object("json_schema");
        named.shortText("name", "");
        named.text("description", "");
        named.flag("strict", false); // kept either way
        if (!named.has("schema")) {
          throw named.wrong("schema", "there, beside the type json_schema", named.get("schema"));
        }
        json(named, "schema", "response_format.json_schema.schema");
      }
      default -> throw format.wrong("type", "text, json_object or json_schema", format.get("type"));
    }
  }

  private void structuredOutputs(Fields outputs) {
    json(outputs, "json", "structured_outputs.json");
    regex(outputs, "regex", "structured_outputs.regex");
    choice(outputs, "choice", "structured_outputs.choice");
    ebnf(outputs, "grammar", "structured_outputs.grammar");
    if (outputs.flag("json_object", false)) {
      found.add(new Named(new Constraint.JsonObject(), "structured_outputs.json_object"));
    }
    HARMLESS.forEach(name -> outputs.flag(name, false));
    for (String name : outputs.unread()) {
      throw ApiException.invalid(name, name + " must be absent: it is not supported");
    }
  }

  /** A schema, as JSON or as a string of JSON. */
  private void json(Fields fields, String name, String field) {
    if (!fields.has(name)) {
      return;
    }
    final JsonNode schema = fields.get(name);
    if (!schema.isObject() && !schema.isBoolean() && !schema.isString()) {
      throw fields.wrong(name, "a JSON schema", schema);
    }
    found.add(
        new Named(
            new Constraint.JsonSchema(schema.isString() ? schema.stringValue() : schema.toString()),
            field));
  }

  private void regex(Fields fields, String name, String field) {
    if (fields.has(name)) {
      found.add(new Named(new Constraint.Regex(fields.text(name, "")), field));
    }
  }

  private void choice(Fields fields, String name, String field) {
    if (fields.has(name)) {
      final JsonNode value = fields.get(name);
      if (!value.isArray() || value.isEmpty()) {
        throw fields.wrong(name, "an array of at least one text", value);
      }
      found.add(new Named(new Constraint.Choice(fields.texts(name, MAX_CHOICES)), field));
    }
  }

  private void ebnf(Fields fields, String name, String field) {
    if (fields.has(name)) {
      found.add(new Named(new Constraint.Ebnf(fields.text(name, "")), field));
    }
  }
}
