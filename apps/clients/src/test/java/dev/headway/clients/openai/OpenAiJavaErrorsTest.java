package dev.headway.clients.openai;

import static dev.headway.clients.openai.Connection.chat;
import static dev.headway.clients.openai.Connection.completion;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.Sleeper;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.InternalServerException;
import com.openai.errors.NotFoundException;
import com.openai.errors.OpenAIIoException;
import com.openai.errors.RateLimitException;
import com.openai.errors.UnauthorizedException;
import com.openai.models.completions.Completion;
import com.openai.models.completions.CompletionCreateParams;
import dev.headway.clients.Feature;
import dev.headway.clients.Servers;
import dev.headway.clients.Shows;
import dev.headway.clients.Way;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** OpenAI's Java client: errors, timeouts and streams that are given up. */
@ParameterizedClass
@EnumSource
@ExtendWith(Servers.Started.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class OpenAiJavaErrorsTest {

  @Parameter Way way;

  private Servers servers;
  private OpenAIClient client;
  private OpenAIClient soonFull;
  private final List<OpenAIClient> clients = new ArrayList<>();
  private final List<StreamResponse<Completion>> streams = new ArrayList<>();

  @BeforeEach
  void connect(Servers started) {
    servers = started;
    client = opened(Connection.to(started.models(way)));
    soonFull =
        opened(
            Connection.to(started.soonFull(way))
                .apiKey(Servers.KEY)
                .responseValidation(false)); // it knows no part without a finish reason
    servers.awaitRequests(0);
  }

  @AfterEach
  void disconnect() {
    letGo();
    clients.forEach(OpenAIClient::close);
  }

  private OpenAIClient opened(OpenAIOkHttpClient.Builder builder) {
    final OpenAIClient opened = builder.build();
    clients.add(opened);
    return opened;
  }

  /** Occupies the server: a request that runs, or waits for the one that runs. */
  private void occupy(int count) {
    for (int i = 1; i <= count; i++) {
      streams.add(soonFull.completions().createStreaming(longOne())); // there is no token yet
      servers.awaitRequests(i);
    }
  }

  private void letGo() {
    streams.forEach(StreamResponse::close);
    streams.clear();
  }

  private static CompletionCreateParams longOne() {
    return CompletionCreateParams.builder()
        .model("made-up")
        .prompt("x")
        .maxTokens(1_500)
        .putAdditionalBodyProperty("ignore_eos", JsonValue.from(true)) // 7 s
        .build();
  }

  private static CompletionCreateParams shortOne() {
    return longOne().toBuilder().maxTokens(2).build();
  }

  @Test
  @Shows(Feature.BAD_REQUEST)
  void shouldSayWhichFieldIsWrong() {
    final BadRequestException error =
        catchThrowableOfType(
            BadRequestException.class,
            () -> client.completions().create(completion().maxTokens(0).build()));

    assertThat(error.statusCode()).isEqualTo(400);
    assertThat(error.param()).contains("max_tokens");
    assertThat(error.type()).contains("invalid_request_error");
    assertThat(error).hasMessageContaining("max_tokens must be a whole number in [1, ");
  }

  @Test
  @Shows(Feature.UNAUTHORIZED)
  void shouldAskForTheKey() {
    final OpenAIClient stranger = opened(Connection.to(servers.soonFull(way)));

    final UnauthorizedException error =
        catchThrowableOfType(
            UnauthorizedException.class, () -> stranger.completions().create(shortOne()));

    assertThat(error.statusCode()).isEqualTo(401);
    assertThat(error.code()).contains("invalid_api_key");
  }

  @Test
  @Shows(Feature.NOT_FOUND)
  void shouldSayWhichModelIsServed() {
    final NotFoundException error =
        catchThrowableOfType(
            NotFoundException.class,
            () -> client.chat().completions().create(chat().model("no-such").build()));

    assertThat(error.statusCode()).isEqualTo(404);
    assertThat(error.code()).contains("model_not_found");
  }

  @Test
  @Shows({Feature.RATE_LIMIT, Feature.RETRY_AFTER})
  void shouldTurnAwayWhatIsTooMany() {
    occupy(2);

    final RateLimitException error =
        catchThrowableOfType(
            RateLimitException.class, () -> soonFull.completions().create(shortOne()));

    assertThat(error.statusCode()).isEqualTo(429);
    assertThat(error.code()).contains("queue_full");
    assertThat(error.headers().values("Retry-After")).containsExactly("1");
  }

  @Test
  @Shows(Feature.UNAVAILABLE)
  void shouldGiveUpWhatWaitsTooLong() {
    occupy(1);

    final InternalServerException error =
        catchThrowableOfType(
            InternalServerException.class, () -> soonFull.completions().create(shortOne()));

    assertThat(error.statusCode()).isEqualTo(503);
    assertThat(error.code()).contains("queue_timeout");
  }

  @Test
  @Shows(Feature.DEADLINE)
  void shouldEndWhatTakesTooLong() {
    final InternalServerException error =
        catchThrowableOfType(
            InternalServerException.class, () -> soonFull.completions().create(longOne()));

    assertThat(error.statusCode()).isEqualTo(504);
    assertThat(error.code()).contains("deadline");
  }

  /** Makes room where the client would sleep before it tries again. */
  private final class MakingRoom implements Sleeper {
    private final List<Duration> slept = new ArrayList<>();

    @Override
    public void sleep(Duration duration) {
      slept.add(duration);
      letGo();
      servers.awaitRequests(0);
    }

    @Override
    public CompletableFuture<Void> sleepAsync(Duration duration) {
      sleep(duration);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {}
  }

  @Test
  @Shows({Feature.RETRY, Feature.RETRY_AFTER})
  void shouldTryAgainOnceThereIsRoom() {
    occupy(2);
    final MakingRoom sleeper = new MakingRoom();
    final OpenAIClient patient =
        opened(
            Connection.to(servers.soonFull(way))
                .apiKey(Servers.KEY)
                .maxRetries(1)
                .sleeper(sleeper));

    final Completion answer = patient.completions().create(shortOne());

    assertThat(answer.usage().orElseThrow().completionTokens()).isEqualTo(2);
    assertThat(sleeper.slept).containsExactly(Duration.ofSeconds(1)); // as Retry-After says
  }

  @Test
  @Shows(Feature.CLIENT_TIMEOUT)
  void shouldEndInTheServerWhatTheClientGivesUp() {
    final OpenAIClient hasty =
        opened(
            Connection.to(servers.soonFull(way))
                .apiKey(Servers.KEY)
                .timeout(Duration.ofMillis(300)));

    final OpenAIIoException error =
        catchThrowableOfType(OpenAIIoException.class, () -> hasty.completions().create(longOne()));

    assertThat(error).hasMessage("Request failed");
    servers.awaitRequests(0);
    assertThat(soonFull.completions().create(shortOne()).choices()).hasSize(1);
  }

  @Test
  @Shows(Feature.CANCEL)
  void shouldEndInTheServerWhatIsClosed() {
    occupy(1);
    final StreamResponse<Completion> stream = streams.getFirst();
    assertThat(stream.stream().limit(2)).hasSize(2);

    stream.close();

    servers.awaitRequests(0);
    assertThat(soonFull.completions().create(shortOne()).choices()).hasSize(1);
  }
}
