package dev.headway.clients.langchain4j;

import static dev.headway.clients.langchain4j.Models.asking;
import static dev.headway.clients.langchain4j.Models.short16;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.clients.Feature;
import dev.headway.clients.Servers;
import dev.headway.clients.Shows;
import dev.headway.clients.Support;
import dev.headway.clients.Way;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.ModelNotFoundException;
import dev.langchain4j.model.StreamingResponseHandler;
import dev.langchain4j.model.catalog.ModelDescription;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.openai.LogProb;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiChatResponseMetadata;
import dev.langchain4j.model.openai.OpenAiEmbeddingModel;
import dev.langchain4j.model.openai.OpenAiLanguageModel;
import dev.langchain4j.model.openai.OpenAiModelCatalog;
import dev.langchain4j.model.openai.OpenAiResponsesChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingLanguageModel;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.Response;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** LangChain4j's client: texts, and what is refused by its name. */
@ParameterizedClass
@EnumSource
@ExtendWith(Servers.Started.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class LangChain4jTextsTest {

  private static final String PROMPT = "Once upon a time";

  @Parameter Way way;

  private Servers servers;
  private OpenAiChatModel chat;

  @BeforeEach
  void connect(Servers started) {
    servers = started;
    chat = Models.chat(started, way);
  }

  private OpenAiLanguageModel language() {
    return OpenAiLanguageModel.builder()
        .baseUrl(servers.models(way))
        .apiKey("none")
        .modelName(Models.MODEL)
        .temperature(0.0)
        .maxRetries(0)
        .timeout(Models.LONGEST)
        .build();
  }

  @Test
  @Shows(Feature.MODELS)
  void shouldListTheModel() {
    final OpenAiModelCatalog catalog =
        OpenAiModelCatalog.builder().baseUrl(servers.models(way)).apiKey("none").build();

    assertThat(catalog.listModels()).extracting(ModelDescription::name).containsOnly(Models.MODEL);
  }

  @Test
  @Shows(Feature.COMPLETION)
  void shouldCompleteAText() {
    final Response<String> answer = language().generate(PROMPT);

    assertThat(answer.content()).startsWith(", there was a little girl");
    assertThat(answer.finishReason()).isEqualTo(FinishReason.LENGTH);
    assertThat(answer.tokenUsage().outputTokenCount()).isEqualTo(16);
    assertThat(answer.tokenUsage().totalTokenCount())
        .isEqualTo(answer.tokenUsage().inputTokenCount() + 16);
  }

  @Test
  @Shows({Feature.STREAM, Feature.STREAM_USAGE})
  void shouldStreamACompletion() throws Exception {
    final StringBuilder texts = new StringBuilder();
    final CompletableFuture<Response<String>> end = new CompletableFuture<>();

    OpenAiStreamingLanguageModel.builder()
        .baseUrl(servers.models(way))
        .apiKey("none")
        .modelName(Models.MODEL)
        .temperature(0.0)
        .timeout(Models.LONGEST)
        .build()
        .generate(
            PROMPT,
            new StreamingResponseHandler<String>() {
              @Override
              public void onNext(String token) {
                texts.append(token);
              }

              @Override
              public void onComplete(Response<String> whole) {
                end.complete(whole);
              }

              @Override
              public void onError(Throwable error) {
                end.completeExceptionally(error);
              }
            });

    final Response<String> whole = end.get(60, TimeUnit.SECONDS);
    assertThat(texts.toString())
        .isEqualTo(whole.content())
        .isEqualTo(language().generate(PROMPT).content());
    assertThat(whole.tokenUsage().outputTokenCount()).isEqualTo(16);
  }

  @Test
  @Shows({Feature.CHAT, Feature.PARTS})
  void shouldChat() {
    final ChatResponse answer =
        chat.chat(
            ChatRequest.builder()
                .messages(
                    SystemMessage.from("Be kind."),
                    UserMessage.from(TextContent.from("Tell me"), TextContent.from("a story.")))
                .parameters(short16().build())
                .build());

    assertThat(answer.aiMessage().text()).isNotEmpty();
    assertThat(answer.finishReason()).isEqualTo(FinishReason.LENGTH);
    assertThat(answer.tokenUsage().outputTokenCount()).isEqualTo(16);
  }

  @Test
  @Shows({Feature.STREAM, Feature.STREAM_USAGE, Feature.SEED})
  void shouldStreamWhatTheWholeAnswerIs() throws Exception {
    final ChatRequest asked = asking(short16().seed(5).temperature(0.8));
    final StringBuilder texts = new StringBuilder();

    final ChatResponse whole = chat.chat(asked);
    final ChatResponse streamed = Models.streamed(Models.streaming(servers, way), asked, texts);

    assertThat(streamed.aiMessage().text())
        .isEqualTo(whole.aiMessage().text())
        .isEqualTo(texts.toString());
    assertThat(streamed.finishReason()).isEqualTo(whole.finishReason());
    assertThat(streamed.tokenUsage()).isEqualTo(whole.tokenUsage());
  }

  @Test
  @Shows(Feature.STOP)
  void shouldStopAtAString() {
    final String free = chat.chat(asking(short16().temperature(0.0))).aiMessage().text();
    final String word = free.strip().split(" ")[2];

    final ChatResponse stopped =
        chat.chat(asking(short16().temperature(0.0).stopSequences(List.of("no such", word))));

    assertThat(stopped.aiMessage().text()).isEqualTo(free.substring(0, free.indexOf(word)));
    assertThat(stopped.finishReason()).isEqualTo(FinishReason.STOP);
  }

  @Test
  @Shows(Feature.LOGPROBS)
  void shouldGiveLogprobs() {
    final ChatResponse answer = chat.chat(asking(short16().logprobs(true).topLogprobs(2)));

    final List<LogProb> logprobs = ((OpenAiChatResponseMetadata) answer.metadata()).logProbs();
    assertThat(logprobs)
        .hasSize(16)
        .allMatch(token -> token.logprob() <= 0 && token.topLogprobs().size() == 2);
  }

  @Test
  @Shows(Feature.LOGIT_BIAS)
  void shouldTakeAWishForAToken() {
    final String text =
        chat.chat(asking(short16().logitBias(Map.of("403", 100)))).aiMessage().text();

    assertThat(text.strip().split(" ")).as(text).hasSize(16).containsOnly("Once");
  }

  @Test
  @Shows(Feature.EXTRA_FIELDS)
  void shouldTakeFieldsOfVllm() {
    final Map<String, Object> fields = Map.of("top_k", 1, "min_tokens", 16);

    final ChatResponse answer =
        chat.chat(asking(short16().temperature(2.0).seed(2).customParameters(fields)));

    assertThat(answer.tokenUsage().outputTokenCount()).isEqualTo(16);
    assertThat(answer.aiMessage().text())
        .isEqualTo(chat.chat(asking(short16().temperature(0.0))).aiMessage().text());
  }

  @Test
  @Shows(value = Feature.REASONING, as = Support.REFUSED)
  void shouldRefuseAnEffort() {
    assertThatThrownBy(() -> chat.chat(asking(short16().reasoningEffort("high"))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("reasoning_effort must be ");
  }

  @Test
  @Shows(value = Feature.IMAGES, as = Support.REFUSED)
  void shouldRefuseImages() {
    final ChatRequest asked =
        ChatRequest.builder()
            .messages(UserMessage.from(ImageContent.from("AAAA", "image/png")))
            .build();

    assertThatThrownBy(() -> chat.chat(asked))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("messages[0].content must be ");
  }

  @Test
  @Shows(value = Feature.EMBEDDINGS, as = Support.REFUSED)
  void shouldHaveNoEmbeddings() {
    final OpenAiEmbeddingModel embeddings =
        OpenAiEmbeddingModel.builder()
            .baseUrl(servers.models(way))
            .apiKey("none")
            .modelName(Models.MODEL)
            .maxRetries(0)
            .build();

    assertThatThrownBy(() -> embeddings.embed("text"))
        .isInstanceOf(ModelNotFoundException.class)
        .hasMessageContaining("/v1/embeddings");
  }

  @Test
  @Shows(value = Feature.RESPONSES, as = Support.REFUSED)
  void shouldHaveNoResponses() {
    final OpenAiResponsesChatModel responses =
        OpenAiResponsesChatModel.builder()
            .baseUrl(servers.models(way))
            .apiKey("none")
            .modelName(Models.MODEL)
            .build();

    assertThatThrownBy(() -> responses.chat("text"))
        .isInstanceOf(ModelNotFoundException.class)
        .hasMessageContaining("/v1/responses");
  }
}
