package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.http.RawClient;
import dev.headway.serving.TextExecutor;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What is refused, with which words, and that nothing is harmed by it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusalsTest {

  private static final String COMPLETIONS = "/v1/completions";
  private static final String CHAT = "/v1/chat/completions";
  private static final int MAX_BODY_BYTES = 10_000;

  private final TextExecutor executor = new TextExecutor("text", 200);
  private Served served;

  @BeforeEach
  void serve() {
    final Served.Setup setup = new Served.Setup();
    setup.maxQueued = 1;
    setup.options =
        usual ->
            usual
                .withLimits(usual.limits().withNumbers(100, 256, 2_000))
                .withLimits(MAX_BODY_BYTES, 4_096, Duration.ofSeconds(20))
                .withApiKey("secret");
    served = setup.start(executor);
  }

  @AfterEach
  void close() {
    served.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "max_tokens | 0",
        "max_tokens | -1",
        "max_tokens | 2147483648",
        "max_tokens | 1.5",
        "max_tokens | \"9\"",
        "max_tokens | 1024",
        "temperature | -0.1",
        "temperature | 2.1",
        "temperature | 1e999",
        "temperature | true",
        "top_p | 0",
        "top_p | 1.01",
        "top_k | -2",
        "min_p | 1.5",
        "repetition_penalty | 0",
        "presence_penalty | 3",
        "frequency_penalty | -2.5",
        "seed | 9223372036854775808",
        "seed | \"a\"",
        "n | 0",
        "n | 129",
        "stop | 5",
        "stop | \"\"",
        "stop | [\"a\",\"\"]",
        "stop | [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]",
        "stop_token_ids[0] | [257]",
        "stop_token_ids[1] | [1,-1]",
        "min_tokens | 17",
        "stop_token_ids | DISTINCT",
        "cache_salt | LONG",
        "model | LONG",
        "stop | LONG",
        "stop | [LONG]",
        "logprobs | 21",
        "logprobs | true",
        "stream | 1",
        "stream_options | {}",
        "stream_options | {\"include_usage\":true}",
        "logit_bias | {\"257\":5}",
        "logit_bias | {\"a\":5}",
        "logit_bias | {\"1\":101}",
        "logit_bias | [1]",
        "bad_words | [\"\"]",
        "best_of | 0",
        "best_of | 129",
        "suffix | \"x\"",
        "echo | 1",
        "max_completion_tokens | 0",
        "max_completion_tokens | \"9\"",
        "tools | [{}]",
        "tool_choice | \"required\"",
        "tool_choice | {\"type\":\"function\"}",
        "chat_template_kwargs | {\"enable_thinking\":false}",
        "add_generation_prompt | false",
        "top_logprobs | 2",
        "messages | [{}]",
        "guided_json | 5",
        "guided_choice | []",
        "guided_regex | 5",
        "guided_whitespace_pattern | \" *\"",
        "skip_special_tokens | false",
        "priority | 1e3",
        "priority | \"high\"",
        "model | 7"
      })
  void shouldNameTheFieldThatIsNotAsItMustBe(String field, String value) {
    final String name = field.replaceAll("\\[.*", "");
    final String written =
        value
            .replace("LONG", '"' + "s".repeat(1_025) + '"')
            .replace("DISTINCT", IntStream.range(0, 257).boxed().toList().toString());
    final String body = "{\"prompt\":\"x\",\"" + name + "\":" + written + "}";

    for (int i = 0; i < 2; i++) {
      final HttpResponse<String> response = post(COMPLETIONS, body);
      assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
      final JsonNode error = Served.json(response.body()).path("error");
      assertThat(error.path("param").asString()).isEqualTo(field);
      assertThat(error.path("type").asString()).isEqualTo("invalid_request_error");
      assertThat(error.path("message").asString()).contains(field, "must be");
    }
    assertHealthy();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "/v1/chat/completions | {`prompt`:`hi`} | messages"
            + " | messages is missing; prompt, which is there, goes to /v1/completions",
        "/v1/chat/completions | {`messages`:[{`role`:`user`,`content`:`x`}],`prompt`:`hi`} | prompt"
            + " | prompt must be absent beside messages, for /v1/completions takes it:"
            + " prompt=\"hi\"",
        "/v1/completions | {`messages`:[{`role`:`user`}]} | prompt"
            + " | prompt is missing; messages, which is there, goes to /v1/chat/completions"
      })
  void shouldNameTheEndpointThatTakesTheOtherInput(
      String path, String body, String param, String message) {
    final HttpResponse<String> response = post(path, body.replace('`', '"'));

    assertThat(response.statusCode()).isEqualTo(400);
    final JsonNode error = Served.json(response.body()).path("error");
    assertThat(error.path("param").asString()).isEqualTo(param);
    assertThat(error.path("message").asString()).isEqualTo(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "/v1/completions | {`prompt`:17} | null | prompt must be a string, an array of at most 128"
            + " strings, or an array of token ids: prompt=17",
        "/v1/completions | {`prompt`:`x`,`max_tokens`:1024} | context_length_exceeded | max_tokens"
            + " must be <= max_model_len - prompt_tokens: max_tokens=1024, prompt_tokens=1,"
            + " max_model_len=1024",
        "/v1/completions | {`prompt`:`1025`} | context_length_exceeded | prompt must be shorter"
            + " than max_model_len: prompt_tokens=1025, max_model_len=1024",
        "/v1/chat/completions | {`messages`:[{`role`:`user`,`content`:[{`type`:`image_url`}]}]} |"
            + " null | messages[0].content must be a string or an array of parts such as"
            + " {`type`: `text`, `text`: `...`}: messages[0].content={`type`:`image_url`}"
      })
  void shouldSayWhatIsTaken(String path, String body, String code, String message) {
    final String written =
        body.replace('`', '"').replace("\"1025\"", '"' + "x".repeat(1_025) + '"');

    final JsonNode error = Served.json(post(path, written).body()).path("error");

    assertThat(error.path("message").asString()).isEqualTo(message.replace('`', '"'));
    assertThat(error.path("code").asString("null")).isEqualTo(code);
  }

  @Test
  void shouldNameWhatWasNotUnderstoodBeforeTheBody() {
    final HttpResponse<String> path =
        served.post("/v1/embeddings", "{}", "Authorization", "Bearer secret", "x-request-id", "a1");
    final HttpResponse<String> type = served.post(COMPLETIONS, "{}", "Content-Type", "text/plain");

    assertThat(path.statusCode()).isEqualTo(404);
    assertThat(path.body())
        .contains(
            "no endpoint at this path; of OpenAI's there are /v1/completions, /v1/chat/completions"
                + " and /v1/models: path=/v1/embeddings");
    assertThat(path.headers().firstValue("x-request-id")).contains("a1");
    assertThat(type.statusCode()).isEqualTo(415);
    assertThat(type.body())
        .contains("Content-Type must be application/json: Content-Type=text/plain");
    assertThat(type.headers().firstValue("x-request-id").orElseThrow()).hasSize(32);
  }

  @Test
  void shouldCountAStopTokenOnce() {
    final String body = "{\"prompt\":\"x\",\"stop_token_ids\":[" + "200,".repeat(2_000) + "200]}";

    assertThat(post(COMPLETIONS, body).statusCode()).isEqualTo(200);
  }

  @Test
  void shouldBoundTheTokensOfAllAnswers() {
    assertRefused(COMPLETIONS, "{\"prompt\":\"x\",\"n\":8,\"max_tokens\":251}", 400, "n");
    assertRefused(COMPLETIONS, "{\"prompt\":[[1],[2],[3]],\"max_tokens\":667}", 400, "max_tokens");
    assertThat(post(COMPLETIONS, "{\"prompt\":[[1],[2]],\"max_tokens\":1000}").statusCode())
        .isNotEqualTo(400);
    Watch.until( // 429 while answers before it end
        "it is answered",
        () -> post(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":1023}").statusCode() == 200);
  }

  @Test
  void shouldBoundTheMessagesBeforeTheyAreRendered() {
    final String message = "{\"role\":\"user\",\"content\":\"\"}";
    final String body = "{\"messages\":[" + (message + ",").repeat(100) + message + "]}";

    final HttpResponse<String> response = post(CHAT, body);

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("messages=101", "most=100");
  }

  /** C0 AF is an overlong slash, ED A0 80 half a character beyond the basic plane. */
  @ParameterizedTest
  @ValueSource(strings = {"\u00c0\u00af", "\u00ed\u00a0\u0080", "\u00ff", "\u00e2\u0082"})
  void shouldRefuseBytesThatAreNotUtf8(String bytes) throws IOException {
    final String body = "{\"prompt\":\"" + bytes + "\"}";

    try (RawClient raw = served.raw()) {
      raw.send(
          RawClient.post(COMPLETIONS, body)
              .replace("Host:", "Authorization: Bearer secret\r\nHost:"));
      assertThat(raw.readUntil("}}")).startsWith("HTTP/1.1 400 ").contains("must be UTF-8");
    }
    assertHealthy();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "`tools`:[],`tool_choice`:`none`,`functions`:null",
        "`tool_choice`:`auto`,`echo`:false,`best_of`:1,`logit_bias`:{}",
        "`response_format`:{`type`:`text`},`chat_template_kwargs`:{},`length_penalty`:1.0",
        "`add_generation_prompt`:true,`skip_special_tokens`:true,`user`:`me`,`store`:true"
      })
  void shouldTakeWhatAsksForWhatHappensAnyway(String fields) {
    final String more = fields.replace('`', '"') + "}";

    final HttpResponse<String> completion = post(COMPLETIONS, "{\"prompt\":\"x\"," + more);
    final HttpResponse<String> chat =
        post(CHAT, "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]," + more);

    assertThat(completion.statusCode()).as(completion.body()).isEqualTo(200);
    assertThat(chat.statusCode()).as(chat.body()).isEqualTo(200);
  }

  @Test
  void shouldRefuseAFormatThatIsNotKnown() {
    assertRefused(
        COMPLETIONS,
        "{\"prompt\":\"x\",\"response_format\":{\"type\":\"yaml\"}}",
        400,
        "response_format.type");
  }

  @Test
  void shouldEndACompletionAtTheNewerNameOfItsLimit() {
    final HttpResponse<String> response =
        post(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":4,\"max_completion_tokens\":2}");

    final JsonNode answer = Served.json(response.body());
    assertThat(answer.path("usage").path("completion_tokens").asInt()).isEqualTo(2);
    assertThat(answer.path("choices").path(0).path("text").asString()).isEqualTo("te");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{} | prompt",
        "{`prompt`:``} | prompt",
        "{`prompt`:[]} | prompt",
        "{`prompt`:[300]} | prompt[0]",
        "{`prompt`:[[1],[]]} | prompt[1]",
        "{`prompt`:null} | prompt"
      })
  void shouldAskForAPrompt(String body, String param) {
    assertRefused(COMPLETIONS, body.replace('`', '"'), 400, param);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{} | messages",
        "{`messages`:[]} | messages",
        "{`messages`:[{`role`:`wizard`,`content`:`x`}]} | messages[0].role",
        "{`messages`:[{`role`:`user`,`content`:5}]} | messages[0].content",
        "{`messages`:[{`role`:`user`,`content`:[{`type`:`image_url`}]}]} | messages[0].content",
        "{`messages`:[{`role`:`user`,`content`:`x`}],`top_logprobs`:2} | top_logprobs",
        "{`messages`:[{`role`:`user`,`content`:`x`}],`tools`:[{}]} | tools[0]",
        "{`messages`:[{`role`:`user`,`content`:`x`}],`tool_choice`:`required`} | tool_choice",
        "{`messages`:[{`role`:`user`,`content`:`x`}],`chat_template_kwargs`:{`a`:1}} |"
            + " chat_template_kwargs",
        "{`messages`:[{`role`:`user`,`content`:`x`}],`add_generation_prompt`:false} |"
            + " add_generation_prompt",
        "{`messages`:[{`role`:`user`,`content`:`x`}],`best_of`:2} | best_of",
        "{`messages`:[{`role`:`user`,`content`:`x`}],`echo`:true} | echo",
        "{`messages`:[{`role`:`user`,`content`:`x`}],`response_format`:{`type`:`yaml`}} |"
            + " response_format.type"
      })
  void shouldAskForMessages(String body, String param) {
    assertRefused(CHAT, body.replace('`', '"'), 400, param);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{`prompt`:`x`",
        "[1]",
        "{`prompt`:`x`} trailing",
        "{`prompt`:`x`,`prompt`:`y`}",
        "{`prompt`:NaN}",
        "nothing"
      })
  void shouldRefuseWhatIsNoJson(String body) {
    final HttpResponse<String> response = post(COMPLETIONS, body.replace('`', '"'));

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("the body must be a JSON object");
    assertHealthy();
  }

  @Test
  void shouldSayWhatIsThereInsteadOfAnObject() {
    assertThat(post(COMPLETIONS, "[]").body()).contains("must be a JSON object: type=array\"");
    assertThat(post(COMPLETIONS, "").body()).contains("must be a JSON object: it is empty\"");
  }

  @Test
  void shouldNameTheRolesInAnOrderThatStays() {
    final HttpResponse<String> response =
        post(CHAT, "{\"messages\":[{\"role\":\"wizard\",\"content\":\"x\"}]}");

    assertThat(response.body()).contains("one of [system, developer, user, assistant, tool]");
  }

  @Test
  void shouldRefuseJsonThatIsTooDeep() {
    assertThat(post(COMPLETIONS, "[".repeat(2_000)).statusCode()).isEqualTo(400);
    assertHealthy();
  }

  @Test
  void shouldRefuseAPromptAndAnswerThatDoNotFitTheContext() {
    assertRefused(
        COMPLETIONS, "{\"prompt\":\"" + "x".repeat(1_024) + "\",\"max_tokens\":1}", 400, "prompt");
    assertRefused(
        COMPLETIONS,
        "{\"prompt\":\"" + "x".repeat(1_000) + "\",\"max_tokens\":25}",
        400,
        "max_tokens");
    assertThat(
            post(COMPLETIONS, "{\"prompt\":\"" + "x".repeat(1_000) + "\",\"max_tokens\":24}")
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void shouldRefuseABodyThatIsTooLong() {
    final HttpResponse<String> response =
        post(COMPLETIONS, "{\"prompt\":\"" + "x".repeat(MAX_BODY_BYTES) + "\"}");

    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(response.body()).contains("maxBodyBytes=10000");
    assertHealthy();
  }

  @Test
  void shouldNotKnowOtherModelsPathsAndMethods() {
    assertRefused(COMPLETIONS, "{\"prompt\":\"x\",\"model\":\"gpt-4\"}", 404, "model");
    assertThat(post("/v1/embeddings", "{}").statusCode()).isEqualTo(404);
    assertThat(post("/metrics", "{}").statusCode()).isEqualTo(404);
    assertThat(post("/health", "{}").statusCode()).isEqualTo(405);
  }

  @Test
  void shouldWantTheKeyEverywhereButForHealth() {
    for (String path : new String[] {COMPLETIONS, CHAT, "/v1/models", "/metrics", "/other"}) {
      assertThat(served.post(path, "{}").statusCode()).as(path).isEqualTo(401);
      assertThat(served.post(path, "{}", "Authorization", "Bearer secre").statusCode())
          .as(path)
          .isEqualTo(401);
    }
    assertThat(served.get("/health").statusCode()).isEqualTo(200);
  }

  @Test
  void shouldSayWhenItHasTooManyAndTakeMoreLater() {
    executor.hold();
    final HttpResponse<Stream<String>> first =
        served.stream(
            COMPLETIONS, "{\"prompt\":\"x\",\"stream\":true}", "Authorization", "Bearer secret");

    final HttpResponse<String> second = post(COMPLETIONS, "{\"prompt\":\"x\"}");

    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(second.headers().firstValue("Retry-After")).hasValue("1");
    final JsonNode error = Served.json(second.body()).path("error");
    assertThat(error.path("code").asString()).isEqualTo("queue_full");
    assertThat(error.path("type").asString()).isEqualTo("rate_limit_error");
    executor.letAll();
    assertThat(Served.events(first)).isNotEmpty();
    assertHealthy();
  }

  /** What is not known is not ignored in silence. */
  @Test
  void shouldNameFieldsThatItDoesNotKnow() {
    final HttpResponse<String> named =
        post(
            COMPLETIONS,
            "{\"prompt\":\"x\",\"max_tokens\":1,\"temprature\":0.2,\"user\":\"u\",\"reasoning\":{\"a\":1},\"no"
                + " header\\r"
                + "\\n"
                + "\":1,\"absent\":null}");
    final HttpResponse<String> known =
        post(
            CHAT,
            "{\"model\":\"test-model\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"max_tokens\":1,"
                + "\"max_completion_tokens\":1,\"temperature\":0,\"top_p\":1,\"top_k\":-1,\"min_p\":0,"
                + "\"presence_penalty\":0,\"frequency_penalty\":0,\"repetition_penalty\":1,\"seed\":1,\"n\":1,"
                + "\"stop\":[],\"stop_token_ids\":[],\"ignore_eos\":true,\"min_tokens\":0,\"logprobs\":false,"
                + "\"top_logprobs\":0,\"stream\":true,\"stream_options\":{},\"priority\":0,\"cache_salt\":\"s\","
                + "\"include_metrics\":false,\"return_timing\":false,\"tools\":[],\"user\":\"u\"}");

    final HttpResponse<String> nested =
        post(
            COMPLETIONS,
            "{\"prompt\":\"x\",\"max_tokens\":1,\"stream\":true,\"stream_options\":{\"usage\":true}}");

    assertThat(named.statusCode()).as(named.body()).isEqualTo(200);
    assertThat(named.headers().firstValue("x-ignored-fields")).hasValue("temprature,reasoning");
    assertThat(known.statusCode()).as(known.body()).isEqualTo(200);
    assertThat(known.headers().firstValue("x-ignored-fields")).isEmpty();
    assertThat(nested.headers().firstValue("x-ignored-fields")).hasValue("stream_options.usage");
  }

  private void assertRefused(String path, String body, int status, String param) {
    final HttpResponse<String> response = post(path, body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(Served.json(response.body()).path("error").path("param").asString())
        .isEqualTo(param);
    assertHealthy();
  }

  private void assertHealthy() {
    Watch.until("nothing is alive", () -> served.engine.stats().running() == 0);
    final HttpResponse<String> response = post(COMPLETIONS, "{\"prompt\":\"x\"}");
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(response.body()).contains("\"text\":\"text\"");
  }

  private HttpResponse<String> post(String path, String body) {
    return served.post(path, body, "Authorization", "Bearer secret");
  }
}
