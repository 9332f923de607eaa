package dev.headway.clients.openai;

import static dev.headway.clients.openai.Connection.MODEL;
import static dev.headway.clients.openai.Connection.chat;
import static dev.headway.clients.openai.Connection.completion;
import static org.assertj.core.api.Assertions.assertThat;

import com.openai.core.JsonValue;
import com.openai.core.RequestOptions;
import com.openai.core.http.StreamResponse;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionContentPart;
import com.openai.models.chat.completions.ChatCompletionContentPartText;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.completions.Completion;
import com.openai.models.completions.CompletionChoice;
import com.openai.models.completions.CompletionCreateParams;
import com.openai.models.completions.CompletionUsage;
import dev.headway.clients.Feature;
import dev.headway.clients.Servers;
import dev.headway.clients.Shows;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** OpenAI's Java client: texts. */
@ParameterizedClass
@EnumSource
@ExtendWith(Servers.Started.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class OpenAiJavaTest extends WithClient {

  @Test
  @Shows(Feature.MODELS)
  void shouldListTheModel() {
    assertThat(client.models().list().data()).extracting(model -> model.id()).containsOnly(MODEL);
    assertThat(client.models().retrieve(MODEL).id()).isEqualTo(MODEL);
  }

  @Test
  @Shows(Feature.COMPLETION)
  void shouldCompleteAText() {
    final Completion answer = client.completions().create(completion().temperature(0.0).build());

    final CompletionChoice choice = answer.choices().getFirst();
    final CompletionUsage usage = answer.usage().orElseThrow();
    assertThat(choice.text()).startsWith(", there was a little girl");
    assertThat(choice.finishReason()).isEqualTo(CompletionChoice.FinishReason.LENGTH);
    assertThat(usage.completionTokens()).isEqualTo(16);
    assertThat(usage.totalTokens()).isEqualTo(usage.promptTokens() + 16);
  }

  @Test
  @Shows(Feature.PROMPTS)
  void shouldCompleteSeveralPromptsAndTokens() {
    final Completion texts =
        client
            .completions()
            .create(
                completion()
                    .promptOfArrayOfStrings(List.of("Once upon a time", "Tom and Sue"))
                    .temperature(0.0)
                    .build());
    final Completion tokens =
        client
            .completions()
            .create(completion().promptOfArrayOfTokens(List.of(1L, 403L, 407L)).build());

    assertThat(texts.choices()).extracting(CompletionChoice::index).containsExactly(0L, 1L);
    assertThat(texts.choices().getFirst().text()).startsWith(", there was a little girl");
    assertThat(tokens.usage().orElseThrow().promptTokens()).isEqualTo(3);
  }

  @Test
  @Shows({Feature.CHAT, Feature.PARTS})
  void shouldChat() {
    final ChatCompletionContentPart part =
        ChatCompletionContentPart.ofText(
            ChatCompletionContentPartText.builder().text("Tell me a story.").build());

    final ChatCompletion answer =
        client
            .chat()
            .completions()
            .create(
                ChatCompletionCreateParams.builder()
                    .model(MODEL)
                    .addSystemMessage("Be kind.")
                    .addUserMessageOfArrayOfContentParts(List.of(part))
                    .maxCompletionTokens(12)
                    .build());

    assertThat(answer.choices()).hasSize(1);
    assertThat(answer.choices().getFirst().message().content().orElseThrow()).isNotEmpty();
    assertThat(answer.usage().orElseThrow().completionTokens()).isEqualTo(12);
  }

  @Test
  @Shows({Feature.STREAM, Feature.STREAM_USAGE, Feature.SEED})
  void shouldStreamWhatTheWholeAnswerIs() {
    final ChatCompletionCreateParams asked = chat(5).temperature(0.8).build();
    final ChatCompletion whole = client.chat().completions().create(asked);
    final ChatCompletionAccumulator parts = ChatCompletionAccumulator.create();

    try (StreamResponse<ChatCompletionChunk> stream =
        client
            .chat()
            .completions()
            .createStreaming(
                asked.toBuilder()
                    .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build())
                    .build())) {
      stream.stream().forEach(parts::accumulate);
    }

    final ChatCompletion streamed = parts.chatCompletion();
    assertThat(streamed.choices().getFirst().message().content())
        .isEqualTo(whole.choices().getFirst().message().content());
    assertThat(streamed.choices().getFirst().finishReason())
        .isEqualTo(whole.choices().getFirst().finishReason());
    assertThat(streamed.usage()).isPresent().isEqualTo(whole.usage());
  }

  @Test
  @Shows({Feature.STREAM, Feature.STREAM_USAGE})
  void shouldStreamACompletion() {
    final CompletionCreateParams asked = completion().temperature(0.0).build();
    final String whole = client.completions().create(asked).choices().getFirst().text();
    final List<Completion> parts;

    try (StreamResponse<Completion> stream =
        client
            .completions()
            .createStreaming(
                asked.toBuilder()
                    .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build())
                    .build(),
                // it knows no part without a finish reason, as OpenAI's own servers send them
                RequestOptions.builder().responseValidation(false).build())) {
      parts = stream.stream().toList();
    }

    assertThat(
            parts.stream()
                .flatMap(part -> part.choices().stream())
                .map(CompletionChoice::text)
                .reduce("", String::concat))
        .isEqualTo(whole);
    assertThat(parts.getLast().usage().orElseThrow().completionTokens()).isEqualTo(16);
  }

  @Test
  @Shows(Feature.STOP)
  void shouldStopAtAString() {
    final CompletionCreateParams asked = completion().temperature(0.0).build();

    final CompletionChoice one =
        client.completions().create(asked.toBuilder().stop("little").build()).choices().getFirst();
    final CompletionChoice some =
        client
            .completions()
            .create(asked.toBuilder().stopOfStrings(List.of("no such", " girl")).build())
            .choices()
            .getFirst();

    assertThat(one.text()).isEqualTo(", there was a ");
    assertThat(some.text()).isEqualTo(", there was a little");
    assertThat(some.finishReason()).isEqualTo(CompletionChoice.FinishReason.STOP);
  }

  @Test
  @Shows({Feature.CHOICES, Feature.SEED})
  void shouldAnswerSeveralTimesAndTheSameAgain() {
    final ChatCompletionCreateParams asked = chat(9).n(3).build();

    final List<String> first = texts(client.chat().completions().create(asked));
    final List<String> again = texts(client.chat().completions().create(asked));

    assertThat(first).hasSize(3).doesNotHaveDuplicates().isEqualTo(again);
  }

  private static List<String> texts(ChatCompletion answer) {
    return answer.choices().stream()
        .map(choice -> choice.message().content().orElseThrow())
        .toList();
  }

  @Test
  @Shows({Feature.LOGPROBS, Feature.TEXT_LOGPROBS})
  void shouldGiveLogprobs() {
    final CompletionChoice.Logprobs ofText =
        client
            .completions()
            .create(completion().logprobs(3).maxTokens(4).build())
            .choices()
            .getFirst()
            .logprobs()
            .orElseThrow();
    final ChatCompletion.Choice.Logprobs ofChat =
        client
            .chat()
            .completions()
            .create(chat().logprobs(true).topLogprobs(2).maxCompletionTokens(4).build())
            .choices()
            .getFirst()
            .logprobs()
            .orElseThrow();

    assertThat(ofText.tokens().orElseThrow()).hasSize(4);
    assertThat(ofText.tokenLogprobs().orElseThrow()).hasSize(4).allMatch(value -> value <= 0);
    assertThat(ofText.textOffset().orElseThrow()).hasSize(4);
    assertThat(ofChat.content().orElseThrow())
        .hasSize(4)
        .allMatch(token -> token.topLogprobs().size() == 2 && token.logprob() <= 0);
  }

  @Test
  @Shows(Feature.ECHO)
  void shouldScoreThePrompt() {
    final CompletionChoice choice =
        client
            .completions()
            .create(
                completion().echo(true).logprobs(1).maxTokens(1).temperature(0.0).build(),
                // it knows no token without log-probabilities, as OpenAI's own servers send the
                // first
                RequestOptions.builder().responseValidation(false).build())
            .choices()
            .getFirst();

    final CompletionChoice.Logprobs logprobs = choice.logprobs().orElseThrow();
    assertThat(choice.text()).isEqualTo("Once upon a time,");
    final List<Double> told = logprobs.tokenLogprobs().orElseThrow();
    assertThat(told).hasSameSizeAs(logprobs.tokens().orElseThrow()).hasSizeGreaterThan(4);
    assertThat(told.getFirst()).as("nothing is in front of it").isNull();
    assertThat(told.subList(1, told.size())).allMatch(value -> value < 0);
  }

  @Test
  @Shows(Feature.BEST_OF)
  void shouldSendTheMostProbable() {
    final Completion all =
        client.completions().create(completion().n(3).logprobs(0).seed(3).build());
    final Completion best = client.completions().create(completion().bestOf(3).seed(3).build());

    assertThat(best.choices()).hasSize(1);
    assertThat(best.choices().getFirst().text())
        .isEqualTo(
            all.choices().stream()
                .max(Comparator.comparingDouble(OpenAiJavaTest::logprob))
                .orElseThrow()
                .text());
  }

  private static double logprob(CompletionChoice choice) {
    return choice.logprobs().orElseThrow().tokenLogprobs().orElseThrow().stream()
        .mapToDouble(Double::doubleValue)
        .sum();
  }

  @Test
  @Shows(Feature.LOGIT_BIAS)
  void shouldTakeAWishForAToken() {
    final ChatCompletion answer =
        client
            .chat()
            .completions()
            .create(
                chat()
                    .logitBias(
                        ChatCompletionCreateParams.LogitBias.builder()
                            .putAdditionalProperty("403", JsonValue.from(100))
                            .build())
                    .build());

    final String text = texts(answer).getFirst();
    assertThat(text.strip().split(" ")).as(text).hasSize(16).containsOnly("Once");
  }

  @Test
  @Shows(Feature.EXTRA_FIELDS)
  void shouldTakeFieldsOfVllm() {
    final ChatCompletionCreateParams asked =
        chat(2)
            .temperature(2.0)
            .putAdditionalBodyProperty("top_k", JsonValue.from(1))
            .putAdditionalBodyProperty("min_tokens", JsonValue.from(16))
            .build();

    final ChatCompletion answer = client.chat().completions().create(asked);
    final ChatCompletion greedy =
        client.chat().completions().create(chat().temperature(0.0).build());

    assertThat(answer.usage().orElseThrow().completionTokens()).isEqualTo(16);
    assertThat(texts(answer)).isEqualTo(texts(greedy));
  }

  @Test
  @Shows(Feature.ASYNC)
  void shouldAnswerLater() {
    final List<String> texts = new CopyOnWriteArrayList<>();
    final ChatCompletion answer =
        client.async().chat().completions().create(chat(1).build()).join();

    client
        .async()
        .chat()
        .completions()
        .createStreaming(chat(1).build())
        .subscribe(chunk -> chunk.choices().forEach(c -> c.delta().content().ifPresent(texts::add)))
        .onCompleteFuture()
        .join();

    assertThat(String.join("", texts)).isEqualTo(texts(answer).getFirst());
  }
}
