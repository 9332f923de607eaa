package dev.headway.serving.reply;

import dev.headway.grammar.Constraint;
import dev.headway.serving.tool.CallSchemas;
import dev.headway.serving.tool.ToolParser;
import dev.headway.serving.tool.ToolUse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a reply must look like, and how it is read. Immutable.
 *
 * @param tools as chat templates get them, a JSON array of OpenAI's form; empty for none
 * @param constraint what the text must be, or null for anything
 * @param use which part of it is calls
 */
public record ReplyShape(String tools, @Nullable Constraint constraint, ToolUse use) {

  /** A text, or what a format makes of it. */
  public static ReplyShape text(@Nullable Constraint format) {
    return new ReplyShape("", format, ToolUse.NONE);
  }

  /** A text too: the template shows tools, and none is called. */
  public static ReplyShape showing(ArrayNode tools, @Nullable Constraint format) {
    return new ReplyShape(tools.toString(), format, ToolUse.NONE);
  }

  /** Calls alone, which a grammar keeps. */
  public static ReplyShape calls(ArrayNode tools, boolean isParallel) {
    return new ReplyShape(
        tools.toString(),
        CallSchemas.anyOf(tools, isParallel),
        new ToolUse(ToolUse.Mode.REQUIRED, "", isParallel));
  }

  /** Text or calls, as the model writes them of its own accord. */
  public static ReplyShape auto(ArrayNode tools, boolean isParallel, ToolParser parser) {
    return new ReplyShape(tools.toString(), null, new ToolUse(parser.mode(), "", isParallel));
  }

  /**
   * Calls or JSON: the model chooses, and a grammar keeps to one of them.
   *
   * @throws ReplyException if the JSON is no object, which calls could not be distinguished from
   */
  public static ReplyShape callsOrJson(
      ArrayNode tools, boolean isParallel, Constraint format, ReplyNames names) {
    final String schema =
        format instanceof Constraint.JsonSchema json ? json.schema() : "{\"type\": \"object\"}";
    if (!(JsonMapper.shared().readTree(schema) instanceof ObjectNode object)
        || !object.path("type").asString("").equals("object")) {
      throw new ReplyException(
          ReplyException.Kind.UNSUPPORTED,
          "a "
              + names.format()
              + " that is no object is not supported together with tools, whose calls it"
              + " could not be distinguished from; with ToolChoice.NONE it is: schema="
              + schema);
    }
    return new ReplyShape(
        tools.toString(),
        CallSchemas.anyOfOr(tools, isParallel, object),
        new ToolUse(ToolUse.Mode.CALLS_OR_JSON, "", isParallel));
  }
}
