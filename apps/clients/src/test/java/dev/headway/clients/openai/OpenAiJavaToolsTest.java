package dev.headway.clients.openai;

import static dev.headway.clients.openai.Connection.chat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.ResponseFormatJsonObject;
import com.openai.models.ResponseFormatJsonSchema;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionNamedToolChoice;
import com.openai.models.chat.completions.ChatCompletionToolChoiceOption;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import dev.headway.clients.Feature;
import dev.headway.clients.Servers;
import dev.headway.clients.Shows;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** OpenAI's Java client: answers of a form, and tools. */
@ParameterizedClass
@EnumSource
@ExtendWith(Servers.Started.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class OpenAiJavaToolsTest extends WithClient {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Map<String, Object> CITY = Map.of("type", "string", "maxLength", 6);
  private static final Map<String, Object> UNIT = Map.of("enum", List.of("C", "F"));
  private static final List<String> REQUIRED = List.of("city", "unit");

  private ChatCompletion.Choice answer(ChatCompletionCreateParams asked) {
    return client.chat().completions().create(asked).choices().getFirst();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  @Shows(Feature.JSON_OBJECT)
  void shouldAnswerAnObject(long seed) {
    final ChatCompletion.Choice choice =
        answer(
            chat(seed)
                .maxCompletionTokens(100)
                .responseFormat(ResponseFormatJsonObject.builder().build())
                .build());

    final String text = choice.message().content().orElseThrow();
    assertThat(text).startsWith("{");
    if (choice.finishReason().equals(ChatCompletion.Choice.FinishReason.STOP)) {
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
    final ChatCompletion.Choice choice =
        answer(
            chat(3)
                .maxCompletionTokens(100)
                .responseFormat(
                    ResponseFormatJsonSchema.builder()
                        .jsonSchema(
                            ResponseFormatJsonSchema.JsonSchema.builder()
                                .name("place")
                                .strict(true)
                                .schema(
                                    ResponseFormatJsonSchema.JsonSchema.Schema.builder()
                                        .putAdditionalProperty("type", JsonValue.from("object"))
                                        .putAdditionalProperty(
                                            "properties",
                                            JsonValue.from(Map.of("city", CITY, "unit", UNIT)))
                                        .putAdditionalProperty("required", JsonValue.from(REQUIRED))
                                        .putAdditionalProperty(
                                            "additionalProperties", JsonValue.from(false))
                                        .build())
                                .build())
                        .build())
                .build());

    assertThat(choice.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.STOP);
    assertArguments(choice.message().content().orElseThrow());
  }

  /** What an answer is made into. */
  static final class Weather {
    public Unit unit;
    public boolean sunny;
    public Wind wind;
  }

  /** An object in it. */
  static final class Wind {
    public Unit unit;
    public Unit gusts;
  }

  /** A field of it. */
  enum Unit {
    C,
    F
  }

  @Test
  @Shows(Feature.TYPED_ANSWER)
  void shouldAnswerAnObjectOfAClass() {
    final Weather weather =
        client
            .chat()
            .completions()
            .create(chat(4).maxCompletionTokens(300).responseFormat(Weather.class).build())
            .choices()
            .getFirst()
            .message()
            .content()
            .orElseThrow();

    assertThat(weather.unit).isNotNull();
    assertThat(weather.wind.unit).isNotNull();
  }

  private static ChatCompletionCreateParams.Builder withTools(long seed) {
    return chat(seed)
        .maxCompletionTokens(100)
        .addFunctionTool(
            FunctionDefinition.builder()
                .name("weather")
                .description("The weather in a city.")
                .parameters(
                    FunctionParameters.builder()
                        .putAdditionalProperty("type", JsonValue.from("object"))
                        .putAdditionalProperty(
                            "properties", JsonValue.from(Map.of("city", CITY, "unit", UNIT)))
                        .putAdditionalProperty("required", JsonValue.from(REQUIRED))
                        .build())
                .build())
        .addFunctionTool(FunctionDefinition.builder().name("clock").build());
  }

  private static void assertArguments(String arguments) {
    final JsonNode json = JSON.readTree(arguments);
    assertThat(json.path("city").stringValue().codePoints().count()).isLessThanOrEqualTo(6);
    assertThat(json.path("unit").stringValue()).isIn("C", "F");
    assertThat(json.size()).isEqualTo(2);
  }

  private static void assertCall(ChatCompletionMessageFunctionToolCall call) {
    assertThat(call.id()).startsWith("call_");
    if (call.function().name().equals("weather")) {
      assertArguments(call.function().arguments());
    } else {
      assertThat(call.function().name()).isEqualTo("clock");
      assertThat(JSON.readTree(call.function().arguments())).isEmpty();
    }
  }

  @Test
  @Shows(Feature.TOOL_REQUIRED)
  void shouldCallWhatIsRequired() {
    for (long seed = 1; seed <= 4; seed++) {
      final ChatCompletion.Choice choice =
          answer(
              withTools(seed)
                  .toolChoice(ChatCompletionToolChoiceOption.Auto.REQUIRED)
                  .parallelToolCalls(false)
                  .build());

      assertThat(choice.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.TOOL_CALLS);
      assertThat(choice.message().content()).isEmpty();
      assertThat(choice.message().toolCalls().orElseThrow()).hasSize(1);
      assertCall(choice.message().toolCalls().orElseThrow().getFirst().asFunction());
    }
  }

  private static ChatCompletionNamedToolChoice weather() {
    return ChatCompletionNamedToolChoice.builder()
        .function(ChatCompletionNamedToolChoice.Function.builder().name("weather").build())
        .build();
  }

  @Test
  @Shows(Feature.TOOL_NAMED)
  void shouldCallTheFunctionThatIsNamed() {
    final ChatCompletion.Choice choice = answer(withTools(7).toolChoice(weather()).build());

    final ChatCompletionMessageFunctionToolCall call =
        choice.message().toolCalls().orElseThrow().getFirst().asFunction();
    assertThat(call.function().name()).isEqualTo("weather");
    assertArguments(call.function().arguments());
  }

  @Test
  @Shows(Feature.TOOL_AUTO)
  void shouldLeaveItToTheModel() {
    final ChatCompletion.Choice choice =
        answer(
            withTools(1)
                .maxCompletionTokens(20)
                .toolChoice(ChatCompletionToolChoiceOption.Auto.AUTO)
                .build());

    assertThat(choice.message().content().orElseThrow()).isNotEmpty();
    assertThat(choice.message().toolCalls().orElse(List.of())).isEmpty();
  }

  /** What this small model never writes of its own accord is given to it beforehand. */
  @Test
  @Shows(Feature.TOOL_AUTO)
  void shouldReadACallThatTheModelWrites() {
    final String text =
        "<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Ulm\"}}</tool_call>";
    final IntStream bytes = text.chars().map(letter -> letter + 3); // of Llama's vocabularies
    final int[] tokens = IntStream.concat(bytes, IntStream.of(2)).toArray(); // the end, too

    final ChatCompletion.Choice choice =
        answer(
            withTools(1)
                .toolChoice(ChatCompletionToolChoiceOption.Auto.AUTO)
                .maxCompletionTokens(tokens.length)
                .putAdditionalBodyProperty("forced_token_ids", JsonValue.from(tokens))
                .build());

    assertThat(choice.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.TOOL_CALLS);
    final var function =
        choice.message().toolCalls().orElseThrow().getFirst().asFunction().function();
    assertThat(function.name()).isEqualTo("weather");
    assertThat(JSON.readTree(function.arguments()).path("city").asString()).isEqualTo("Ulm");
  }

  @Test
  @Shows(Feature.TOOL_LOOP)
  void shouldAnswerToResultsOfTools() {
    final ChatCompletionCreateParams first =
        withTools(2).toolChoice(ChatCompletionToolChoiceOption.Auto.REQUIRED).build();
    final ChatCompletionMessage called = answer(first).message();
    final ChatCompletionCreateParams.Builder next =
        first.toBuilder()
            .toolChoice(ChatCompletionToolChoiceOption.Auto.NONE)
            .maxCompletionTokens(12)
            .addMessage(called);
    for (var call : called.toolCalls().orElseThrow()) {
      next.addMessage(
          ChatCompletionToolMessageParam.builder()
              .toolCallId(call.asFunction().id())
              .contentAsJson(Map.of("degrees", 18))
              .build());
    }

    final ChatCompletion answer = client.chat().completions().create(next.build());

    assertThat(answer.choices().getFirst().message().content().orElseThrow()).isNotEmpty();
    assertThat(answer.choices().getFirst().message().toolCalls().orElse(List.of())).isEmpty();
  }

  @Test
  @Shows(Feature.TOOL_STREAM)
  void shouldStreamCalls() {
    final ChatCompletionCreateParams asked = withTools(7).toolChoice(weather()).build();
    final ChatCompletionMessage whole = answer(asked).message();
    final ChatCompletionAccumulator parts = ChatCompletionAccumulator.create();

    try (StreamResponse<ChatCompletionChunk> stream =
        client.chat().completions().createStreaming(asked)) {
      stream.stream().forEach(parts::accumulate);
    }

    final var streamed = parts.chatCompletion().choices().getFirst();
    assertThat(streamed.message().toolCalls().orElseThrow().getFirst().asFunction().function())
        .isEqualTo(whole.toolCalls().orElseThrow().getFirst().asFunction().function());
    assertThat(streamed.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.TOOL_CALLS);
  }
}
