package dev.headway.clients.langchain4j;

import static dev.headway.clients.langchain4j.Models.asking;
import static dev.headway.clients.langchain4j.Models.short16;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.clients.Feature;
import dev.headway.clients.Occupied;
import dev.headway.clients.Servers;
import dev.headway.clients.Shows;
import dev.headway.clients.Way;
import dev.langchain4j.exception.AuthenticationException;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.ModelNotFoundException;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.exception.TimeoutException;
import dev.langchain4j.http.client.HttpClient;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.http.client.HttpRequest;
import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.jdk.JdkHttpClient;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import dev.langchain4j.http.client.sse.ServerSentEventParser;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.time.Duration;
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

/** LangChain4j's client: errors, timeouts and streams that are given up. */
@ParameterizedClass
@EnumSource
@ExtendWith(Servers.Started.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class LangChain4jErrorsTest {

  @Parameter Way way;

  private Servers servers;
  private OpenAiChatModel soonFull;

  @BeforeEach
  void connect(Servers started) {
    servers = started;
    soonFull = soonFull().build();
    servers.awaitRequests(0);
  }

  private OpenAiChatModel.OpenAiChatModelBuilder soonFull() {
    return OpenAiChatModel.builder()
        .baseUrl(servers.soonFull(way))
        .apiKey(Servers.KEY)
        .modelName("made-up")
        .timeout(Models.LONGEST)
        .maxRetries(0);
  }

  private static ChatRequest shortOne() {
    return of(2);
  }

  /** 7 s. */
  private static ChatRequest longOne() {
    return of(1_500);
  }

  /** Exactly so many tokens: what is made up may be the end. */
  private static ChatRequest of(int tokens) {
    return asking(
        short16().maxCompletionTokens(tokens).customParameters(Map.of("ignore_eos", true)));
  }

  @Test
  @Shows(Feature.BAD_REQUEST)
  void shouldSayWhichFieldIsWrong() {
    assertThatThrownBy(
            () -> Models.chat(servers, way).chat(asking(short16().maxCompletionTokens(0))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("max_completion_tokens must be a whole number in [1, ")
        .hasMessageContaining("\"param\":\"max_completion_tokens\"");
  }

  @Test
  @Shows(Feature.UNAUTHORIZED)
  void shouldAskForTheKey() {
    assertThatThrownBy(() -> soonFull().apiKey("none").build().chat(shortOne()))
        .isInstanceOf(AuthenticationException.class)
        .hasMessageContaining("invalid_api_key");
  }

  @Test
  @Shows(Feature.NOT_FOUND)
  void shouldSayWhichModelIsServed() {
    assertThatThrownBy(() -> Models.chat(servers, way).chat(asking(short16().modelName("no-such"))))
        .isInstanceOf(ModelNotFoundException.class)
        .hasMessageContaining("model_not_found");
  }

  @Test
  @Shows(Feature.RATE_LIMIT)
  void shouldTurnAwayWhatIsTooMany() {
    try (Occupied _ = Occupied.by(servers, way, 2)) {
      assertThatThrownBy(() -> soonFull.chat(shortOne()))
          .isInstanceOf(RateLimitException.class)
          .hasMessageContaining("queue_full");
    }
  }

  @Test
  @Shows(Feature.UNAVAILABLE)
  void shouldGiveUpWhatWaitsTooLong() {
    try (Occupied _ = Occupied.by(servers, way, 1)) {
      assertThatThrownBy(() -> soonFull.chat(shortOne()))
          .isInstanceOf(InternalServerException.class)
          .hasMessageContaining("queue_timeout");
    }
  }

  @Test
  @Shows(Feature.DEADLINE)
  void shouldEndWhatTakesTooLong() {
    assertThatThrownBy(() -> soonFull.chat(longOne()))
        .isInstanceOf(InternalServerException.class)
        .hasMessageContaining("deadline");
  }

  /** Makes room once the first try was turned away. */
  private record MakingRoom(HttpClientBuilder inner, Occupied occupied)
      implements HttpClientBuilder {

    @Override
    public Duration connectTimeout() {
      return inner.connectTimeout();
    }

    @Override
    public HttpClientBuilder connectTimeout(Duration timeout) {
      inner.connectTimeout(timeout);
      return this;
    }

    @Override
    public Duration readTimeout() {
      return inner.readTimeout();
    }

    @Override
    public HttpClientBuilder readTimeout(Duration timeout) {
      inner.readTimeout(timeout);
      return this;
    }

    @Override
    public HttpClient build() {
      final HttpClient client = inner.build();
      return new HttpClient() {
        @Override
        public SuccessfulHttpResponse execute(HttpRequest request) {
          try {
            return client.execute(request);
          } catch (HttpException e) {
            assertThat(e.statusCode()).isEqualTo(429);
            occupied.close();
            throw e;
          }
        }

        @Override
        public void execute(
            HttpRequest request, ServerSentEventParser parser, ServerSentEventListener listener) {
          client.execute(request, parser, listener);
        }
      };
    }
  }

  @Test
  @Shows(Feature.RETRY)
  void shouldTryAgainOnceThereIsRoom() {
    final Occupied occupied = Occupied.by(servers, way, 2);
    final OpenAiChatModel patient =
        soonFull()
            .maxRetries(1)
            .httpClientBuilder(new MakingRoom(JdkHttpClient.builder(), occupied))
            .build();

    final ChatResponse answer = patient.chat(shortOne());

    assertThat(answer.tokenUsage().outputTokenCount()).isEqualTo(2);
  }

  @Test
  @Shows(Feature.CLIENT_TIMEOUT)
  void shouldEndInTheServerWhatTheClientGivesUp() {
    final OpenAiChatModel hasty = soonFull().timeout(Duration.ofMillis(300)).build();

    assertThatThrownBy(() -> hasty.chat(longOne())).isInstanceOf(TimeoutException.class);

    servers.awaitRequests(0);
    assertThat(soonFull.chat(shortOne()).tokenUsage().outputTokenCount()).isEqualTo(2);
  }

  @Test
  @Shows(Feature.CANCEL)
  void shouldEndInTheServerWhatIsCancelled() throws Exception {
    final CompletableFuture<String> first = new CompletableFuture<>();
    OpenAiStreamingChatModel.builder()
        .baseUrl(servers.soonFull(way))
        .apiKey(Servers.KEY)
        .modelName("made-up")
        .build()
        .chat(
            longOne(),
            new StreamingChatResponseHandler() {
              @Override
              public void onPartialResponse(PartialResponse part, PartialResponseContext context) {
                context.streamingHandle().cancel();
                first.complete(part.text());
              }

              @Override
              public void onCompleteResponse(ChatResponse whole) {
                first.completeExceptionally(new AssertionError("it was not cancelled"));
              }

              @Override
              public void onError(Throwable error) {
                first.completeExceptionally(error);
              }
            });

    assertThat(first.get(30, TimeUnit.SECONDS)).isNotNull();

    servers.awaitRequests(0);
    assertThat(soonFull.chat(shortOne()).tokenUsage().outputTokenCount()).isEqualTo(2);
  }
}
