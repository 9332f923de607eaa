package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.request.FinishReason;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.chat.JinjaTemplate;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** What the two endpoints answer, whole and in parts. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AnswersTest {

  private static final String COMPLETIONS = "/v1/completions";
  private static final String CHAT = "/v1/chat/completions";
  private static final String TEXT = "añb\uD83D\uDE00cd END of it";

  private Served served;

  @AfterEach
  void close() {
    served.close();
  }

  private void serveText() {
    served = Served.of(new TextExecutor(TEXT, 200));
  }

  private void serveModel() {
    final NanoClock clock = new SystemNanoClock();
    served =
        Served.of(
            ModelSource.builtIn(1, BuiltInTemplate.PLAIN)
                .open(Served.REFERENCE, clock, Served.sizes(512)));
  }

  @Test
  void shouldAnswerACompletionWithItsUsage() {
    serveText();

    final JsonNode answer =
        served.answer(
            COMPLETIONS, "{\"model\":\"test-model\",\"prompt\":\"né\",\"max_tokens\":99}");

    assertThat(answer.path("object").asString()).isEqualTo("text_completion");
    assertThat(answer.path("id").asString()).startsWith("cmpl-");
    assertThat(answer.path("choices").path(0).path("text").asString()).isEqualTo(TEXT);
    assertThat(answer.path("choices").path(0).path("finish_reason").asString()).isEqualTo("stop");
    assertThat(answer.path("choices").path(0).path("logprobs").isNull()).isTrue();
    // the end of the sequence is a token of the answer, though it has no text
    assertUsage(answer.path("usage"), 3, utf8(TEXT) + 1);
  }

  @Test
  void shouldAskWithThePromptOfTheModelsTemplate() throws IOException {
    final Served.Setup setup = new Served.Setup();
    setup.chatTemplate =
        JinjaTemplate.of(
            "own",
            "{% if messages[0].role != 'user' %}{{ raise_exception('a user comes first') }}"
                + "{% endif %}<{{ messages[0].content }}>",
            Map.of());
    served = setup.start(new TextExecutor(TEXT, 200));

    final JsonNode answer =
        served.answer(CHAT, "{\"messages\":[{\"role\":\"user\",\"content\":\"né\"}]}");
    final HttpResponse<String> refused =
        served.post(CHAT, "{\"messages\":[{\"role\":\"system\",\"content\":\"x\"}]}");

    assertThat(answer.path("usage").path("prompt_tokens").asInt()).isEqualTo(utf8("<né>"));
    assertThat(refused.statusCode()).isEqualTo(400);
    final JsonNode error = Served.json(refused.body()).path("error");
    assertThat(error.path("param").asString()).isEqualTo("messages");
    assertThat(error.path("message").asString())
        .isEqualTo(
            "messages must be such that the model's chat template takes them: a user comes first");
  }

  @Test
  void shouldAnswerAChat() {
    serveText();

    final JsonNode answer =
        served.answer(
            CHAT,
            "{\"messages\":[{\"role\":\"system\",\"content\":\"Hi\"},{\"role\":\"user\",\"content\":"
                + "[{\"type\":\"text\",\"text\":\"ho\"}]}],\"max_completion_tokens\":4}");

    final JsonNode choice = answer.path("choices").path(0);
    assertThat(answer.path("object").asString()).isEqualTo("chat.completion");
    assertThat(choice.path("message").path("role").asString()).isEqualTo("assistant");
    assertThat(choice.path("message").path("content").asString()).isEqualTo("añb");
    assertThat(choice.path("finish_reason").asString()).isEqualTo("length");
    assertUsage(answer.path("usage"), "system: Hi\nuser: ho\nassistant:".length(), 4);
  }

  @Test
  void shouldStreamWhatItWouldAnswer() {
    serveText();

    final List<JsonNode> events =
        served.events(
            COMPLETIONS,
            "{\"prompt\":\"x\",\"max_tokens\":99,\"stream\":true,"
                + "\"stream_options\":{\"include_usage\":true}}");

    final JsonNode last = events.getLast();
    assertThat(textOf(events, 0)).isEqualTo(TEXT);
    assertThat(last.path("choices").isEmpty()).isTrue();
    assertUsage(last.path("usage"), 1, utf8(TEXT) + 1);
    assertThat(events.subList(0, events.size() - 1))
        .allMatch(event -> event.has("usage") && event.path("usage").isNull());
    final JsonNode end = events.get(events.size() - 2).path("choices").path(0);
    assertThat(end.path("finish_reason").asString()).isEqualTo("stop");
    // a character is sent when it is whole, with its last byte
    assertThat(events.get(1).path("choices").path(0).path("text").asString()).isEmpty();
    assertThat(events.get(2).path("choices").path(0).path("text").asString()).isEqualTo("ñ");
    assertThat(events.get(7).path("choices").path(0).path("text").asString())
        .isEqualTo("\uD83D\uDE00");
  }

  @Test
  void shouldStreamAChatThatBeginsWithItsRole() {
    serveText();

    final List<JsonNode> events =
        served.events(
            CHAT,
            "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"max_tokens\":5,\"stream\":true}");

    assertThat(events.getFirst().path("choices").path(0).path("delta").path("role").asString())
        .isEqualTo("assistant");
    final StringBuilder text = new StringBuilder();
    events.forEach(
        event ->
            text.append(event.path("choices").path(0).path("delta").path("content").asString("")));
    assertThat(text.toString()).isEqualTo("añb\uFFFD"); // cut in the middle of a character
    assertThat(events).noneMatch(event -> event.has("usage"));
    assertThat(events.getLast().path("choices").path(0).path("finish_reason").asString())
        .isEqualTo("length");
  }

  @Test
  void shouldCutAtAStopStringAcrossTokensAndInsideCharacters() {
    serveText();
    final String body =
        "{\"prompt\":\"x\",\"max_tokens\":99,\"stop\":[\"zzz\",\"\uD83D\uDE00cd E\"]";

    final JsonNode whole = served.answer(COMPLETIONS, body + "}");
    final List<JsonNode> events =
        served.events(
            COMPLETIONS, body + ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}");

    final int tokens = utf8("añb\uD83D\uDE00cd E"); // up to the one that completes the stop string
    assertThat(whole.path("choices").path(0).path("text").asString()).isEqualTo("añb");
    assertThat(whole.path("choices").path(0).path("finish_reason").asString()).isEqualTo("stop");
    assertUsage(whole.path("usage"), 1, tokens);
    assertThat(textOf(events, 0)).isEqualTo("añb");
    assertUsage(events.getLast().path("usage"), 1, tokens);
  }

  /** A stop string is an end like any other: not an abort, which would count as an error. */
  @Test
  void shouldEndAStoppedRequestAsComplete() throws InterruptedException {
    final BlockingQueue<FinishReason> ends = new LinkedBlockingQueue<>();
    served =
        Served.of(
            new TextExecutor(TEXT.repeat(40), 200),
            new Probe() {
              @Override
              public Set<ProbeInterest> interests() {
                return EnumSet.of(ProbeInterest.REQUESTS);
              }

              @Override
              public void onFinished(FinishedEvent event) {
                ends.add(event.reason());
              }
            });

    served.answer(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":900,\"stop\":\"END\"}");

    assertThat(ends.poll(30, TimeUnit.SECONDS)).isEqualTo(FinishReason.STOP);
  }

  @Test
  void shouldLeaveTheStopTokenOutOfTheTextAndCountIt() {
    serveText();
    final int stop = 'b'; // tokens are bytes

    final JsonNode answer =
        served.answer(
            COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":99,\"stop_token_ids\":[" + stop + "]}");

    assertThat(answer.path("choices").path(0).path("text").asString()).isEqualTo("añ");
    assertThat(answer.path("choices").path(0).path("finish_reason").asString()).isEqualTo("stop");
    assertUsage(answer.path("usage"), 1, utf8("añb"));
  }

  @Test
  void shouldDescribeTheModelByItsName() {
    serveText();

    final JsonNode model = Served.json(served.get("/v1/models/test-model").body());
    assertThat(model.path("id").asString()).isEqualTo("test-model");
    assertThat(model.path("root").asString())
        .as("vllm bench serve without --model reads it")
        .isEqualTo("test-model");
    final HttpResponse<String> other = served.get("/v1/models/other");
    assertThat(other.statusCode()).isEqualTo(404);
    assertThat(other.body()).contains("model must be 'test-model'");
  }

  @Test
  void shouldGiveTheLogprobsOfEveryTokenOfACompletion() {
    serveText();

    final JsonNode logprobs =
        served
            .answer(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":3,\"logprobs\":2}")
            .path("choices")
            .path(0)
            .path("logprobs");

    assertThat(logprobs.path("token_logprobs").toString()).isEqualTo("[-0.25,-0.5,-0.75]");
    assertThat(logprobs.path("tokens").toString()).isEqualTo("[\"a\",\"\uFFFD\",\"\uFFFD\"]");
    assertThat(logprobs.path("text_offset").toString()).isEqualTo("[0,1,2]");
    assertThat(logprobs.path("top_logprobs").path(1).toString())
        .isEqualTo("{\"a\":-1.0,\"b\":-2.0,\"\uFFFD\":-0.5}");
  }

  @Test
  void shouldGiveTheLogprobsOfAChatWithBytesInEveryChunk() {
    serveText();
    final String body =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"max_tokens\":3,\"logprobs\":true,"
            + "\"top_logprobs\":1";

    final JsonNode whole =
        served.answer(CHAT, body + "}").path("choices").path(0).path("logprobs").path("content");
    final List<JsonNode> streamed = new ArrayList<>();
    for (JsonNode event : served.events(CHAT, body + ",\"stream\":true}")) {
      event.path("choices").path(0).path("logprobs").path("content").forEach(streamed::add);
    }

    assertThat(whole.path(1).toString())
        .isEqualTo(
            "{\"token\":\"\uFFFD\",\"logprob\":-0.5,\"bytes\":[195],"
                + "\"top_logprobs\":[{\"token\":\"a\",\"logprob\":-1.0,\"bytes\":[97]}]}");
    assertThat(whole.size()).isEqualTo(3);
    assertThat(streamed)
        .hasSize(3)
        .hasToString(whole.toString().replace("},{\"token", "}, {\"token"));
  }

  @Test
  void shouldRepeatAnAnswerForItsSeedWhateverElseRuns() {
    serveModel();

    final JsonNode three =
        served.answer(
            COMPLETIONS,
            "{\"prompt\":\"same\",\"max_tokens\":40,\"n\":3,\"seed\":7,\"ignore_eos\":true}");
    final List<String> alone = new ArrayList<>();
    for (int seed = 7; seed < 10; seed++) {
      alone.add(
          served
              .answer(
                  COMPLETIONS,
                  "{\"prompt\":\"same\",\"max_tokens\":40,\"seed\":"
                      + seed
                      + ",\"ignore_eos\":true}")
              .path("choices")
              .path(0)
              .path("text")
              .asString());
    }

    final List<String> together = new ArrayList<>();
    three.path("choices").forEach(choice -> together.add(choice.path("text").asString()));
    assertThat(together).isEqualTo(alone).doesNotHaveDuplicates();
    assertUsage(three.path("usage"), 4, 120);
  }

  @Test
  void shouldAnswerSeveralPromptsInOneBody() {
    serveText();

    final JsonNode answer =
        served.answer(
            COMPLETIONS, "{\"prompt\":[[1,2],[3]],\"n\":2,\"max_tokens\":4,\"stop\":\"ñ\"}");

    assertThat(answer.path("choices").size()).isEqualTo(4);
    for (int i = 0; i < 4; i++) {
      assertThat(answer.path("choices").path(i).path("index").asInt()).isEqualTo(i);
      assertThat(answer.path("choices").path(i).path("text").asString()).isEqualTo("a");
    }
    assertUsage(answer.path("usage"), 3, 12);
  }

  @Test
  void shouldTellTheTimesOfARequestOnlyWhenBothSidesWantThem() {
    final EngineTimes times = new EngineTimes();
    final Served.Setup setup = new Served.Setup().probe(times);
    setup.options = usual -> usual.withEngineTimes(times, true);
    served = setup.start(new TextExecutor(TEXT, 200));

    final JsonNode told = served.answer(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":5}");
    final JsonNode metrics = told.path("metrics");
    for (String name :
        List.of(
            "time_to_first_token_ms",
            "generation_time_ms",
            "queue_time_ms",
            "mean_itl_ms",
            "tokens_per_second")) {
      assertThat(metrics.path(name).isNumber()).as(name).isTrue();
      assertThat(metrics.path(name).asDouble()).as(name).isNotNegative();
    }
    assertThat(metrics.path("mean_itl_ms").asDouble())
        .isCloseTo(metrics.path("generation_time_ms").asDouble() / 4, Offset.offset(0.002));
    assertThat(served.answer(COMPLETIONS, "{\"prompt\":\"x\",\"n\":2}").has("metrics")).isFalse();
    assertThat(
            served
                .answer(COMPLETIONS, "{\"prompt\":\"x\",\"include_metrics\":false}")
                .has("metrics"))
        .isFalse();
  }

  @Test
  void shouldRefuseATextThatCannotFitBeforeItIsTokenised() {
    serveText();

    final HttpResponse<String> response =
        served.post(COMPLETIONS, "{\"prompt\":\"" + "x".repeat(262_145) + "\"}");

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("characters=262145, most=262144, max_model_len=1024");
  }

  @Test
  void shouldNameItsModel() {
    serveText();

    final JsonNode models = Served.json(served.get("/v1/models").body());

    assertThat(models.path("data").path(0).path("id").asString()).isEqualTo(Served.MODEL);
    assertThat(models.path("data").path(0).path("max_model_len").asInt()).isEqualTo(1_024);
    assertThat(served.get("/health").statusCode()).isEqualTo(200);
  }

  private static String textOf(List<JsonNode> events, int index) {
    final StringBuilder text = new StringBuilder();
    for (JsonNode event : events) {
      for (JsonNode choice : event.path("choices")) {
        if (choice.path("index").asInt() == index) {
          text.append(choice.path("text").asString());
        }
      }
    }
    return text.toString();
  }

  private static void assertUsage(JsonNode usage, int prompt, int completion) {
    assertThat(usage.path("prompt_tokens").asInt()).isEqualTo(prompt);
    assertThat(usage.path("completion_tokens").asInt()).isEqualTo(completion);
    assertThat(usage.path("total_tokens").asInt()).isEqualTo(prompt + completion);
  }

  private static int utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
