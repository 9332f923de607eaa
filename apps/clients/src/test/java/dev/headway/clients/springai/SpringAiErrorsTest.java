package dev.headway.clients.springai;

import static dev.headway.clients.springai.SpringModels.asking;
import static dev.headway.clients.springai.SpringModels.first;
import static dev.headway.clients.springai.SpringModels.short16;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.errors.BadRequestException;
import com.openai.errors.InternalServerException;
import com.openai.errors.NotFoundException;
import com.openai.errors.OpenAIIoException;
import com.openai.errors.RateLimitException;
import com.openai.errors.UnauthorizedException;
import dev.headway.clients.Feature;
import dev.headway.clients.Occupied;
import dev.headway.clients.Servers;
import dev.headway.clients.Shows;
import dev.headway.clients.Way;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import okhttp3.Response;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;

/** Spring AI's client: errors, timeouts and streams that are given up. */
@ParameterizedClass
@EnumSource
@ExtendWith(Servers.Started.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class SpringAiErrorsTest {

  private static final String MADE_UP = "made-up";

  @Parameter Way way;

  private Servers servers;
  private OpenAiChatModel chat;
  private OpenAiChatModel soonFull;

  @BeforeEach
  void connect(Servers started) {
    servers = started;
    chat = SpringModels.chat(started, way);
    soonFull = OpenAiChatModel.builder().options(soonFull().build()).build();
    servers.awaitRequests(0);
  }

  private OpenAiChatOptions.Builder soonFull() {
    return SpringModels.options(servers.soonFull(way)).apiKey(Servers.KEY).model(MADE_UP);
  }

  /** Of exactly so many tokens: what is made up may be the end. */
  private static OpenAiChatOptions.Builder ofMadeUp(int tokens) {
    return short16()
        .model(MADE_UP)
        .maxCompletionTokens(tokens)
        .extraBody(Map.of("ignore_eos", true));
  }

  private static Prompt shortOne() {
    return asking(ofMadeUp(2));
  }

  /** 7 s. */
  private static Prompt longOne() {
    return asking(ofMadeUp(1_500));
  }

  private void assertAnswers(OpenAiChatModel model) {
    assertThat(model.call(shortOne()).getMetadata().getUsage().getCompletionTokens()).isEqualTo(2);
  }

  @Test
  @Shows(Feature.BAD_REQUEST)
  void shouldSayWhichFieldIsWrong() {
    final BadRequestException error =
        catchThrowableOfType(
            BadRequestException.class, () -> chat.call(asking(short16().temperature(3.0))));

    assertThat(error.param()).contains("temperature");
    assertThat(error).hasMessageContaining("temperature must be a number in [0");
  }

  @Test
  @Shows(Feature.UNAUTHORIZED)
  void shouldAskForTheKey() {
    final OpenAiChatModel stranger =
        OpenAiChatModel.builder().options(soonFull().apiKey("none").build()).build();

    final UnauthorizedException error =
        catchThrowableOfType(UnauthorizedException.class, () -> stranger.call(shortOne()));

    assertThat(error.code()).contains("invalid_api_key");
  }

  @Test
  @Shows(Feature.NOT_FOUND)
  void shouldSayWhichModelIsServed() {
    final NotFoundException error =
        catchThrowableOfType(
            NotFoundException.class, () -> chat.call(asking(short16().model("no-such"))));

    assertThat(error.code()).contains("model_not_found");
  }

  @Test
  @Shows(Feature.RATE_LIMIT)
  void shouldTurnAwayWhatIsTooMany() {
    try (Occupied _ = Occupied.by(servers, way, 2)) {
      final RateLimitException error =
          catchThrowableOfType(RateLimitException.class, () -> soonFull.call(shortOne()));

      assertThat(error.code()).contains("queue_full");
      assertThat(error.headers().values("Retry-After")).containsExactly("1");
    }
  }

  @Test
  @Shows(Feature.UNAVAILABLE)
  void shouldGiveUpWhatWaitsTooLong() {
    try (Occupied _ = Occupied.by(servers, way, 1)) {
      final InternalServerException error =
          catchThrowableOfType(InternalServerException.class, () -> soonFull.call(shortOne()));

      assertThat(error.statusCode()).isEqualTo(503);
      assertThat(error.code()).contains("queue_timeout");
    }
  }

  @Test
  @Shows(Feature.DEADLINE)
  void shouldEndWhatTakesTooLong() {
    final InternalServerException error =
        catchThrowableOfType(InternalServerException.class, () -> soonFull.call(longOne()));

    assertThat(error.statusCode()).isEqualTo(504);
    assertThat(error.code()).contains("deadline");
  }

  @Test
  @Shows({Feature.RETRY, Feature.RETRY_AFTER})
  void shouldTryAgainOnceThereIsRoomAndNoSooner() {
    final Occupied occupied = Occupied.by(servers, way, 2);
    final List<Long> triesNs = new ArrayList<>();
    final OpenAiChatModel patient =
        OpenAiChatModel.builder()
            .options(soonFull().maxRetries(1).build())
            .httpClientBuilderCustomizer(
                http ->
                    http.interceptor(
                        chain -> {
                          triesNs.add(System.nanoTime());
                          final Response answer = chain.proceed(chain.request());
                          if (answer.code() == 429) {
                            occupied.close();
                          }
                          return answer;
                        }))
            .build();

    assertAnswers(patient);

    assertThat(triesNs).hasSize(2);
    assertThat(Duration.ofNanos(triesNs.getLast() - triesNs.getFirst()))
        .as("Retry-After, where the client by itself waits half of it")
        .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
  }

  @Test
  @Shows(Feature.CLIENT_TIMEOUT)
  void shouldEndInTheServerWhatTheClientGivesUp() {
    final OpenAiChatModel hasty =
        OpenAiChatModel.builder()
            .options(soonFull().timeout(Duration.ofMillis(300)).build())
            .build();

    final OpenAIIoException error =
        catchThrowableOfType(
            OpenAIIoException.class,
            () -> hasty.call(asking(ofMadeUp(1_500).timeout(Duration.ofMillis(300)))));

    assertThat(error).hasMessage("Request failed");
    servers.awaitRequests(0);
    assertAnswers(soonFull);
  }

  @Test
  @Shows(Feature.CANCEL)
  void shouldEndInTheServerWhatIsCancelled() {
    final ChatResponse part = soonFull.stream(longOne()).blockFirst();

    assertThat(first(part).getOutput()).isNotNull();
    servers.awaitRequests(0);
    assertAnswers(soonFull);
  }
}
