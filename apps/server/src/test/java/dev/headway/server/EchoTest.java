package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.executor.model.Model;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.ReferenceModel;
import dev.headway.executor.sampling.Logprobs;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.tokenizer.ByteTokenizer;
import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code echo}, and what evaluation programs read of it, with a trained model. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EchoTest {

  private static final String COMPLETIONS = "/v1/completions";
  private static final Path STORIES =
      Path.of(
          "..", "..", "sdk-executor-host", "src", "test", "resources", "models", "stories260K-hf");
  private static final String PROMPT = "Once upon a time, there was a little girl named Lily.";

  private ModelSource source;
  private Served served;

  @BeforeEach
  void serve() throws IOException {
    source = ModelSource.folder(STORIES, BuiltInTemplate.PLAIN);
    final Served.Setup setup = new Served.Setup();
    setup.source = source;
    setup.maxModelLen = 512;
    served = setup.start(source.open(Served.REFERENCE, new SystemNanoClock(), Served.sizes(512)));
  }

  @AfterEach
  void close() {
    served.close();
    source.close();
  }

  private JsonNode choice(String fields) {
    return served
        .answer(COMPLETIONS, "{\"prompt\":\"" + PROMPT + "\",\"temperature\":0," + fields + "}")
        .path("choices")
        .path(0);
  }

  private int[] tokens() {
    return source.tokenizer().encode(PROMPT, SpecialTokens.ADDED);
  }

  @Test
  void shouldBeginAnAnswerWithItsPrompt() {
    final JsonNode plain = choice("\"max_tokens\":8");

    final JsonNode echoed = choice("\"max_tokens\":8,\"echo\":true");

    assertThat(echoed.path("text").asString()).isEqualTo(PROMPT + plain.path("text").asString());
    assertThat(echoed.path("logprobs").isNull()).isTrue();
  }

  /** As the model computes them in one pass, whatever the server does for them. */
  @Test
  void shouldGiveTheLogprobsOfThePrompt() {
    final int[] tokens = tokens();

    final JsonNode told = choice("\"max_tokens\":1,\"echo\":true,\"logprobs\":2").path("logprobs");

    assertThat(told.path("token_logprobs").path(0).isNull()).isTrue();
    assertThat(told.path("top_logprobs").path(0).isNull()).isTrue();
    try (Model model = Model.load(STORIES)) {
      final ReferenceModel reference = new ReferenceModel(model, Precision.FLOAT32);
      for (int at = 1; at < tokens.length; at++) {
        final TokenLogprobs expected =
            Logprobs.of(reference.logits(Arrays.copyOf(tokens, at)), tokens[at], 2);
        assertThat(told.path("token_logprobs").path(at).asDouble())
            .as("token %s", at)
            .isCloseTo(expected.logprob(), within(1e-4));
        assertThat(told.path("top_logprobs").path(at).size()).as("token %s", at).isBetween(1, 3);
        assertThat(greatest(told.path("top_logprobs").path(at)))
            .isCloseTo(expected.topLogprobs()[0], within(1e-4));
      }
    }
    for (String array : List.of("tokens", "token_logprobs", "top_logprobs", "text_offset")) {
      assertThat(told.path(array).size()).as(array).isEqualTo(tokens.length + 1);
    }
    assertThat(told.path("text_offset").path(1).asInt()).as("behind a mark").isZero();
    assertThat(told.path("text_offset").path(tokens.length).asInt()).isEqualTo(PROMPT.length());
  }

  private static double greatest(JsonNode top) {
    double greatest = Double.NEGATIVE_INFINITY;
    for (JsonNode value : top) {
      greatest = Math.max(greatest, value.asDouble());
    }
    return greatest;
  }

  /** What lm-evaluation-harness sends: several prompts of token ids, a token behind each. */
  @Test
  void shouldScoreSeveralPromptsOfTokens() {
    final int[] tokens = tokens();
    final String ids = Arrays.toString(tokens);
    final String less = Arrays.toString(Arrays.copyOf(tokens, 5));

    final JsonNode answer =
        served.answer(
            COMPLETIONS,
            "{\"prompt\":["
                + ids
                + ",[1],"
                + less
                + "],\"max_tokens\":1,\"temperature\":0,\"logprobs\":1,\"echo\":true}");

    final JsonNode one = choice("\"max_tokens\":1,\"echo\":true,\"logprobs\":1").path("logprobs");
    final JsonNode first = answer.path("choices").path(0);
    final JsonNode last = answer.path("choices").path(2).path("logprobs").path("token_logprobs");
    assertThat(first.path("logprobs").path("token_logprobs")).isEqualTo(one.path("token_logprobs"));
    assertThat(first.path("text").asString()).startsWith(PROMPT);
    assertThat(answer.path("choices").path(1).path("logprobs").path("tokens").size()).isEqualTo(2);
    assertThat(last.size()).isEqualTo(6);
    assertThat(last.path(4)).isEqualTo(one.path("token_logprobs").path(4));
    assertThat(answer.path("usage").path("prompt_tokens").asInt()).isEqualTo(tokens.length + 1 + 5);
    assertThat(answer.path("usage").path("completion_tokens").asInt()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",\"logprobs\":0"})
  void shouldAnswerThePromptAlone(String logprobs) {
    final String fields = "\"max_tokens\":0,\"echo\":true" + logprobs;

    final JsonNode choice = choice(fields);
    final List<JsonNode> events =
        served.events(
            COMPLETIONS, "{\"prompt\":\"" + PROMPT + "\",\"stream\":true," + fields + "}");

    assertThat(choice.path("text").asString()).isEqualTo(PROMPT);
    assertThat(choice.path("finish_reason").asString()).isEqualTo("length");
    assertThat(choice.path("logprobs").path("tokens").size())
        .isEqualTo(logprobs.isEmpty() ? 0 : tokens().length);
    assertThat(events).hasSize(1);
    assertThat(events.getFirst().path("choices").path(0)).isEqualTo(choice);
    assertThat(
            served
                .answer(COMPLETIONS, "{\"prompt\":\"x\"," + fields + "}")
                .path("usage")
                .path("completion_tokens")
                .asInt())
        .isZero();
  }

  @Test
  void shouldStreamWhatItWouldAnswer() {
    final String fields = "\"max_tokens\":6,\"echo\":true,\"logprobs\":1,\"n\":2,\"seed\":4";
    final JsonNode whole =
        served.answer(COMPLETIONS, "{\"prompt\":\"" + PROMPT + "\"," + fields + "}");

    final List<JsonNode> events =
        served.events(
            COMPLETIONS, "{\"prompt\":\"" + PROMPT + "\",\"stream\":true," + fields + "}");

    for (int index = 0; index < 2; index++) {
      final StringBuilder text = new StringBuilder();
      final StringBuilder offsets = new StringBuilder();
      for (JsonNode event : events) {
        final JsonNode choice = event.path("choices").path(0);
        if (choice.path("index").asInt() == index) {
          text.append(choice.path("text").asString());
          choice.path("logprobs").path("text_offset").forEach(at -> offsets.append(at).append(' '));
        }
      }
      final JsonNode expected = whole.path("choices").path(index);
      final StringBuilder expectedOffsets = new StringBuilder();
      expected
          .path("logprobs")
          .path("text_offset")
          .forEach(at -> expectedOffsets.append(at).append(' '));
      assertThat(text.toString()).isEqualTo(expected.path("text").asString()).startsWith(PROMPT);
      assertThat(offsets.toString()).isEqualTo(expectedOffsets.toString());
    }
  }

  @Test
  void shouldSendTheMostProbableOfSeveral() {
    final String fields =
        "{\"prompt\":\"" + PROMPT + "\",\"max_tokens\":12,\"seed\":3,\"logprobs\":0,";
    final JsonNode all = served.answer(COMPLETIONS, fields + "\"n\":6}");

    final JsonNode best = served.answer(COMPLETIONS, fields + "\"n\":2,\"best_of\":6}");

    final List<String> byProbability =
        all.path("choices")
            .valueStream()
            .sorted((one, other) -> Double.compare(sum(other), sum(one)))
            .map(choice -> choice.path("text").asString())
            .toList();
    assertThat(byProbability).doesNotHaveDuplicates();
    assertThat(best.path("choices").valueStream().map(each -> each.path("text").asString()))
        .containsExactlyElementsOf(byProbability.subList(0, 2));
    assertThat(best.path("choices").path(1).path("index").asInt()).isEqualTo(1);
    assertThat(best.path("usage")).isEqualTo(all.path("usage")); // all of them were made
  }

  private static double sum(JsonNode choice) {
    double sum = 0;
    for (JsonNode value : choice.path("logprobs").path("token_logprobs")) {
      sum += value.asDouble();
    }
    return sum;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"best_of\":2,\"n\":3",
        "\"best_of\":129",
        "\"best_of\":2,\"stream\":true",
        "\"best_of\":120,\"max_tokens\":511"
      })
  void shouldRefuseAnswersThatCannotBeChosen(String fields) {
    final HttpResponse<String> refused =
        served.post(COMPLETIONS, "{\"prompt\":\"" + PROMPT + "\"," + fields + "}");

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
  }

  /** One token is made to compute the prompt: that it ends an answer is nothing to the client. */
  @Test
  void shouldEndAPromptAloneByItsLength() {
    try (Served ending = Served.of(new TextExecutor("", 200))) {
      final JsonNode choice =
          ending
              .answer(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":0,\"echo\":true}")
              .path("choices")
              .path(0);

      assertThat(choice.path("text").asString()).isEqualTo("x");
      assertThat(choice.path("finish_reason").asString()).isEqualTo("length");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "echo | \"echo\":true,\"logprobs\":1",
        "best_of | \"best_of\":2",
        "logprobs | \"logprobs\":1"
      })
  void shouldRefuseWhatNeedsLogprobsWhereThereAreNone(String field, String fields) {
    final SystemNanoClock clock = new SystemNanoClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(200).build())
            .maxNumSeqs(16)
            .vocabularySize(ByteTokenizer.VOCABULARY_SIZE)
            .build();
    try (Served simulated =
        Served.of(new SimulatedExecutor(shape, new LinearLatencyModel(0, 0, 0, 0), clock, 1))) {
      final HttpResponse<String> refused =
          simulated.post(COMPLETIONS, "{\"prompt\":\"some text\"," + fields + "}");

      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(501);
      final JsonNode error = Served.json(refused.body()).path("error");
      assertThat(error.path("param").asString()).isEqualTo(field);
      assertThat(error.path("message").asString())
          .isEqualTo(
              "the executor must report log-probabilities for "
                  + field
                  + ", and this one reports none");
    }
  }

  @Test
  void shouldRefuseNoTokensWithoutAnEcho() {
    final HttpResponse<String> refused =
        served.post(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":0}");

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("max_tokens must be a whole number in [1, ");
  }
}
