package dev.headway.serving.reply;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Functions and their calls as chat templates get them. Stateless. */
public final class ReplyTools {

  private static final JsonMapper JSON = JsonMapper.shared();

  private ReplyTools() {}

  /** Begins a list of functions. */
  public static ArrayNode none() {
    return JSON.createArrayNode();
  }

  /**
   * Adds a function in the form of OpenAI's field, which templates are written for.
   *
   * @param parameters the schema of its arguments, JSON; null for a function without
   * @throws ReplyException if that is no JSON object
   */
  public static void add(
      ArrayNode tools, String name, @Nullable String description, @Nullable String parameters) {
    final ObjectNode function = tools.addObject().put("type", "function").putObject("function");
    function.put("name", name);
    if (description != null) {
      function.put("description", description);
    }
    if (parameters == null) {
      function.putObject("parameters").put("type", "object").putObject("properties");
    } else {
      function.set("parameters", object("the schema of a tool", name, parameters));
    }
  }

  /**
   * Returns the arguments of a call as JSON of one form: templates print them in their own way, and
   * so have to read them.
   *
   * @param given as a framework has them; null or blank for none
   * @throws ReplyException if they are no JSON object
   */
  public static String arguments(String name, @Nullable String given) {
    return given == null || given.isBlank()
        ? "{}"
        : object("arguments of a tool call", name, given).toString();
  }

  private static JsonNode object(String what, String name, String given) {
    try {
      final JsonNode json = JSON.readTree(given);
      if (json.isObject()) {
        return json;
      }
    } catch (JacksonException e) {
      // as any other that is no object
    }
    throw new ReplyException(
        ReplyException.Kind.INVALID,
        what + " must be a JSON object: tool=" + name + ", arguments=" + given);
  }
}
