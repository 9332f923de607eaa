package dev.headway.serving.tool;

import dev.headway.grammar.Constraint;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What answers must look like that call functions. Tools are as OpenAI's field of that name has
 * them: {@code {"type": "function", "function": {"name": ..., "parameters": {...}}}}. Stateless.
 */
public final class CallSchemas {

  private static final JsonMapper JSON = JsonMapper.shared();

  /** No function has such a name. */
  private static final String ANSWER = "urn:headway:answer";

  private CallSchemas() {}

  /** An array of one call at most, or of several, as {@link ToolUse.Mode#REQUIRED} reads it. */
  public static Constraint anyOf(ArrayNode tools, boolean isParallel) {
    return new Constraint.JsonSchema(calls(tools, isParallel).toString());
  }

  /**
   * The same, or an object of a schema, as {@link ToolUse.Mode#CALLS_OR_JSON} reads it.
   *
   * @throws IllegalArgumentException unless the schema is of type {@code object}
   */
  public static Constraint anyOfOr(ArrayNode tools, boolean isParallel, ObjectNode answer) {
    if (!answer.path("type").asString("").equals("object")) {
      throw new IllegalArgumentException(
          "an answer beside calls must be of type object, to be distinguished from them: type="
              + answer.path("type"));
    }
    final ObjectNode either = JSON.createObjectNode();
    final ObjectNode object = answer.deepCopy();
    if (!object.has("$id")) {
      object.put("$id", ANSWER);
    }
    either.putArray("anyOf").add(calls(tools, isParallel)).add(object);
    return new Constraint.JsonSchema(either.toString());
  }

  private static ObjectNode calls(ArrayNode tools, boolean isParallel) {
    final ObjectNode calls = JSON.createObjectNode().put("type", "array").put("minItems", 1);
    if (!isParallel) {
      calls.put("maxItems", 1);
    }
    final ArrayNode some = calls.putObject("items").putArray("anyOf");
    for (JsonNode tool : tools) {
      final ObjectNode call = some.addObject().put("type", "object");
      final ObjectNode properties = call.putObject("properties");
      properties.putObject("name").put("const", name(tool));
      properties.set("parameters", parameters(tool));
      call.putArray("required").add("name").add("parameters");
    }
    return calls;
  }

  /** The arguments of one function, as {@link ToolUse.Mode#NAMED} reads them. */
  public static Constraint arguments(JsonNode tool) {
    return new Constraint.JsonSchema(parameters(tool).toString());
  }

  private static String name(JsonNode tool) {
    return tool.path("function").path("name").asString("");
  }

  /** With a name of its own, so that # in its references means it, wherever it is put. */
  private static ObjectNode parameters(JsonNode tool) {
    final JsonNode given = tool.path("function").path("parameters");
    final ObjectNode schema =
        given.isObject() ? ((ObjectNode) given).deepCopy() : JSON.createObjectNode();
    if (!schema.has("type")) {
      schema.put("type", "object");
    }
    if (!given.isObject()) {
      schema.putObject("properties");
    }
    if (!schema.has("$id")) {
      schema.put("$id", name(tool));
    }
    return schema;
  }
}
