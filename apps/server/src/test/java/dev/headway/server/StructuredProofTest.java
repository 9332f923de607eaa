package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.executor.Executor;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.server.chat.BuiltInTemplate;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** A trained model with its own tokenizer: many seeds, prompts and schemas, and every answer. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StructuredProofTest {

  private static final Path STORIES =
      Path.of(
          "..", "..", "sdk-executor-host", "src", "test", "resources", "models", "stories260K-hf");
  private static final int SEEDS = Boolean.getBoolean("headway.slow") ? 1_000 : 100;
  private static final int AT_ONCE = 16;

  /** A schema, and what its values are. */
  private record Case(String schema, Predicate<JsonNode> holds) {}

  private static final List<Case> CASES =
      List.of(
          new Case(
              "{'properties':{'name':{'type':'string','maxLength':12},'age':{'type':'integer',"
                  + "'minimum':0,'maximum':150}},'required':['name','age']}",
              json ->
                  json.path("name").stringValue().codePoints().count() <= 12
                      && json.path("age").intValue() >= 0
                      && json.path("age").intValue() <= 150
                      && json.size() == 2),
          new Case(
              "{'type':'array','minItems':1,'maxItems':3,'items':{'enum':['red','green',7,null]}}",
              json -> json.isArray() && !json.isEmpty() && json.size() <= 3),
          new Case(
              "{'properties':{'day':{'type':'string','format':'date'},'ok':{'type':'boolean'},"
                  + "'code':{'type':'string','pattern':'^[A-Z]{2}-[0-9]{3}$'}},'required':['day']}",
              json -> json.path("day").asString().matches("[0-9]{4}-[0-9]{2}-[0-9]{2}")),
          new Case(
              "{'anyOf':[{'const':'no'},{'properties':{'p':{'type':'number','minimum':0,"
                  + "'maximum':1},'q':{'type':'string','maxLength':3}},'required':['q']}]}",
              json -> json.asString("").equals("no") || json.path("q").isString()));

  @Test
  void shouldAnswerValidJsonWhateverTheSeed() throws IOException {
    int ended = 0;
    try (ModelSource source = ModelSource.folder(STORIES, BuiltInTemplate.PLAIN);
        Executor executor =
            source.open(Served.REFERENCE, new SystemNanoClock(), Served.sizes(512))) {
      final Served.Setup setup = new Served.Setup();
      setup.source = source;
      setup.maxModelLen = 256;
      try (Served served = setup.start(executor)) {
        for (int seed = 0; seed < SEEDS; seed += AT_ONCE) {
          for (Case each : CASES) {
            ended += check(served, each, seed);
          }
        }
      }
    }
    assertThat(ended).isGreaterThan(SEEDS * CASES.size() * 9 / 10);
  }

  private static int check(Served served, Case each, int seed) {
    final JsonNode answer =
        served.answer(
            "/v1/completions",
            ("{'prompt':'Once upon a time "
                    + seed
                    + "','max_tokens':120,'temperature':1,'n':"
                    + AT_ONCE
                    + ",'seed':"
                    + seed
                    + ",'guided_json':"
                    + each.schema
                    + "}")
                .replace('\'', '"'));
    int ended = 0;
    for (JsonNode choice : answer.path("choices")) {
      if (choice.path("finish_reason").asString().equals("stop")) {
        final String text = choice.path("text").asString();
        final String where = "seed=" + seed + ", schema=" + each.schema + ", text=" + text;
        assertThat(each.holds.test(Served.json(text))).as(where).isTrue();
        ended++;
      }
    }
    return ended;
  }
}
