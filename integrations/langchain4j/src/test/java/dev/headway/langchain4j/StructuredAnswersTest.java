package dev.headway.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.headway.serving.ServedEngine;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonArraySchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A model with random weights keeps to schemas: nothing but the grammar makes it. */
class StructuredAnswersTest {

  private static final int ANSWERS = 40;

  private static InProcess given;
  private static HeadwayChatModel model;
  private static HeadwayStreamingChatModel streaming;

  @BeforeAll
  static void start() {
    given = InProcess.start(ServedEngine.random(17));
    model = given.chat().build();
    streaming = given.streaming().build();
  }

  @AfterAll
  static void close() {
    model.close();
    streaming.close();
    given.close();
  }

  private static ChatRequest.Builder ask(long seed) {
    return ChatRequest.builder()
        .messages(UserMessage.from("Anything"))
        .parameters(
            HeadwayChatRequestParameters.builder()
                .seed(seed)
                .maxOutputTokens(1_500)
                .parallelToolCalls(false) // random weights would never end them
                .build());
  }

  private static ResponseFormat format(JsonSchemaElement root) {
    return ResponseFormat.builder()
        .type(ResponseFormatType.JSON)
        .jsonSchema(JsonSchema.builder().name("answer").rootElement(root).build())
        .build();
  }

  private static List<String> errors(String schema, String json) {
    final Schema validator =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(schema);
    return validator.validate(json, InputFormat.JSON).stream().map(Object::toString).toList();
  }

  @Test
  void shouldAnswerWithJsonOfEverySchemaWhateverTheWeights() {
    final String raw =
        """
        {"type": "object", "additionalProperties": false, "required": ["name", "age", "tags"],
         "properties": {"name": {"type": "string", "maxLength": 12},
          "age": {"type": "integer", "minimum": 0, "maximum": 150},
          "tags": {"type": "array", "maxItems": 3, "items": {"enum": ["red", "green"]}},
          "next": {"type": ["null", "boolean"]}}}""";
    for (long seed = 0; seed < ANSWERS; seed++) {
      final ChatResponse response =
          model.chat(ask(seed).responseFormat(format(JsonRawSchema.from(raw))).build());

      assertThat(response.finishReason()).as("seed=%s", seed).isEqualTo(FinishReason.STOP);
      assertThat(errors(raw, response.aiMessage().text()))
          .as("seed=%s, text=%s", seed, response.aiMessage().text())
          .isEmpty();
    }
  }

  @Test
  void shouldTakeSchemasOfLangChain4j() throws Exception {
    final ResponseFormat format =
        format(
            JsonObjectSchema.builder()
                .addEnumProperty("color", List.of("red", "green", "blue"))
                .addBooleanProperty("isBright")
                .required("color", "isBright")
                .build());
    for (long seed = 0; seed < ANSWERS; seed++) {
      final Collected streamed = Collected.of(streaming, ask(seed).responseFormat(format).build());

      final String text = streamed.response().aiMessage().text();
      final JsonNode json = JsonMapper.shared().readTree(text);
      assertThat(String.join("", streamed.texts)).isEqualTo(text);
      assertThat(json.path("color").asString()).as("seed=%s", seed).isIn("red", "green", "blue");
      assertThat(json.path("isBright").isBoolean()).as("seed=%s", seed).isTrue();
    }
  }

  private static ToolSpecification tool(String name, JsonObjectSchema parameters) {
    return ToolSpecification.builder()
        .name(name)
        .description("Does it.")
        .parameters(parameters)
        .build();
  }

  private static final ToolSpecification SWITCH =
      tool(
          "switch_light",
          JsonObjectSchema.builder()
              .addEnumProperty("room", List.of("kitchen", "hall"))
              .addBooleanProperty("on")
              .required("room", "on")
              .build());
  private static final ToolSpecification NOTHING =
      ToolSpecification.builder().name("do_nothing").build();

  @Test
  void shouldCallOneOfTheToolsWithItsParametersWhenItMust() throws Exception {
    for (long seed = 0; seed < ANSWERS; seed++) {
      final ChatRequest request =
          ChatRequest.builder()
              .messages(UserMessage.from("Light, please"))
              .parameters(
                  HeadwayChatRequestParameters.builder()
                      .seed(seed)
                      .parallelToolCalls(false)
                      .toolSpecifications(SWITCH, NOTHING)
                      .toolChoice(ToolChoice.REQUIRED)
                      .build())
              .build();

      final Collected streamed = Collected.of(streaming, request);

      final ChatResponse response = streamed.response();
      final List<ToolExecutionRequest> calls = response.aiMessage().toolExecutionRequests();
      assertThat(response.finishReason()).isEqualTo(FinishReason.TOOL_EXECUTION);
      assertThat(response.aiMessage().text()).isNull();
      assertThat(calls).as("seed=%s", seed).hasSize(1);
      assertThat(streamed.completeCalls)
          .extracting(call -> call.toolExecutionRequest())
          .containsExactlyElementsOf(calls);
      final JsonNode arguments = JsonMapper.shared().readTree(calls.getFirst().arguments());
      if (calls.getFirst().name().equals("switch_light")) {
        assertThat(arguments.path("room").asString()).isIn("kitchen", "hall");
        assertThat(arguments.path("on").isBoolean()).isTrue();
      } else {
        assertThat(calls.getFirst().name()).isEqualTo("do_nothing");
        assertThat(arguments.isEmpty()).isTrue();
      }
      final StringBuilder parts = new StringBuilder();
      streamed.partialCalls.forEach(part -> parts.append(part.partialArguments()));
      assertThat(parts.toString()).isEqualTo(calls.getFirst().arguments());
    }
  }

  @Test
  void shouldCallToolsOrAnswerInTheFormatWhenItMayDoBoth() {
    int called = 0;
    for (long seed = 0; seed < ANSWERS; seed++) {
      final ChatResponse response =
          model.chat(
              ask(seed)
                  .toolSpecifications(List.of(SWITCH, NOTHING))
                  .responseFormat(
                      format(
                          JsonObjectSchema.builder()
                              .addEnumProperty("color", List.of("red", "green"))
                              .required("color")
                              .build()))
                  .build());

      if (response.finishReason() == FinishReason.TOOL_EXECUTION) {
        called++;
        assertThat(response.aiMessage().text()).isNull();
        assertThat(response.aiMessage().toolExecutionRequests())
            .extracting(ToolExecutionRequest::name)
            .isSubsetOf("switch_light", "do_nothing");
      } else {
        final JsonNode json = JsonMapper.shared().readTree(response.aiMessage().text());
        assertThat(response.finishReason()).as("seed=%s", seed).isEqualTo(FinishReason.STOP);
        assertThat(json.path("color").asString()).as("seed=%s", seed).isIn("red", "green");
        assertThat(response.aiMessage().toolExecutionRequests()).isEmpty();
      }
    }
    assertThat(called).as("answers that call a tool").isBetween(1, ANSWERS - 1);
  }

  @Test
  void shouldLeaveOutACallThatWasCutOff() throws Exception {
    final ToolSpecification note =
        tool(
            "note",
            JsonObjectSchema.builder()
                .addProperty(
                    "lines",
                    JsonArraySchema.builder()
                        .items(JsonRawSchema.from("{\"type\": \"string\", \"minLength\": 500}"))
                        .build())
                .required("lines")
                .build());
    final ChatRequest request =
        ChatRequest.builder()
            .messages(UserMessage.from("Write"))
            .parameters(
                HeadwayChatRequestParameters.builder()
                    .maxOutputTokens(60)
                    .toolSpecifications(note)
                    .toolChoice(ToolChoice.REQUIRED)
                    .seed(4L)
                    .build())
            .build();

    final Collected streamed = Collected.of(streaming, request);

    assertThat(streamed.response().finishReason()).isEqualTo(FinishReason.LENGTH);
    assertThat(streamed.response().aiMessage().toolExecutionRequests()).isEmpty();
    assertThat(streamed.response().aiMessage().text()).isEmpty();
    assertThat(streamed.completeCalls).isEmpty();
  }
}
