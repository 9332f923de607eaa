package dev.headway.langchain4j;

import dev.headway.grammar.Constraint;
import dev.headway.serving.reply.ReplyShape;
import dev.headway.serving.reply.ReplyTools;
import dev.headway.serving.tool.ToolParser;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.internal.Json;
import dev.langchain4j.internal.JsonSchemaElementUtils;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;

/** What LangChain4j's parameters ask an answer to look like. Stateless. */
final class AskedShape {

  private AskedShape() {}

  /**
   * Reads {@code toolSpecifications}, {@code toolChoice} and {@code responseFormat}.
   *
   * @param parser of the model's own calls, or null if none is known
   * @throws UnsupportedFeatureException naming what cannot be honoured
   */
  static ReplyShape of(HeadwayChatRequestParameters parameters, @Nullable ToolParser parser) {
    final Constraint format = format(parameters.responseFormat());
    final List<ToolSpecification> specifications = parameters.toolSpecifications();
    final ToolChoice choice = choice(parameters);
    if (specifications.isEmpty()) {
      if (choice == ToolChoice.REQUIRED) {
        throw new UnsupportedFeatureException(
            "ToolChoice.REQUIRED is not supported without toolSpecifications");
      }
      return ReplyShape.text(format);
    }
    final ArrayNode tools = tools(specifications);
    if (choice == ToolChoice.NONE) {
      return ReplyShape.showing(tools, format);
    }
    final boolean isParallel = !Boolean.FALSE.equals(parameters.parallelToolCalls());
    if (choice == ToolChoice.REQUIRED) {
      return ReplyShape.calls(tools, isParallel); // an answer of the format is none of calls
    }
    return format == null
        ? auto(specifications, tools, isParallel, parser)
        : ReplyShape.callsOrJson(tools, isParallel, format, parameters.names());
  }

  /**
   * Reads {@code responseFormat} for an answer that can have no calls.
   *
   * @throws UnsupportedFeatureException if tools are asked for
   */
  static ReplyShape ofText(HeadwayChatRequestParameters parameters) {
    if (!parameters.toolSpecifications().isEmpty() || parameters.toolChoice() != null) {
      throw new UnsupportedFeatureException(
          "tools are not supported by a model that continues texts; a chat model has them");
    }
    return ReplyShape.text(format(parameters.responseFormat()));
  }

  private static ToolChoice choice(ChatRequestParameters parameters) {
    final @Nullable ToolChoice choice = parameters.toolChoice();
    return choice == null ? ToolChoice.AUTO : choice;
  }

  private static ReplyShape auto(
      List<ToolSpecification> specifications,
      ArrayNode tools,
      boolean isParallel,
      @Nullable ToolParser parser) {
    if (parser == null) {
      throw new UnsupportedFeatureException(
          "ToolChoice.AUTO is not supported unless the model's builder is given a toolParser, which"
              + " says how the model writes calls; ToolChoice.REQUIRED and NONE are: tools="
              + specifications.stream().map(ToolSpecification::name).toList());
    }
    for (ToolSpecification tool : specifications) {
      if (Boolean.TRUE.equals(tool.strict())) {
        throw new UnsupportedFeatureException(
            "strict tools are not supported with ToolChoice.AUTO, whose calls no grammar keeps;"
                + " with ToolChoice.REQUIRED all are: tool="
                + tool.name());
      }
    }
    return ReplyShape.auto(tools, isParallel, parser);
  }

  /** In the form of OpenAI's field, which templates are written for. */
  private static ArrayNode tools(List<ToolSpecification> specifications) {
    final ArrayNode tools = ReplyTools.none();
    for (ToolSpecification specification : specifications) {
      final JsonSchemaElement parameters = specification.parameters();
      ReplyTools.add(
          tools,
          specification.name(),
          specification.description(),
          parameters == null ? null : json(parameters));
    }
    return tools;
  }

  private static @Nullable Constraint format(@Nullable ResponseFormat format) {
    if (format == null || format.type() == ResponseFormatType.TEXT) {
      return null;
    }
    final @Nullable JsonSchema schema = format.jsonSchema();
    return schema == null
        ? new Constraint.JsonObject()
        : new Constraint.JsonSchema(json(schema.rootElement()));
  }

  private static String json(JsonSchemaElement schema) {
    return Json.toJson(JsonSchemaElementUtils.toMap(schema));
  }
}
