package dev.headway.server;

import dev.headway.serving.tool.CallSchemas;
import dev.headway.serving.tool.ToolParser;
import dev.headway.serving.tool.ToolUse;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/**
 * The fields {@code tools}, {@code tool_choice} and {@code parallel_tool_calls}. A choice that is
 * forced becomes a constraint; for {@code auto} a parser of the model's own form has to be known.
 * One thread.
 */
final class ToolsReader {

  private static final int MAX_TOOLS = 128;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  private final Fields fields;
  private final @Nullable ToolParser parser;
  private final ArrayNode tools;

  private ToolsReader(Fields fields, @Nullable ToolParser parser) {
    this.fields = fields;
    this.parser = parser;
    this.tools = tools();
  }

  /**
   * Reads them.
   *
   * @param parser of the model's own calls, or null if none is known
   * @throws ApiException naming the field that is wrong
   */
  static ToolsReader read(Fields fields, @Nullable ToolParser parser) {
    return new ToolsReader(fields, parser);
  }

  /** The tools as a template gets them; empty for none. */
  String forTemplate() {
    return tools.isEmpty() ? "" : tools.toString();
  }

  private ArrayNode tools() {
    final JsonNode value = fields.get("tools");
    if (!fields.has("tools")) {
      return Json.array();
    }
    if (!(value instanceof ArrayNode all) || all.size() > MAX_TOOLS) {
      throw fields.wrong("tools", "an array of at most " + MAX_TOOLS + " functions", value);
    }
    final Set<String> names = new HashSet<>();
    for (int i = 0; i < all.size(); i++) {
      final JsonNode function = all.path(i).path("function");
      final String name = function.path("name").asString("");
      final JsonNode parameters = function.path("parameters");
      if (!all.path(i).path("type").asString("").equals("function")
          || !NAME.matcher(name).matches()
          || !names.add(name)) {
        throw fields.wrong(
            "tools[" + i + "]",
            "of type function, with a name of its own of 1 to 64 of A-Z, a-z, 0-9, _ and -",
            all.path(i));
      }
      if (!parameters.isMissingNode() && !parameters.isNull() && !isObjects(parameters)) {
        throw fields.wrong(
            "tools[" + i + "].function.parameters", "a JSON schema of objects", parameters);
      }
    }
    return all;
  }

  private static boolean isObjects(JsonNode schema) {
    final String type = schema.path("type").asString("object");
    return schema.isObject() && type.equals("object");
  }

  /**
   * How the answer is read, and what it must be.
   *
   * @param constraint that other fields ask for, or null
   */
  AnswerShape shape(ConstraintReader.@Nullable Named constraint) {
    final boolean isParallel = fields.flag("parallel_tool_calls", true);
    final JsonNode choice = fields.get("tool_choice");
    final String word = choice.asString(choice.isObject() ? "named" : "");
    final boolean isDefault = !fields.has("tool_choice");
    if (tools.isEmpty() && (isDefault || word.equals("auto"))) {
      return AnswerShape.of(constraint);
    }
    return switch (isDefault ? "auto" : word) {
      case "none" -> AnswerShape.of(constraint);
      case "auto" -> {
        refuseBoth(constraint);
        if (parser == null) {
          throw fields.wrong(
              "tool_choice",
              "none, required or a function, or the server started with --tool-call-parser",
              choice);
        }
        yield new AnswerShape(null, "", new ToolUse(parser.mode(), "", isParallel));
      }
      case "required" -> {
        refuseBoth(constraint);
        yield new AnswerShape(
            CallSchemas.anyOf(tools, isParallel),
            "tools",
            new ToolUse(ToolUse.Mode.REQUIRED, "", isParallel));
      }
      case "named" -> {
        refuseBoth(constraint);
        yield named(choice);
      }
      default -> throw fields.wrong("tool_choice", "none, auto, required or a function", choice);
    };
  }

  private void refuseBoth(ConstraintReader.@Nullable Named constraint) {
    if (constraint != null) {
      throw fields.wrong(
          "tool_choice", "none beside " + constraint.field(), fields.get("tool_choice"));
    }
    if (tools.isEmpty()) {
      throw fields.wrong("tool_choice", "none or auto without tools", fields.get("tool_choice"));
    }
  }

  private AnswerShape named(JsonNode choice) {
    final String name = choice.path("function").path("name").asString("");
    for (JsonNode tool : tools) {
      if (tool.path("function").path("name").asString("").equals(name)) {
        return new AnswerShape(
            CallSchemas.arguments(tool), "tools", new ToolUse(ToolUse.Mode.NAMED, name, false));
      }
    }
    throw fields.wrong("tool_choice", "of type function, with the name of one of tools", choice);
  }
}
