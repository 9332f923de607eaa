package dev.headway.clients.springai;

import static dev.headway.clients.springai.SpringModels.first;
import static dev.headway.clients.springai.SpringModels.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.clients.Feature;
import dev.headway.clients.Servers;
import dev.headway.clients.Shows;
import dev.headway.clients.Way;
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
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatModel.ResponseFormat;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Spring AI's client: answers of a form, and tools. */
@ParameterizedClass
@EnumSource
@ExtendWith(Servers.Started.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class SpringAiToolsTest {

  private static final JsonMapper JSON = JsonMapper.shared();

  private static final String PLACE =
      """
      {"type":"object","properties":{"city":{"enum":["Ulm","Rom"]},"unit":{"enum":["C","F"]}},
       "required":["city","unit"],"additionalProperties":false}""";

  private static final List<ToolCallback> TOOLS =
      List.of(
          new Tool("weather", PLACE), new Tool("clock", "{\"type\":\"object\",\"properties\":{}}"));

  @Parameter Way way;

  private Servers servers;
  private OpenAiChatModel chat;

  @BeforeEach
  void connect(Servers started) {
    servers = started;
    chat = SpringModels.chat(started, way);
  }

  /** One that the test answers for. */
  private record Tool(String name, String schema) implements ToolCallback {

    @Override
    public ToolDefinition getToolDefinition() {
      return ToolDefinition.builder()
          .name(name)
          .description("The " + name + ".")
          .inputSchema(schema)
          .build();
    }

    @Override
    public String call(String input) {
      throw new AssertionError("the test answers for it: input=" + input);
    }
  }

  private static OpenAiChatOptions.Builder options() {
    return OpenAiChatOptions.builder().model(SpringModels.MODEL).maxCompletionTokens(100).seed(7);
  }

  private static OpenAiChatOptions.Builder calling(Object choice) {
    return options().toolCallbacks(TOOLS).toolChoice(choice).parallelToolCalls(false);
  }

  private static Prompt asking(OpenAiChatOptions.Builder options) {
    return new Prompt("How is the weather?", options.build());
  }

  private static void assertPlace(String text) {
    final JsonNode json = JSON.readTree(text);
    assertThat(json.path("city").stringValue()).isIn("Ulm", "Rom");
    assertThat(json.path("unit").stringValue()).isIn("C", "F");
    assertThat(json.size()).isEqualTo(2);
  }

  @Test
  @Shows(Feature.JSON_OBJECT)
  void shouldAnswerAnObject() {
    final ChatResponse answer =
        chat.call(
            asking(
                options()
                    .responseFormat(
                        ResponseFormat.builder().type(ResponseFormat.Type.JSON_OBJECT).build())));

    if ("stop".equalsIgnoreCase(first(answer).getMetadata().getFinishReason())) {
      assertThat(JSON.readTree(text(answer)).isObject()).as(text(answer)).isTrue();
    } else { // cut by its length, and so far the beginning of one
      assertThatThrownBy(() -> JSON.readTree(text(answer)))
          .as(text(answer))
          .isInstanceOf(UnexpectedEndOfInputException.class);
    }
  }

  @Test
  @Shows(Feature.JSON_SCHEMA)
  void shouldAnswerJsonOfASchema() {
    final ChatResponse answer =
        chat.call(
            asking(
                options()
                    .responseFormat(
                        ResponseFormat.builder()
                            .type(ResponseFormat.Type.JSON_SCHEMA)
                            .jsonSchema(PLACE)
                            .build())));

    assertThat(first(answer).getMetadata().getFinishReason()).isEqualToIgnoringCase("stop");
    assertPlace(text(answer));
  }

  @Test
  @Shows(Feature.TYPED_ANSWER)
  void shouldAnswerAnObjectOfAClass() throws Exception {
    try (OwnSchemas libraries = new OwnSchemas()) {
      final String unit = libraries.call(TypedAnswer.class, servers.models(way));

      assertThat(unit).isIn("C", "F");
    }
  }

  @Test
  @Shows(Feature.TOOL_REQUIRED)
  void shouldCallWhatIsRequired() {
    final ChatResponse answer = chat.call(asking(calling("required")));

    final List<AssistantMessage.ToolCall> calls = first(answer).getOutput().getToolCalls();
    assertThat(first(answer).getMetadata().getFinishReason()).isEqualToIgnoringCase("tool_calls");
    assertThat(calls).hasSize(1);
    assertThat(calls.getFirst().id()).startsWith("call_");
    assertThat(calls.getFirst().name()).isIn("weather", "clock");
    assertThat(JSON.readTree(calls.getFirst().arguments()).isObject()).isTrue();
  }

  @Test
  @Shows(Feature.TOOL_NAMED)
  void shouldCallTheFunctionThatIsNamed() {
    final ChatResponse answer =
        chat.call(asking(calling("{\"type\":\"function\",\"function\":{\"name\":\"weather\"}}")));

    final AssistantMessage.ToolCall call = first(answer).getOutput().getToolCalls().getFirst();
    assertThat(call.name()).isEqualTo("weather");
    assertPlace(call.arguments());
  }

  @Test
  @Shows(Feature.TOOL_AUTO)
  void shouldLeaveItToTheModelAndReadACallThatItWrites() {
    final String text =
        "<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Ulm\"}}</tool_call>";
    final IntStream bytes = text.chars().map(letter -> letter + 3); // of Llama's vocabularies
    final List<Integer> tokens = IntStream.concat(bytes, IntStream.of(2)).boxed().toList();

    final ChatResponse free = chat.call(asking(calling("auto").maxCompletionTokens(16)));
    final ChatResponse written =
        chat.call(
            asking(
                calling("auto")
                    .maxCompletionTokens(tokens.size())
                    .extraBody(Map.of("forced_token_ids", tokens))));

    assertThat(first(free).getOutput().hasToolCalls()).isFalse();
    assertThat(text(free)).isNotEmpty();
    final AssistantMessage.ToolCall call = first(written).getOutput().getToolCalls().getFirst();
    assertThat(call.name()).isEqualTo("weather");
    assertThat(JSON.readTree(call.arguments()).path("city").stringValue()).isEqualTo("Ulm");
  }

  @Test
  @Shows(Feature.TOOL_LOOP)
  void shouldAnswerToResultsOfTools() {
    final AssistantMessage called = first(chat.call(asking(calling("required")))).getOutput();
    final List<Message> messages = new ArrayList<>();
    messages.add(new UserMessage("How is the weather?"));
    messages.add(called);
    messages.add(
        ToolResponseMessage.builder()
            .responses(
                called.getToolCalls().stream()
                    .map(
                        call ->
                            new ToolResponseMessage.ToolResponse(
                                call.id(), call.name(), "{\"degrees\":18}"))
                    .toList())
            .build());

    final ChatResponse answer =
        chat.call(new Prompt(messages, calling("none").maxCompletionTokens(12).build()));

    assertThat(text(answer)).isNotEmpty();
    assertThat(first(answer).getOutput().hasToolCalls()).isFalse();
  }

  @Test
  @Shows(Feature.TOOL_STREAM)
  void shouldStreamCalls() {
    final List<AssistantMessage.ToolCall> whole =
        first(chat.call(asking(calling("required")))).getOutput().getToolCalls();

    final List<AssistantMessage.ToolCall> streamed =
        chat.stream(asking(calling("required")))
            .filter(part -> part.getResult() != null)
            .flatMapIterable(part -> first(part).getOutput().getToolCalls())
            .collectList()
            .block();

    assertThat(calls(streamed)).isNotEmpty().isEqualTo(calls(whole));
  }

  private static List<String> calls(List<AssistantMessage.ToolCall> calls) {
    return calls.stream().map(call -> call.name() + call.arguments()).toList();
  }
}
