package dev.headway.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.request.Request;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.image.Image;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.DefaultChatRequestParameters;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ParametersTest {

  private static final ToolSpecification TOOL = ToolSpecification.builder().name("look").build();
  private static final HeadwayChatRequestParameters ALL =
      HeadwayChatRequestParameters.builder()
          .tenant("red")
          .priority(-3)
          .timeout(Duration.ofMinutes(3))
          .queueTimeout(Duration.ofMinutes(1))
          .runTimeout(Duration.ofMinutes(2))
          .ttftTarget(Duration.ofSeconds(1))
          .seed(42L)
          .minOutputTokens(2)
          .minP(0.125)
          .repetitionPenalty(1.5)
          .cacheSalt("salt")
          .traceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
          .parallelToolCalls(false)
          .temperature(0.5)
          .topP(0.75)
          .topK(7)
          .maxOutputTokens(9)
          .frequencyPenalty(0.25)
          .presencePenalty(-0.5)
          .build();

  private static final AtomicReference<Request> LAST = new AtomicReference<>();
  private static InProcess given;

  @BeforeAll
  static void start() {
    given =
        InProcess.scripted(
            (request, prompt) -> {
              LAST.set(request);
              return "hi";
            });
  }

  @AfterAll
  static void close() {
    given.close();
  }

  private static ChatRequest ask(ChatRequestParameters parameters) {
    return ChatRequest.builder().messages(UserMessage.from("Hi")).parameters(parameters).build();
  }

  @Test
  void shouldAskTheEngineForAllOfThem() {
    given.chat().build().chat(ask(ALL));

    final Request request = LAST.get();
    assertThat(request.tenant()).isEqualTo("red");
    assertThat(request.priority()).isEqualTo(-3);
    assertThat(request.timeouts().total()).isEqualTo(Duration.ofMinutes(3));
    assertThat(request.timeouts().queue()).isEqualTo(Duration.ofMinutes(1));
    assertThat(request.timeouts().run()).isEqualTo(Duration.ofMinutes(2));
    assertThat(request.ttftTarget()).isEqualTo(Duration.ofSeconds(1));
    assertThat(request.cacheSalt()).isEqualTo("salt");
    assertThat(request.traceParent()).startsWith("00-0af7");
    assertThat(request.stopRule().maxTokens()).isEqualTo(9);
    assertThat(request.stopRule().minTokens()).isEqualTo(2);
    assertThat(request.sampling().seed()).isEqualTo(42);
    assertThat(request.sampling().temperature()).isEqualTo(0.5f);
    assertThat(request.sampling().topP()).isEqualTo(0.75f);
    assertThat(request.sampling().topK()).isEqualTo(7);
    assertThat(request.sampling().minP()).isEqualTo(0.125f);
    assertThat(request.sampling().repetitionPenalty()).isEqualTo(1.5f);
    assertThat(request.sampling().frequencyPenalty()).isEqualTo(0.25f);
    assertThat(request.sampling().presencePenalty()).isEqualTo(-0.5f);
  }

  @Test
  void shouldSampleAsOpenAiDoesWhenNothingIsAskedFor() {
    given.chat().build().chat("Hi");
    final long seed = LAST.get().sampling().seed();
    given.chat().build().chat("Hi");

    assertThat(LAST.get().sampling().temperature()).isEqualTo(1);
    assertThat(LAST.get().sampling().seed()).isNotEqualTo(seed);
    assertThat(LAST.get().timeouts().total()).isNull();
    assertThat(LAST.get().tenant()).isNull();
  }

  @Test
  void shouldKeepDefaultsThatARequestDoesNotOverride() {
    final HeadwayChatModel model = given.chat().defaultRequestParameters(ALL).build();

    model.chat(ask(ChatRequestParameters.builder().topK(3).build()));
    final Request plain = LAST.get();
    model.chat(ask(HeadwayChatRequestParameters.builder().tenant("blue").build()));
    final Request own = LAST.get();

    assertThat(plain.sampling().topK()).isEqualTo(3);
    assertThat(plain.tenant()).isEqualTo("red");
    assertThat(own.tenant()).isEqualTo("blue");
    assertThat(own.sampling().topK()).isEqualTo(7);
  }

  @Test
  void shouldBeMergedFromEitherSideAndByClassesOfLangChain4j() {
    final ChatRequestParameters plain =
        DefaultChatRequestParameters.builder().topK(3).modelName("m").build();

    assertThat(plain.overrideWith(ALL)).isEqualTo(ALL.defaultedBy(plain));
    assertThat(plain.overrideWith(ALL).topK()).isEqualTo(7);
    assertThat(ALL.overrideWith(plain).topK()).isEqualTo(3);
    assertThat(ALL.overrideWith(plain).tenant()).isEqualTo("red");
    assertThat(ALL.overrideWith(HeadwayChatRequestParameters.EMPTY)).isEqualTo(ALL);
    assertThat(HeadwayChatRequestParameters.EMPTY.overrideWith(ALL))
        .isEqualTo(ALL)
        .hasSameHashCodeAs(ALL);
    assertThat(ALL.toString()).contains("tenant=red", "topK=7", "parallelToolCalls=false");
  }

  private static void refused(ChatRequest request, String message) {
    assertThatThrownBy(() -> given.chat().build().chat(request))
        .isExactlyInstanceOf(UnsupportedFeatureException.class)
        .hasMessage(message);
    final Collected handler = new Collected();
    assertThatThrownBy(() -> given.streaming().build().chat(request, handler))
        .isExactlyInstanceOf(UnsupportedFeatureException.class)
        .hasMessage(message);
  }

  @Test
  void shouldRefuseByNameWhatCannotBeHonoured() {
    refused(
        ask(ChatRequestParameters.builder().modelName("other").build()),
        "another modelName than that of the model that the engine runs is not supported:"
            + " modelName=other, served=tested");
    refused(
        ask(ChatRequestParameters.builder().toolChoice(ToolChoice.REQUIRED).build()),
        "ToolChoice.REQUIRED is not supported without toolSpecifications");
    refused(
        ask(
            ChatRequestParameters.builder()
                .toolSpecifications(TOOL)
                .responseFormat(
                    ResponseFormat.builder()
                        .type(ResponseFormatType.JSON)
                        .jsonSchema(
                            JsonSchema.builder()
                                .name("list")
                                .rootElement(JsonRawSchema.from("{\"type\": \"array\"}"))
                                .build())
                        .build())
                .build()),
        "a responseFormat that is no object is not supported together with tools, whose calls it"
            + " could not be distinguished from; with ToolChoice.NONE it is: schema={\"type\":\"array\"}");
    refused(
        ask(
            ChatRequestParameters.builder()
                .toolSpecifications(TOOL.toBuilder().strict(true).build())
                .build()),
        "strict tools are not supported with ToolChoice.AUTO, whose calls no grammar keeps; with"
            + " ToolChoice.REQUIRED all are: tool=look");
    refused(
        of(UserMessage.from(ImageContent.from("https://example.com/cat.png"))),
        "content of type image is not supported by Headway, which takes text");
    refused(
        of(
            UserMessage.from("Hi"),
            AiMessage.builder()
                .text("Here")
                .attributes(
                    java.util.Map.of(
                        AiMessage.GENERATED_IMAGES_KEY,
                        List.of(Image.builder().url("https://example.com/cat.png").build())))
                .build()),
        "content of type image is not supported by Headway, which takes text");
  }

  private static ChatRequest of(ChatMessage... messages) {
    return ChatRequest.builder().messages(messages).build();
  }

  @Test
  void shouldRefuseToolsOfItsOwnAccordUnlessItKnowsHowTheyAreWritten() {
    final HeadwayChatModel model =
        HeadwayChatModel.builder().engine(given.engine).model(given.model).build();

    assertThatThrownBy(
            () -> model.chat(ask(ChatRequestParameters.builder().toolSpecifications(TOOL).build())))
        .isExactlyInstanceOf(UnsupportedFeatureException.class)
        .hasMessage(
            "ToolChoice.AUTO is not supported unless the model's builder is given a toolParser,"
                + " which says how the model writes calls; ToolChoice.REQUIRED and NONE are:"
                + " tools=[look]");
  }

  /** Such as OpenAiChatRequestParameters. */
  private static final class OfAnother extends DefaultChatRequestParameters {
    OfAnother() {
      super(DefaultChatRequestParameters.builder());
    }
  }

  @Test
  void shouldRefuseParametersOfAnotherProvider() {
    assertThatThrownBy(() -> given.chat().build().chat(ask(new OfAnother())))
        .isExactlyInstanceOf(UnsupportedFeatureException.class)
        .hasMessageStartingWith(
            "parameters of another provider are not supported, HeadwayChatRequestParameters are:"
                + " class=");
  }

  @Test
  void shouldNameTheParameterThatIsWrong() {
    final List<ChatRequestParameters> wrong =
        List.of(
            ChatRequestParameters.builder().temperature(-1.0).build(),
            ChatRequestParameters.builder().topP(2.0).build(),
            ChatRequestParameters.builder().stopSequences("").build(),
            ChatRequestParameters.builder().maxOutputTokens(0).build(),
            HeadwayChatRequestParameters.builder().timeout(Duration.ZERO).build(),
            HeadwayChatRequestParameters.builder().minP(3.0).build(),
            HeadwayChatRequestParameters.builder()
                .minOutputTokens(1)
                .responseFormat(ResponseFormat.JSON)
                .build());
    final List<String> messages =
        List.of(
            "temperature must be >= 0: temperature=-1.0",
            "topP must be in (0, 1]: topP=2.0",
            "stopSequences must not have empty texts: stopSequences=[]",
            "maxTokens must be >= 1: maxTokens=0",
            "timeout must be > 0: timeout=PT0S",
            "minP must be in [0, 1]: minP=3.0",
            "an answer of a responseFormat or a required tool must end where that ends, at a token"
                + " of the model's: minOutputTokens=1, eosTokenIds=[256]");
    for (int i = 0; i < wrong.size(); i++) {
      final ChatRequest request = ask(wrong.get(i));
      assertThatThrownBy(() -> given.chat().build().chat(request))
          .isExactlyInstanceOf(InvalidRequestException.class)
          .hasMessage(messages.get(i));
    }
  }

  @Test
  void shouldSayWhatAModelIsMadeOf() {
    assertThatThrownBy(() -> HeadwayChatModel.builder().build())
        .hasMessage("engine must be set, the engine that answers: engine=null");
    assertThatThrownBy(() -> HeadwayChatModel.builder().engine(given.engine).build())
        .hasMessage("model must be set, what the engine runs: model=null");
    assertThatThrownBy(
            () ->
                given
                    .chat()
                    .defaultRequestParameters(
                        ChatRequestParameters.builder().modelName("other").build())
                    .build())
        .isExactlyInstanceOf(UnsupportedFeatureException.class);
  }
}
