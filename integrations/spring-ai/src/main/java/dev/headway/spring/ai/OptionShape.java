package dev.headway.spring.ai;

import dev.headway.grammar.Constraint;
import dev.headway.serving.reply.ReplyException;
import dev.headway.serving.reply.ReplyShape;
import dev.headway.serving.reply.ReplyTools;
import dev.headway.serving.tool.ToolParser;
import dev.headway.spring.ai.HeadwayChatOptions.ToolChoice;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import tools.jackson.databind.node.ArrayNode;

/** What options ask an answer to look like. Stateless. */
final class OptionShape {

  private OptionShape() {}

  /**
   * Reads {@code toolCallbacks}, {@code toolChoice} and {@code outputSchema}.
   *
   * @param parser of the model's own calls, or null if none is known
   * @throws ReplyException naming what cannot be honoured
   */
  static ReplyShape of(HeadwayChatOptions options, @Nullable ToolParser parser) {
    final String schema = options.getOutputSchema();
    final Constraint format =
        schema == null || schema.isBlank() ? null : new Constraint.JsonSchema(schema);
    final List<ToolDefinition> definitions =
        HeadwayChatOptions.tools(options).stream().map(ToolCallback::getToolDefinition).toList();
    final ToolChoice choice = options.toolChoice() == null ? ToolChoice.AUTO : options.toolChoice();
    if (definitions.isEmpty()) {
      if (choice == ToolChoice.REQUIRED) {
        throw unsupported("ToolChoice.REQUIRED is not supported without toolCallbacks");
      }
      return ReplyShape.text(format);
    }
    final ArrayNode tools = tools(definitions);
    final boolean isParallel = !Boolean.FALSE.equals(options.parallelToolCalls());
    return switch (choice) {
      case NONE -> ReplyShape.showing(tools, format);
      case REQUIRED -> ReplyShape.calls(tools, isParallel); // an answer of the format is none
      case AUTO ->
          format == null
              ? auto(definitions, tools, isParallel, parser)
              : ReplyShape.callsOrJson(tools, isParallel, format, options.names());
    };
  }

  private static ReplyShape auto(
      List<ToolDefinition> definitions,
      ArrayNode tools,
      boolean isParallel,
      @Nullable ToolParser parser) {
    if (parser == null) {
      throw unsupported(
          "ToolChoice.AUTO is not supported unless the model's builder is given a toolParser, which"
              + " says how the model writes calls; ToolChoice.REQUIRED and NONE are: tools="
              + definitions.stream().map(ToolDefinition::name).toList());
    }
    return ReplyShape.auto(tools, isParallel, parser);
  }

  private static ArrayNode tools(List<ToolDefinition> definitions) {
    final ArrayNode tools = ReplyTools.none();
    for (ToolDefinition tool : definitions) {
      ReplyTools.add(tools, tool.name(), tool.description(), tool.inputSchema());
    }
    return tools;
  }

  private static ReplyException unsupported(String message) {
    return new ReplyException(ReplyException.Kind.UNSUPPORTED, message);
  }
}
