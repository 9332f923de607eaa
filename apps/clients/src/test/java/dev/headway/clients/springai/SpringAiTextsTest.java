package dev.headway.clients.springai;

import static dev.headway.clients.springai.SpringModels.asking;
import static dev.headway.clients.springai.SpringModels.first;
import static dev.headway.clients.springai.SpringModels.short16;
import static dev.headway.clients.springai.SpringModels.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import dev.headway.clients.Feature;
import dev.headway.clients.Servers;
import dev.headway.clients.Shows;
import dev.headway.clients.Support;
import dev.headway.clients.Way;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.content.Media;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.openai.OpenAiEmbeddingModel;
import org.springframework.ai.openai.OpenAiEmbeddingOptions;
import org.springframework.util.MimeTypeUtils;

/** Spring AI's client: texts, and what is refused by its name. */
@ParameterizedClass
@EnumSource
@ExtendWith(Servers.Started.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class SpringAiTextsTest {

  @Parameter Way way;

  private Servers servers;
  private OpenAiChatModel chat;

  @BeforeEach
  void connect(Servers started) {
    servers = started;
    chat = SpringModels.chat(started, way);
  }

  @Test
  @Shows(Feature.CHAT)
  void shouldChat() {
    final ChatResponse answer =
        chat.call(
            new Prompt(
                List.of(new SystemMessage("Be kind."), new UserMessage("Tell me a story.")),
                short16().build()));

    assertThat(text(answer)).isNotEmpty();
    assertThat(first(answer).getMetadata().getFinishReason()).isEqualToIgnoringCase("length");
    assertThat(answer.getMetadata().getUsage().getCompletionTokens()).isEqualTo(16);
  }

  @Test
  @Shows({Feature.STREAM, Feature.STREAM_USAGE, Feature.SEED})
  void shouldStreamWhatTheWholeAnswerIs() {
    final ChatResponse whole = chat.call(asking(short16().seed(5).temperature(0.8)));

    final List<ChatResponse> parts =
        chat.stream(asking(short16().seed(5).temperature(0.8).streamUsage(true)))
            .collectList()
            .block();

    assertThat(parts).isNotEmpty();
    final StringBuilder texts = new StringBuilder();
    parts.stream().filter(part -> part.getResult() != null).forEach(p -> texts.append(text(p)));
    assertThat(texts.toString()).isEqualTo(text(whole));
    assertThat(parts.getLast().getMetadata().getUsage().getTotalTokens())
        .isEqualTo(whole.getMetadata().getUsage().getTotalTokens())
        .isPositive();
  }

  @Test
  @Shows(Feature.STOP)
  void shouldStopAtAString() {
    final String free = text(chat.call(asking(short16().temperature(0.0))));
    final String word = free.strip().split(" ")[2];

    final ChatResponse stopped =
        chat.call(asking(short16().temperature(0.0).stop(List.of("no such", word))));

    assertThat(text(stopped)).isEqualTo(free.substring(0, free.indexOf(word)));
    assertThat(first(stopped).getMetadata().getFinishReason()).isEqualToIgnoringCase("stop");
  }

  @Test
  @Shows({Feature.CHOICES, Feature.SEED})
  void shouldAnswerSeveralTimesAndTheSameAgain() {
    final List<String> answers =
        chat.call(asking(short16().n(3).seed(9))).getResults().stream()
            .map(each -> each.getOutput().getText())
            .toList();

    assertThat(answers).hasSize(3).doesNotHaveDuplicates();
    assertThat(text(chat.call(asking(short16().seed(9))))).isEqualTo(answers.getFirst());
  }

  @Test
  @Shows(Feature.LOGIT_BIAS)
  void shouldTakeAWishForAToken() {
    final String text = text(chat.call(asking(short16().logitBias(Map.of("403", 100)))));

    assertThat(text.strip().split(" ")).as(text).hasSize(16).containsOnly("Once");
  }

  @Test
  @Shows(Feature.EXTRA_FIELDS)
  void shouldTakeFieldsOfVllm() {
    final OpenAiChatOptions.Builder asked =
        short16().temperature(2.0).seed(2).extraBody(Map.of("top_k", 1, "min_tokens", 16));

    final ChatResponse answer = chat.call(asking(asked));

    assertThat(answer.getMetadata().getUsage().getCompletionTokens()).isEqualTo(16);
    assertThat(text(answer)).isEqualTo(text(chat.call(asking(short16().temperature(0.0)))));
  }

  @Test
  @Shows(value = Feature.REASONING, as = Support.REFUSED)
  void shouldRefuseAnEffort() {
    final BadRequestException error =
        catchThrowableOfType(
            BadRequestException.class, () -> chat.call(asking(short16().reasoningEffort("high"))));

    assertThat(error.param()).contains("reasoning_effort");
    assertThat(error).hasMessageContaining("reasoning_effort must be ");
  }

  @Test
  @Shows(value = Feature.IMAGES, as = Support.REFUSED)
  void shouldRefuseImages() {
    final UserMessage message =
        UserMessage.builder()
            .text("What is this?")
            .media(
                Media.builder().mimeType(MimeTypeUtils.IMAGE_PNG).data(new byte[] {1, 2}).build())
            .build();

    final BadRequestException error =
        catchThrowableOfType(
            BadRequestException.class,
            () -> chat.call(new Prompt(List.of(message), short16().build())));

    assertThat(error.param()).contains("messages[0].content");
    assertThat(error).hasMessageContaining("messages[0].content must be ");
  }

  @Test
  @Shows(value = Feature.EMBEDDINGS, as = Support.REFUSED)
  void shouldHaveNoEmbeddings() {
    final OpenAiEmbeddingModel embeddings =
        OpenAiEmbeddingModel.builder()
            .options(
                OpenAiEmbeddingOptions.builder()
                    .baseUrl(servers.models(way))
                    .apiKey("none")
                    .model(SpringModels.MODEL)
                    .maxRetries(0)
                    .build())
            .build();

    final NotFoundException error =
        catchThrowableOfType(NotFoundException.class, () -> embeddings.embed("text"));

    assertThat(error).hasMessageContaining("/v1/embeddings");
  }
}
