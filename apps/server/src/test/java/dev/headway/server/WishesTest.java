package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.RequestTimeouts;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.server.WishLimits.ForcedTokens;
import dev.headway.server.WishLimits.Retention;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.tokenizer.ByteTokenizer;
import dev.headway.serving.tool.ToolParser;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What a request asks of the engine beside its answer, and what a server lets it ask. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WishesTest {

  private static final String COMPLETIONS = "/v1/completions";
  private static final String CHAT = "/v1/chat/completions";
  private static final String RETENTION = "kv_cache_retention_config";

  private WishLimits limits = WishLimits.DEFAULT;
  private Served served;

  @AfterEach
  void close() {
    if (served != null) {
      served.close();
    }
  }

  private void serve(int numBlocks) {
    final EngineTimes times = new EngineTimes(); // they know what was cached
    final Served.Setup setup = new Served.Setup().probe(times);
    setup.maxModelLen = numBlocks > 64 ? 1_024 : 128;
    setup.timeouts = limits.timeouts();
    setup.options =
        usual ->
            usual
                .withEngineTimes(times, false)
                .withLimits(usual.limits().withWishes(limits).withTimeout(Duration.ofMinutes(1)))
                .withStructure(usual.structure().withToolParser(ToolParser.HERMES));
    served =
        setup.start(
            ModelSource.builtIn(1, BuiltInTemplate.PLAIN)
                .open(Served.REFERENCE, new SystemNanoClock(), Served.sizes(numBlocks)));
  }

  // ---- the prefix cache

  /** A prompt of 64 tokens, and 16 more of its answer; returns how many of them were cached. */
  private int ask(String letter, String fields) {
    final JsonNode answer =
        served.answer(
            "/generate",
            ("{'text':'"
                    + letter.repeat(64)
                    + "','sampling_params':{'max_new_tokens':16,'ignore_eos':true}"
                    + (fields.isEmpty() ? "" : "," + fields)
                    + "}")
                .replace('\'', '"'));
    return answer.path("meta_info").path("cached_tokens").intValue();
  }

  private static String retention(String ranges) {
    return "'" + RETENTION + "':{'token_range_retention_configs':[" + ranges + "]}";
  }

  /** 19 blocks to use, 5 for each of the others. */
  private int cachedAfterOthers(String fields) {
    serve(20);
    ask("a", fields);
    for (String other : List.of("b", "c", "d", "e", "f")) {
      ask(other, "");
    }
    return ask("a", "");
  }

  @Test
  void shouldGiveUpFirstWhatWasUsedLongestAgo() {
    assertThat(cachedAfterOthers("")).isZero();
  }

  @Test
  void shouldKeepTheTokensOfAHigherPriority() {
    limits = limits.withRetention(Retention.PRIORITY, Duration.ofMinutes(1));

    assertThat(cachedAfterOthers(retention("{'token_start':0,'token_end':32,'priority':90}")))
        .isEqualTo(32);
  }

  @Test
  void shouldKeepWhatIsPinned() {
    limits = limits.withRetention(Retention.PIN, Duration.ofMinutes(1));

    assertThat(cachedAfterOthers(retention("{'token_end':48,'priority':'pinned'}"))).isEqualTo(48);
  }

  @Test
  void shouldKeepWhatHasNoTimeAsLongAsTheServerLets() {
    limits = limits.withRetention(Retention.PRIORITY, Duration.ofMillis(1));
    final String high = retention("{'priority':90}");

    assertThat(cachedAfterOthers(high)).as("its millisecond is over").isZero();
  }

  @Test
  void shouldRefuseWishesUnlessTheServerLetsThem() {
    serve(20);

    assertRefused(
        retention("{'priority':90}"),
        RETENTION
            + " must be absent, or the server started with --kv-cache-retention priority: "
            + RETENTION
            + "={\"token_range_retention_configs\":[{\"priority\":90}]}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {'priority':101}                    | [0].priority must be a whole number in [0, 100]
          {'token_start':0}                   | [0].priority must be a whole number in [0, 100]
          {'token_start':9,'token_end':9,'priority':1} | [0].token_end must be a whole number in [10
          {'priority':36,'duration_ms':60001} | [0].duration_ms must be a whole number in [1, 60000]
          {'priority':36,'duration_ms':0}     | [0].duration_ms must be a whole number in [1, 60000]
          {'priority':'pinned'}               | started with --kv-cache-retention pin
          {'priority':1,'transfer_mode':1}    | [0].transfer_mode must be absent: it is not supported
          7                                   | [0] must be an object
          """)
  void shouldSayWhichWishIsWrong(String range, String message) {
    limits = limits.withRetention(Retention.PRIORITY, Duration.ofMinutes(1));
    serve(20);

    assertRefused(retention(range), message);
  }

  @Test
  void shouldTakeAWishForTheAnswerToo() {
    limits = limits.withRetention(Retention.PRIORITY, Duration.ofMinutes(1));
    serve(20);

    ask("a", "'" + RETENTION + "':{'decode_retention_priority':0,'decode_duration_ms':5}");
    assertRefused(
        "'" + RETENTION + "':{'decode_duration_ms':5}",
        "decode_duration_ms must be absent without decode_retention_priority");
  }

  private void assertRefused(String fields, String message) {
    final HttpResponse<String> answer =
        served.post(
            COMPLETIONS, ("{'prompt':'x','max_tokens':2," + fields + "}").replace('\'', '"'));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(Served.json(answer.body()).path("error").path("message").asString())
        .contains(message);
  }

  // ---- answers that are given beforehand

  private static String forced(String text) {
    return text.chars().mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
  }

  private void allowForcedTokens() {
    limits = limits.withForcedTokens(ForcedTokens.ALLOWED);
    serve(200);
  }

  @Test
  void shouldAnswerWhatIsGivenBeforehand() {
    allowForcedTokens();

    final JsonNode answer =
        served.answer(
            COMPLETIONS,
            ("{'prompt':'x','logprobs':0,'forced_token_ids':" + forced("the recorded text") + "}")
                .replace('\'', '"'));

    final JsonNode choice = answer.path("choices").path(0);
    assertThat(choice.path("text").asString()).isEqualTo("the recorded text");
    assertThat(choice.path("finish_reason").asString()).isEqualTo("length");
    assertThat(choice.path("logprobs").path("token_logprobs").size()).isEqualTo(17);
    assertThat(answer.path("usage").path("completion_tokens").intValue()).isEqualTo(17);
  }

  @Test
  void shouldEndAtTheTokenThatEndsIt() {
    allowForcedTokens();
    final String ids = forced("end").replace("]", "," + ByteTokenizer.EOS + ",65]");

    final JsonNode answer =
        served.answer(
            COMPLETIONS, ("{'prompt':'x','forced_token_ids':" + ids + "}").replace('\'', '"'));

    assertThat(answer.path("choices").path(0).path("text").asString()).isEqualTo("end");
    assertThat(answer.path("choices").path(0).path("finish_reason").asString()).isEqualTo("stop");
  }

  /** What no small model writes of its own accord is seen all the way. */
  @Test
  void shouldReadCallsThatAreGivenBeforehand() {
    allowForcedTokens();
    final String call = "<tool_call>{\"name\": \"clock\", \"arguments\": {}}</tool_call>";

    final JsonNode answer =
        served.answer(
            CHAT,
            ("{'messages':[{'role':'user','content':'?'}],'tools':[{'type':'function','function':"
                    + "{'name':'clock'}}],'forced_token_ids':"
                    + forced(call)
                    + "}")
                .replace('\'', '"'));

    final JsonNode message = answer.path("choices").path(0).path("message");
    assertThat(message.path("tool_calls").path(0).path("function").path("name").asString())
        .isEqualTo("clock");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          'forced_token_ids':[]               | forced_token_ids must be at least one token id
          'forced_token_ids':[9999]           | forced_token_ids[0] must be a token id in [0, 257)
          'forced_token_ids':[65],'min_tokens':1 | forced_token_ids must be absent beside min_tokens
          'forced_token_ids':[65],'guided_choice':['a'] | absent beside guided_choice
          'forced_token_ids':[65],'bad_words':['a'] | absent beside logit_bias and bad_words
          'forced_token_ids':[65]             | max_tokens must be <= the tokens of forced_token_ids
          """)
  void shouldSayWhatForcedTokensCannotBe(String fields, String message) {
    allowForcedTokens();

    assertRefused(fields, message);
  }

  @Test
  void shouldRefuseForcedTokensUnlessTheServerLetsThem() {
    serve(20);

    assertRefused(
        "'forced_token_ids':[65]",
        "forced_token_ids must be absent, or the server started with --allow-forced-tokens:"
            + " forced_token_ids=[65]");
  }

  // ---- timeouts

  private JsonNode errorOf(String fields) {
    final HttpResponse<String> answer =
        served.post(COMPLETIONS, ("{'prompt':'x'," + fields + "}").replace('\'', '"'));
    final JsonNode error = Served.json(answer.body()).path("error");
    assertThat(answer.statusCode()).as(answer.body()).isGreaterThanOrEqualTo(500);
    return error;
  }

  @ParameterizedTest
  @CsvSource({"timeout,deadline", "queue_timeout,queue_timeout", "run_timeout,run_timeout"})
  void shouldEndARequestByItsOwnTimeout(String field, String code) {
    serve(20);

    assertThat(errorOf("'max_tokens':100,'" + field + "':0.000000001").path("code").asString())
        .isEqualTo(code);
  }

  @ParameterizedTest
  @ValueSource(strings = {"queue_timeout", "run_timeout", "timeout"})
  void shouldRefuseATimeoutBeyondTheServers(String field) {
    final Duration minute = Duration.ofMinutes(1);
    limits = limits.withTimeouts(RequestTimeouts.NONE.withQueue(minute).withRun(minute));
    serve(20);

    assertRefused(
        "'" + field + "':60.5",
        " must be seconds > 0, and at most those of --"
            + (field.equals("timeout") ? "request-timeout" : field.replace('_', '-'))
            + ", 60: "
            + field
            + "=60.5");
  }

  @Test
  void shouldTakeATimeoutThatIsNoNumberForWrong() {
    serve(20);

    assertRefused(
        "'queue_timeout':'1s'", "queue_timeout must be seconds > 0: queue_timeout=\"1s\"");
  }

  @Test
  void shouldAnswerWithinTimeouts() {
    serve(20);

    assertThat(
            served
                .post(
                    COMPLETIONS,
                    "{\"prompt\":\"x\",\"max_tokens\":2,\"timeout\":50,\"queue_timeout\":50}")
                .body()
                .getBytes(StandardCharsets.UTF_8))
        .asString(StandardCharsets.UTF_8)
        .contains("\"completion_tokens\":2");
  }
}
