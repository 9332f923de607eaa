package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.chat.BuiltInTemplate;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Texts to tokens and back, in vLLM's shapes, and the small questions of its clients. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TokenRoutesTest {

  private static final String TOKENIZE = "/tokenize";
  private static final String DETOKENIZE = "/detokenize";
  private static final Path STORIES =
      Path.of(
          "..", "..", "sdk-executor-host", "src", "test", "resources", "models", "stories260K-hf");

  private ModelSource source;
  private Served served;

  @BeforeEach
  void serve() throws IOException {
    source = ModelSource.folder(STORIES, BuiltInTemplate.PLAIN);
    final Served.Setup setup = new Served.Setup();
    setup.source = source;
    setup.maxModelLen = 512;
    setup.options = usual -> usual.withApiKey(null);
    served = setup.start(source.open(Served.REFERENCE, new SystemNanoClock(), Served.sizes(512)));
  }

  @AfterEach
  void close() {
    served.close();
    source.close();
  }

  @Test
  void shouldTokeniseAPrompt() {
    final JsonNode answer =
        served.answer(
            TOKENIZE,
            "{\"model\":\"test-model\",\"prompt\":\"Once upon\",\"return_token_strs\":true}");

    final int tokens = answer.path("tokens").size();
    assertThat(answer.path("count").asInt()).isEqualTo(tokens).isGreaterThan(2);
    assertThat(answer.path("max_model_len").asInt()).isEqualTo(512);
    assertThat(answer.path("tokens").path(0).asInt()).as("begin of a sequence").isEqualTo(1);
    assertThat(answer.path("token_strs").size()).isEqualTo(tokens);
    assertThat(answer.path("token_strs").path(1).asString()).isEqualTo(" Once");
    assertThat(
            served
                .answer("/v1/completions", "{\"prompt\":\"Once upon\"}")
                .path("usage")
                .path("prompt_tokens")
                .asInt())
        .isEqualTo(tokens);
  }

  @Test
  void shouldLeaveSpecialTokensOut() {
    final JsonNode with = served.answer(TOKENIZE, "{\"prompt\":\"Once upon\"}");
    final JsonNode without =
        served.answer(TOKENIZE, "{\"prompt\":\"Once upon\",\"add_special_tokens\":false}");

    assertThat(with.path("token_strs").isNull()).isTrue();
    assertThat(without.path("count").asInt()).isEqualTo(with.path("count").asInt() - 1);
    assertThat(without.path("tokens").path(0)).isEqualTo(with.path("tokens").path(1));
  }

  @Test
  void shouldTokeniseMessagesAsTheTemplatePutsThem() {
    final String messages = "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi there\"}]}";

    final JsonNode answer = served.answer(TOKENIZE, messages);

    assertThat(answer.path("count").asInt())
        .isEqualTo(
            served
                .answer("/v1/chat/completions", messages)
                .path("usage")
                .path("prompt_tokens")
                .asInt());
  }

  @Test
  void shouldMakeATextOfTokensAgain() {
    final String text = "Once upon a time, there was 1 dög \uD83D\uDE00.";
    final JsonNode tokens = served.answer(TOKENIZE, "{\"prompt\":\"" + text + "\"}").path("tokens");

    final JsonNode answer = served.answer(DETOKENIZE, "{\"tokens\":" + tokens + "}");

    assertThat(answer.path("prompt").asString().replace("<s>", "").strip()).isEqualTo(text);
    assertThat(answer.path("prompt").asString()).as("marks by their names").startsWith("<s>");
    assertThat(served.answer(DETOKENIZE, "{\"tokens\":[]}").path("prompt").asString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "/tokenize | {} | prompt",
        "/tokenize | {`prompt`:`x`,`messages`:[]} | prompt",
        "/tokenize | {`prompt`:[`x`]} | prompt",
        "/tokenize | {`prompt`:`x`,`add_special_tokens`:1} | add_special_tokens",
        "/tokenize | {`messages`:[{`role`:`user`,`content`:`x`}],`add_generation_prompt`:false} |"
            + " add_generation_prompt",
        "/detokenize | {} | tokens",
        "/detokenize | {`tokens`:[512]} | tokens[0]",
        "/detokenize | {`tokens`:`x`} | tokens"
      })
  void shouldNameTheFieldThatIsNotAsItMustBe(String path, String body, String param) {
    final HttpResponse<String> refused = served.post(path, body.replace('`', '"'));

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(Served.json(refused.body()).path("error").path("param").asString()).isEqualTo(param);
  }

  @Test
  void shouldNameWhatItDoesNotKnowAndRefuseAnotherModel() {
    final HttpResponse<String> answer =
        served.post(TOKENIZE, "{\"prompt\":\"x\",\"return_token_str\":true}");

    assertThat(answer.headers().firstValue("x-ignored-fields")).hasValue("return_token_str");
    assertThat(served.post(DETOKENIZE, "{\"model\":\"other\",\"tokens\":[1]}").statusCode())
        .isEqualTo(404);
    assertThat(served.get(TOKENIZE).statusCode()).isEqualTo(405);
  }
}
