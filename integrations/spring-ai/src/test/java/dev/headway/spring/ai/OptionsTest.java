package dev.headway.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.request.Request;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.Until;
import dev.headway.serving.reply.ReplyException;
import dev.headway.serving.reply.ReplyException.Kind;
import dev.headway.spring.ai.HeadwayChatOptions.ToolChoice;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.DefaultChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.content.Media;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.function.FunctionToolCallback;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.MimeTypeUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every option acts, or is refused by name. */
class OptionsTest {

  record Place(String city) {}

  private static final ToolCallback WEATHER =
      FunctionToolCallback.builder("weather", (Place place) -> "rain in " + place.city())
          .description("The weather of a city")
          .inputType(Place.class)
          .build();

  private static final String SCHEMA =
      "{\"type\": \"object\", \"properties\": {\"ok\": {\"type\": \"boolean\"}},"
          + " \"required\": [\"ok\"], \"additionalProperties\": false}";

  /** The request that options make. */
  private static Request request(ChatOptions defaults, ChatOptions options) {
    List<Request> seen = new CopyOnWriteArrayList<>();
    try (TestedEngine given =
        TestedEngine.scripted(
            (request, prompt) -> {
              seen.add(request);
              return "yes";
            })) {
      given.chat().defaultOptions(defaults).build().call(new Prompt("Hi", options));
    }
    return seen.getFirst();
  }

  private static void refused(Kind kind, String message, Executable executable) {
    assertThatThrownBy(executable::execute)
        .isInstanceOfSatisfying(ReplyException.class, e -> assertThat(e.kind()).isEqualTo(kind))
        .hasMessage(message);
  }

  private static void with(TestedEngine engine, Consumer<TestedEngine> action) {
    try (engine) {
      action.accept(engine);
    }
  }

  @Test
  void shouldPassOnWhatSpringAiHasForAllModels() {
    Request request =
        request(
            ChatOptions.builder().build(),
            ChatOptions.builder()
                .temperature(0.5)
                .topP(0.9)
                .topK(7)
                .frequencyPenalty(0.1)
                .presencePenalty(0.2)
                .maxTokens(11)
                .model(TestedEngine.NAME)
                .build());

    assertThat(request.sampling().temperature()).isEqualTo(0.5f);
    assertThat(request.sampling().topP()).isEqualTo(0.9f);
    assertThat(request.sampling().topK()).isEqualTo(7);
    assertThat(request.sampling().frequencyPenalty()).isEqualTo(0.1f);
    assertThat(request.sampling().presencePenalty()).isEqualTo(0.2f);
    assertThat(request.stopRule().maxTokens()).isEqualTo(11);
  }

  @Test
  void shouldPassOnWhatAnEngineHas() {
    Request request =
        request(
            ChatOptions.builder().build(),
            HeadwayChatOptions.builder()
                .tenant("a")
                .priority(3)
                .timeout(Duration.ofMinutes(1))
                .queueTimeout(Duration.ofMinutes(2))
                .runTimeout(Duration.ofMinutes(3))
                .ttftTarget(Duration.ofMillis(200))
                .seed(9L)
                .minOutputTokens(2)
                .minP(0.1)
                .repetitionPenalty(1.5)
                .cacheSalt("salt")
                .build());

    assertThat(request.tenant()).isEqualTo("a");
    assertThat(request.priority()).isEqualTo(3);
    assertThat(request.timeouts().total()).isEqualTo(Duration.ofMinutes(1));
    assertThat(request.timeouts().queue()).isEqualTo(Duration.ofMinutes(2));
    assertThat(request.timeouts().run()).isEqualTo(Duration.ofMinutes(3));
    assertThat(request.sampling().seed()).isEqualTo(9L);
    assertThat(request.stopRule().minTokens()).isEqualTo(2);
    assertThat(request.sampling().minP()).isEqualTo(0.1f);
    assertThat(request.sampling().repetitionPenalty()).isEqualTo(1.5f);
    assertThat(request.cacheSalt()).isEqualTo("salt");
  }

  @Test
  void shouldFillUpWithTheModelsDefaults() {
    ChatOptions defaults =
        HeadwayChatOptions.builder().temperature(0.25).maxTokens(5).tenant("of all").build();

    Request portable = request(defaults, ChatOptions.builder().maxTokens(9).build());
    Request own = request(defaults, HeadwayChatOptions.builder().tenant("mine").build());

    assertThat(portable.stopRule().maxTokens()).isEqualTo(9);
    assertThat(portable.sampling().temperature()).isEqualTo(0.25f);
    assertThat(portable.tenant()).isEqualTo("of all");
    assertThat(own.tenant()).isEqualTo("mine");
    assertThat(own.stopRule().maxTokens()).isEqualTo(5);
  }

  @Test
  void shouldKeepItsOwnOptionsWhereClientsCombineThem() {
    HeadwayChatOptions own = HeadwayChatOptions.builder().tenant("a").seed(1L).maxTokens(3).build();

    HeadwayChatOptions changed =
        own.mutate().combineWith(HeadwayChatOptions.builder().seed(2L)).build();

    assertThat(own.mutate().build()).isEqualTo(own);
    assertThat(own.mutate().clone().build()).isEqualTo(own);
    assertThat(changed.tenant()).isEqualTo("a");
    assertThat(changed.seed()).isEqualTo(2L);
    assertThat(changed.getMaxTokens()).isEqualTo(3);
    assertThat(changed).isNotEqualTo(own);
  }

  @Test
  void shouldEndAtAStopSequence() {
    with(
        TestedEngine.always("one END two"),
        given -> {
          ChatResponse response =
              given
                  .chat()
                  .build()
                  .call(
                      new Prompt(
                          "Hi", ChatOptions.builder().stopSequences(List.of(" END")).build()));

          assertThat(response.getResult().getOutput().getText()).isEqualTo("one");
        });
  }

  @Test
  void shouldSayThatAnAnswerWasCutOff() {
    with(
        TestedEngine.always("one two"),
        given ->
            assertThat(
                    given
                        .chat()
                        .build()
                        .call(new Prompt("Hi", ChatOptions.builder().maxTokens(3).build()))
                        .getResult()
                        .getMetadata()
                        .getFinishReason())
                .isEqualTo("LENGTH"));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void shouldKeepAnyModelToASchema(long seed) {
    with(
        TestedEngine.random(seed),
        given -> {
          String text =
              given
                  .chat()
                  .build()
                  .call(new Prompt("Hi", HeadwayChatOptions.builder().outputSchema(SCHEMA).build()))
                  .getResult()
                  .getOutput()
                  .getText();

          JsonNode answer = JsonMapper.shared().readTree(text);
          assertThat(answer.propertyNames()).containsExactly("ok");
          assertThat(answer.path("ok").isBoolean()).isTrue();
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldMakeAnyModelCallARequiredTool(long seed) {
    with(
        TestedEngine.random(seed),
        given -> {
          ChatResponse response =
              given
                  .chat()
                  .build()
                  .call(
                      new Prompt(
                          "Hi",
                          HeadwayChatOptions.builder()
                              .toolCallbacks(WEATHER)
                              .toolChoice(ToolChoice.REQUIRED)
                              .parallelToolCalls(false)
                              .seed(seed)
                              .build()));

          if (response.getResult().getMetadata().getFinishReason().equals("LENGTH")) {
            return; // a random model writes a city without end
          }
          assertThat(response.hasToolCalls()).isTrue();
          assertThat(response.getResult().getOutput().getToolCalls())
              .singleElement()
              .satisfies(
                  call -> {
                    assertThat(call.name()).isEqualTo("weather");
                    assertThat(JsonMapper.shared().readTree(call.arguments()).has("city")).isTrue();
                  });
        });
  }

  @Test
  void shouldLetAClientExecuteTheToolsThatTheModelCalls() {
    with(
        TestedEngine.scripted(
            (request, prompt) ->
                prompt.contains("rain in Munich")
                    ? "Take an umbrella."
                    : "<tool_call>\n"
                        + "{\"name\": \"weather\", \"arguments\": {\"city\": \"Munich\"}}\n"
                        + "</tool_call>"),
        given -> {
          ChatClient client = ChatClient.create(given.chat().build());

          assertThat(client.prompt("Munich?").tools(WEATHER).call().content())
              .isEqualTo("Take an umbrella.");
        });
  }

  @Test
  void shouldRefuseByName() {
    with(
        TestedEngine.always("yes"),
        given -> {
          HeadwayChatModel model = given.chat().build();
          refused(
              Kind.UNSUPPORTED,
              "another model than that of the model that the engine runs is not supported:"
                  + " model=other, served=tested",
              () -> model.call(new Prompt("Hi", ChatOptions.builder().model("other").build())));
          refused(
              Kind.UNSUPPORTED,
              "ToolChoice.REQUIRED is not supported without toolCallbacks",
              () ->
                  model.call(
                      new Prompt(
                          "Hi",
                          HeadwayChatOptions.builder().toolChoice(ToolChoice.REQUIRED).build())));
          refused(
              Kind.UNSUPPORTED,
              "options of another provider are not supported, HeadwayChatOptions are: class="
                  + Others.class.getName(),
              () -> model.call(new Prompt("Hi", new Others())));
          refused(
              Kind.UNSUPPORTED,
              "media are not supported by Headway, which takes text: type=image/png",
              () ->
                  model.call(
                      new Prompt(
                          UserMessage.builder()
                              .text("What is it?")
                              .media(
                                  new Media(
                                      MimeTypeUtils.IMAGE_PNG, new ByteArrayResource(new byte[1])))
                              .build())));
          refused(
              Kind.INVALID,
              "temperature must be >= 0: temperature=-1.0",
              () -> model.call(new Prompt("Hi", ChatOptions.builder().temperature(-1.0).build())));
          refused(
              Kind.INVALID,
              "prompt and answer must fit into maxModelLen: promptTokens=52, maxTokens=4000,"
                  + " maxModelLen=2048",
              () -> model.call(new Prompt("Hi", ChatOptions.builder().maxTokens(4_000).build())));
        });
  }

  /** Options of another provider. */
  private static final class Others extends DefaultChatOptions {
    Others() {
      super(null, null, null, null, null, null, null, null);
    }
  }

  @Test
  void shouldRefuseToolsWhoseCallsCannotBeRead() {
    with(
        TestedEngine.always("yes"),
        given ->
            refused(
                Kind.UNSUPPORTED,
                "ToolChoice.AUTO is not supported unless the model's builder is given a"
                    + " toolParser, which says how the model writes calls; ToolChoice.REQUIRED"
                    + " and NONE are: tools=[weather]",
                () ->
                    HeadwayChatModel.builder()
                        .engine(given.engine)
                        .model(given.model)
                        .build()
                        .call(
                            new Prompt(
                                "Hi",
                                HeadwayChatOptions.builder()
                                    .toolCallbacks(WEATHER)
                                    .toolContext(Map.of())
                                    .build()))));
  }

  @Test
  void shouldSayByKindWhyThereIsNoAnswer() {
    TextExecutor executor = new TextExecutor("yes", 1_024);
    with(
        new TestedEngine(executor),
        given -> {
          HeadwayChatModel model = given.chat().build();
          executor.hold();
          for (int i = 0; i < 3; i++) { // as many as may be queued
            model.stream(new Prompt("Hi")).subscribe();
          }

          assertThatThrownBy(() -> model.call(new Prompt("Hi")))
              .isInstanceOfSatisfying(
                  ReplyException.class, e -> assertThat(e.kind()).isEqualTo(Kind.OVERLOADED));
          assertThatThrownBy(() -> model.stream(new Prompt("Hi")).blockLast())
              .isInstanceOfSatisfying(
                  ReplyException.class, e -> assertThat(e.kind()).isEqualTo(Kind.OVERLOADED));

          executor.letAll();
          Until.holds(() -> given.engine.stats().finished() == 3);
          executor.fail(new IllegalStateException("no device"));
          assertThatThrownBy(() -> model.call(new Prompt("Hi")))
              .hasMessageContaining("no device")
              .isInstanceOfSatisfying(
                  ReplyException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FAILED));
        });
  }
}
