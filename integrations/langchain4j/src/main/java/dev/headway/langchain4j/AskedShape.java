package dev.headway.langchain4j;

import dev.headway.grammar.Constraint;
import dev.headway.serving.tool.CallSchemas;
import dev.headway.serving.tool.ToolParser;
import dev.headway.serving.tool.ToolUse;
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
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What an answer must look like, and how it is read. Immutable.
 *
 * @param tools as chat templates get them, a JSON array; empty for none
 * @param constraint what the text of the answer must be, or null for anything
 * @param use which part of it is calls
 */
record AskedShape(String tools, @Nullable Constraint constraint, ToolUse use) {

  private static final JsonMapper JSON = JsonMapper.shared();

  /**
   * Reads {@code toolSpecifications}, {@code toolChoice} and {@code responseFormat}.
   *
   * @param parser of the model's own calls, or null if none is known
   * @throws UnsupportedFeatureException naming what cannot be honoured
   */
  static AskedShape of(HeadwayChatRequestParameters parameters, @Nullable ToolParser parser) {
    final Constraint format = format(parameters.responseFormat());
    final List<ToolSpecification> specifications = parameters.toolSpecifications();
    final ToolChoice choice = choice(parameters);
    if (specifications.isEmpty()) {
      if (choice == ToolChoice.REQUIRED) {
        throw new UnsupportedFeatureException(
            "ToolChoice.REQUIRED is not supported without toolSpecifications");
      }
      return new AskedShape("", format, ToolUse.NONE);
    }
    final ArrayNode tools = tools(specifications);
    if (choice == ToolChoice.NONE) {
      return new AskedShape(tools.toString(), format, ToolUse.NONE);
    }
    final boolean isParallel = !Boolean.FALSE.equals(parameters.parallelToolCalls());
    if (choice == ToolChoice.REQUIRED) {
      return required(tools, isParallel); // an answer of the format is none of calls
    }
    return format == null
        ? auto(specifications, tools, isParallel, parser)
        : callsOrJson(tools, isParallel, format);
  }

  /** The model chooses between calls and an answer; a grammar keeps to one of them. */
  private static AskedShape callsOrJson(ArrayNode tools, boolean isParallel, Constraint format) {
    final String schema =
        format instanceof Constraint.JsonSchema json ? json.schema() : "{\"type\": \"object\"}";
    if (!(JSON.readTree(schema) instanceof ObjectNode object)
        || !object.path("type").asString("").equals("object")) {
      throw new UnsupportedFeatureException(
          "a responseFormat that is no object is not supported together with tools, whose calls it"
              + " could not be distinguished from; with ToolChoice.NONE it is: schema="
              + schema);
    }
    return new AskedShape(
        tools.toString(),
        CallSchemas.anyOfOr(tools, isParallel, object),
        new ToolUse(ToolUse.Mode.CALLS_OR_JSON, "", isParallel));
  }

  /**
   * Reads {@code responseFormat} for an answer that can have no calls.
   *
   * @throws UnsupportedFeatureException if tools are asked for
   */
  static AskedShape ofText(HeadwayChatRequestParameters parameters) {
    if (!parameters.toolSpecifications().isEmpty() || parameters.toolChoice() != null) {
      throw new UnsupportedFeatureException(
          "tools are not supported by a model that continues texts; a chat model has them");
    }
    return new AskedShape("", format(parameters.responseFormat()), ToolUse.NONE);
  }

  private static ToolChoice choice(ChatRequestParameters parameters) {
    final @Nullable ToolChoice choice = parameters.toolChoice();
    return choice == null ? ToolChoice.AUTO : choice;
  }

  private static AskedShape required(ArrayNode tools, boolean isParallel) {
    return new AskedShape(
        tools.toString(),
        CallSchemas.anyOf(tools, isParallel),
        new ToolUse(ToolUse.Mode.REQUIRED, "", isParallel));
  }

  private static AskedShape auto(
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
    return new AskedShape(tools.toString(), null, new ToolUse(parser.mode(), "", isParallel));
  }

  /** In the form of OpenAI's field, which templates are written for. */
  private static ArrayNode tools(List<ToolSpecification> specifications) {
    final ArrayNode tools = JSON.createArrayNode();
    for (ToolSpecification specification : specifications) {
      final ObjectNode function = tools.addObject().put("type", "function").putObject("function");
      function.put("name", specification.name());
      if (specification.description() != null) {
        function.put("description", specification.description());
      }
      final JsonSchemaElement parameters = specification.parameters();
      if (parameters == null) {
        function.putObject("parameters").put("type", "object").putObject("properties");
      } else {
        function.set("parameters", JSON.readTree(json(parameters)));
      }
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
