package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.chat.BuiltInTemplate;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A model of random weights writes what it is asked for, and nothing else. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StructuredOutputTest {

  private static final String COMPLETIONS = "/v1/completions";
  private static final String CHAT = "/v1/chat/completions";
  private static final String PERSON =
      "{`type`:`object`,`properties`:{`name`:{`type`:`string`,`maxLength`:8},"
          + "`age`:{`type`:`integer`,`minimum`:0,`maximum`:120}},`required`:[`name`,`age`]}";

  private Served served;

  @BeforeEach
  void serve() {
    served =
        Served.of(
            ModelSource.builtIn(1, BuiltInTemplate.PLAIN)
                .open(Served.REFERENCE, new SystemNanoClock(), Served.sizes(512)));
  }

  @AfterEach
  void close() {
    served.close();
  }

  private static String chat(String fields) {
    return ("{`messages`:[{`role`:`user`,`content`:`Who?`}],`max_tokens`:200,`seed`:1,"
            + fields
            + "}")
        .replace('`', '"');
  }

  private static String completion(String fields) {
    return ("{`prompt`:`Who?`,`max_tokens`:200,`seed`:1," + fields + "}").replace('`', '"');
  }

  private static void assertPerson(String text) {
    final JsonNode person = Served.json(text);
    assertThat(person.propertyNames()).as(text).containsExactly("name", "age");
    assertThat(person.path("name").stringValue().codePoints().count()).isLessThanOrEqualTo(8);
    assertThat(person.path("age").intValue()).isBetween(0, 120);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "`response_format`:{`type`:`json_schema`,`json_schema`:{`name`:`p`,`strict`:true,`schema`:PERSON}}",
        "`guided_json`:PERSON",
        "`structured_outputs`:{`json`:PERSON}",
      })
  void shouldWriteJsonOfTheSchema(String fields) {
    final String asked = fields.replace("PERSON", PERSON);

    final JsonNode inChat = served.answer(CHAT, chat(asked)).path("choices").path(0);
    final JsonNode completed =
        served.answer(COMPLETIONS, completion(asked)).path("choices").path(0);

    assertThat(inChat.path("finish_reason").asString()).isEqualTo("stop");
    assertPerson(inChat.path("message").path("content").asString());
    assertThat(completed.path("finish_reason").asString()).isEqualTo("stop");
    assertPerson(completed.path("text").asString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " # ",
      value = {
        "`guided_regex`:`[a-c]{3}-[0-9]{2}` # [a-c]{3}-[0-9]{2}",
        "`guided_choice`:[`yes`,`no, thanks`] # yes|no, thanks",
        "`structured_outputs`:{`regex`:`(ab)+c`} # (ab)+c",
        "`structured_outputs`:{`choice`:[`ä`,`日本`]} # ä|日本",
      })
  void shouldWriteTextsOfAnExpressionOrAChoice(String fields, String regex) {
    final JsonNode choice = served.answer(COMPLETIONS, completion(fields)).path("choices").path(0);

    assertThat(choice.path("finish_reason").asString()).isEqualTo("stop");
    assertThat(choice.path("text").asString()).matches(regex);
  }

  @Test
  void shouldTakeTheNamesOfTheNativeRoute() {
    final JsonNode answer =
        served.answer(
            "/generate",
            "{\"text\":\"x\",\"sampling_params\":{\"max_new_tokens\":50,\"regex\":\"[0-9]{4}\"}}");

    assertThat(answer.path("text").asString()).matches("[0-9]{4}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "`response_format`:{`type`:`json_object`}",
        "`structured_outputs`:{`json_object`:true}"
      })
  void shouldBeginAnyObject(String fields) {
    final JsonNode choice = served.answer(CHAT, chat(fields)).path("choices").path(0);

    final String text = choice.path("message").path("content").asString();
    assertThat(text).startsWith("{");
    if (choice.path("finish_reason").asString().equals("stop")) {
      assertThat(Served.json(text).isObject()).isTrue();
    }
  }

  @Test
  void shouldStreamWhatItAnswersWhole() {
    final String fields = "`guided_json`:" + PERSON;
    final String whole =
        served
            .answer(COMPLETIONS, completion(fields))
            .path("choices")
            .path(0)
            .path("text")
            .asString();

    final StringBuilder streamed = new StringBuilder();
    for (JsonNode event : served.events(COMPLETIONS, completion(fields + ",`stream`:true"))) {
      streamed.append(event.path("choices").path(0).path("text").asString(""));
    }

    assertThat(streamed).hasToString(whole);
  }

  @Test
  void shouldConstrainEveryChoiceByItself() {
    final JsonNode answer = served.answer(COMPLETIONS, completion("`n`:8,`guided_json`:" + PERSON));

    final Set<String> texts = new HashSet<>();
    for (JsonNode choice : answer.path("choices")) {
      assertPerson(choice.path("text").asString());
      texts.add(choice.path("text").asString());
    }
    assertThat(texts).hasSizeGreaterThan(4);
  }

  @Test
  void shouldCutAtAStopString() {
    final JsonNode choice =
        served
            .answer(COMPLETIONS, completion("`guided_regex`:`[a-b]{3}END[0-9]{5}`,`stop`:`END`"))
            .path("choices")
            .path(0);

    assertThat(choice.path("text").asString()).matches("[a-b]{3}");
    assertThat(choice.path("finish_reason").asString()).isEqualTo("stop");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " # ",
      value = {
        "`guided_json`:{`properties`:{`a`:{`multipleOf`:2}}} # guided_json # guided_json cannot be kept at #/properties/a/multipleOf: multipleOf is not supported: multipleOf=2",
        "`guided_json`:`{` # guided_json # guided_json cannot be kept at #: a schema must be JSON:",
        "`guided_regex`:`(?=a)` # guided_regex # a pattern must have no look-around",
        "`guided_regex`:`a{2}{2}` # guided_regex # a pattern must have a",
        "`guided_regex`:`(a{1000}){1000}` # guided_regex # a grammar must be small; lower its counts or its depth: states=",
        "`guided_grammar`:`root ::= a` # guided_grammar # context-free grammars in EBNF are not supported",
        "`guided_json`:{},`guided_regex`:`a` # guided_regex # an answer must be constrained by one field at most: first=guided_json, second=guided_regex",
        "`structured_outputs`:{`json`:{},`structural_tag`:`x`} # structured_outputs.structural_tag # must be absent",
        "`guided_json`:{},`ignore_eos`:true # ignore_eos # an answer must end where guided_json ends it",
        "`guided_json`:{},`min_tokens`:3 # min_tokens # an answer must end where guided_json ends it",
        "`response_format`:{`type`:`json_schema`} # response_format.json_schema.schema # must be there",
      })
  void shouldRefuseWhatItCannotKeep(String fields, String param, String words) {
    for (String stream : List.of("", ",`stream`:true")) {
      final var response = served.post(CHAT, chat(fields + stream));

      final JsonNode error = Served.json(response.body()).path("error");
      assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
      assertThat(error.path("param").asString()).isEqualTo(param);
      assertThat(error.path("message").asString()).contains(words);
    }
  }

  @Test
  void shouldAnswerOthersWhileBombsAreRefused() {
    final String body = completion("`temperature`:0");
    final String alone = served.answer(COMPLETIONS, body).path("choices").toString();
    final List<CompletableFuture<Integer>> bombs =
        IntStream.range(0, 20)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () ->
                            served
                                .post(
                                    COMPLETIONS,
                                    completion("`guided_regex`:`(a|b)*a(a|b){" + (30 + i) + "}`"))
                                .statusCode()))
            .toList();

    final String beside = served.answer(COMPLETIONS, body).path("choices").toString();

    assertThat(beside).isEqualTo(alone);
    assertThat(bombs.stream().map(CompletableFuture::join)).containsOnly(400);
  }

  @Test
  void shouldKeepBiasesBadWordsAndTheLeastTokens() {
    final String wanted = "`logit_bias`:{`97`:100,`98`:100},`max_tokens`:20,`temperature`:1,";

    final String both = text(wanted + "`user`:`u`");
    final String one = text(wanted + "`bad_words`:[`aa`]");
    final JsonNode least =
        served.answer(
            COMPLETIONS, completion("`logit_bias`:{`256`:100},`min_tokens`:7,`temperature`:0"));

    assertThat(both).matches("[ab]{20}").contains("aa");
    assertThat(one).matches("[ab]{20}").doesNotContain("aa");
    assertThat(least.path("usage").path("completion_tokens").asInt()).isEqualTo(8);
  }

  private String text(String fields) {
    return served
        .answer(COMPLETIONS, ("{`prompt`:`Who?`,`seed`:1," + fields + "}").replace('`', '"'))
        .path("choices")
        .path(0)
        .path("text")
        .asString();
  }
}
