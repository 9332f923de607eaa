package dev.headway.clients.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.clients.Feature;
import dev.headway.clients.Servers;
import dev.headway.clients.Shows;
import dev.headway.clients.Way;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiChatRequestParameters;
import dev.langchain4j.model.output.FinishReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** LangChain4j's client: answers of a form, and tools. */
@ParameterizedClass
@EnumSource
@ExtendWith(Servers.Started.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class LangChain4jToolsTest {

  private static final JsonMapper JSON = JsonMapper.shared();

  private static final JsonObjectSchema PLACE =
      JsonObjectSchema.builder()
          .addEnumProperty("city", List.of("Ulm", "Rom"))
          .addEnumProperty("unit", List.of("C", "F"))
          .required("city", "unit")
          .additionalProperties(false)
          .build();

  private static final List<ToolSpecification> TOOLS =
      List.of(
          ToolSpecification.builder()
              .name("weather")
              .description("The weather in a city.")
              .parameters(PLACE)
              .build(),
          ToolSpecification.builder().name("clock").build());

  @Parameter Way way;

  private Servers servers;
  private OpenAiChatModel chat;

  @BeforeEach
  void connect(Servers started) {
    servers = started;
    chat = Models.chat(started, way);
  }

  private static OpenAiChatRequestParameters.Builder parameters() {
    return OpenAiChatRequestParameters.builder().maxCompletionTokens(100).seed(7);
  }

  private static ChatRequest asking(
      ChatMessage message, OpenAiChatRequestParameters.Builder parameters) {
    return ChatRequest.builder().messages(message).parameters(parameters.build()).build();
  }

  private static ChatRequest calling(ToolChoice choice) {
    return asking(
        UserMessage.from("How is the weather?"),
        parameters().toolSpecifications(TOOLS).toolChoice(choice).parallelToolCalls(false));
  }

  private static void assertPlace(String text) {
    final JsonNode json = JSON.readTree(text);
    assertThat(json.path("city").stringValue()).isIn("Ulm", "Rom");
    assertThat(json.path("unit").stringValue()).isIn("C", "F");
    assertThat(json.size()).isEqualTo(2);
  }

  private static void assertCall(ToolExecutionRequest call) {
    assertThat(call.id()).startsWith("call_");
    if (call.name().equals("weather")) {
      assertPlace(call.arguments());
    } else {
      assertThat(call.name()).isEqualTo("clock");
      assertThat(JSON.readTree(call.arguments())).isEmpty();
    }
  }

  @Test
  @Shows(Feature.JSON_OBJECT)
  void shouldAnswerAnObject() {
    final ChatResponse answer =
        chat.chat(
            asking(UserMessage.from("A place."), parameters().responseFormat(ResponseFormat.JSON)));

    final String text = answer.aiMessage().text();
    if (answer.finishReason() == FinishReason.STOP) {
      assertThat(JSON.readTree(text).isObject()).as(text).isTrue();
    } else { // cut by its length, and so far the beginning of one
      assertThatThrownBy(() -> JSON.readTree(text))
          .as(text)
          .isInstanceOf(UnexpectedEndOfInputException.class);
    }
  }

  @Test
  @Shows(Feature.JSON_SCHEMA)
  void shouldAnswerJsonOfASchema() {
    final ResponseFormat format =
        ResponseFormat.builder()
            .type(ResponseFormatType.JSON)
            .jsonSchema(JsonSchema.builder().name("place").rootElement(PLACE).build())
            .build();

    final ChatResponse answer =
        chat.chat(asking(UserMessage.from("A place."), parameters().responseFormat(format)));

    assertThat(answer.finishReason()).isEqualTo(FinishReason.STOP);
    assertPlace(answer.aiMessage().text());
  }

  @Test
  @Shows(Feature.TOOL_REQUIRED)
  void shouldCallWhatIsRequired() {
    final ChatResponse answer = chat.chat(calling(ToolChoice.REQUIRED));

    assertThat(answer.finishReason()).isEqualTo(FinishReason.TOOL_EXECUTION);
    assertThat(answer.aiMessage().toolExecutionRequests()).isNotEmpty();
    answer.aiMessage().toolExecutionRequests().forEach(LangChain4jToolsTest::assertCall);
  }

  @Test
  @Shows(Feature.TOOL_AUTO)
  void shouldLeaveItToTheModelAndReadACallThatItWrites() {
    final String text =
        "<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Ulm\"}}</tool_call>";
    final IntStream bytes = text.chars().map(letter -> letter + 3); // of Llama's vocabularies
    final int[] tokens = IntStream.concat(bytes, IntStream.of(2)).toArray(); // the end, too
    final OpenAiChatRequestParameters.Builder auto =
        parameters().toolSpecifications(TOOLS).toolChoice(ToolChoice.AUTO);

    final ChatResponse free =
        chat.chat(asking(UserMessage.from("Hi."), auto.maxCompletionTokens(16)));
    final ChatResponse written =
        chat.chat(
            asking(
                UserMessage.from("Hi."),
                auto.maxCompletionTokens(tokens.length)
                    .customParameters(Map.of("forced_token_ids", tokens))));

    assertThat(free.aiMessage().hasToolExecutionRequests()).isFalse();
    assertThat(free.aiMessage().text()).isNotEmpty();
    final ToolExecutionRequest call = written.aiMessage().toolExecutionRequests().getFirst();
    assertThat(call.name()).isEqualTo("weather");
    assertThat(JSON.readTree(call.arguments()).path("city").stringValue()).isEqualTo("Ulm");
  }

  @Test
  @Shows(Feature.TOOL_LOOP)
  void shouldAnswerToResultsOfTools() {
    final ChatRequest first = calling(ToolChoice.REQUIRED);
    final ChatResponse called = chat.chat(first);
    final List<ChatMessage> messages = new ArrayList<>(first.messages());
    messages.add(called.aiMessage());
    called
        .aiMessage()
        .toolExecutionRequests()
        .forEach(call -> messages.add(ToolExecutionResultMessage.from(call, "{\"degrees\":18}")));

    final ChatResponse answer =
        chat.chat(
            ChatRequest.builder()
                .messages(messages)
                .parameters(
                    parameters()
                        .maxCompletionTokens(12)
                        .toolSpecifications(TOOLS)
                        .toolChoice(ToolChoice.NONE)
                        .build())
                .build());

    assertThat(answer.aiMessage().text()).isNotEmpty();
    assertThat(answer.aiMessage().hasToolExecutionRequests()).isFalse();
  }

  @Test
  @Shows(Feature.TOOL_STREAM)
  void shouldStreamCalls() throws Exception {
    final ChatRequest asked = calling(ToolChoice.REQUIRED);

    final ChatResponse whole = chat.chat(asked);
    final ChatResponse streamed =
        Models.streamed(Models.streaming(servers, way), asked, new StringBuilder());

    assertThat(calls(streamed)).isNotEmpty().isEqualTo(calls(whole));
    assertThat(streamed.finishReason()).isEqualTo(FinishReason.TOOL_EXECUTION);
  }

  private static List<String> calls(ChatResponse answer) {
    return answer.aiMessage().toolExecutionRequests().stream()
        .map(call -> call.name() + call.arguments())
        .toList();
  }
}
