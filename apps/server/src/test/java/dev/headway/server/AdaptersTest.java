package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.request.LoraAdapter;
import dev.headway.executor.model.LoraFolder;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.chat.BuiltInTemplate;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Clients name an adapter in the place of the model, as with vLLM. */
class AdaptersTest {

  private static final LoraAdapter POET = new LoraAdapter(1, "poet");
  private static final LoraAdapter CRITIC = new LoraAdapter(2, "critic");
  private static final String PROMPT =
      "\"prompt\": \"Once\", \"max_tokens\": 12, \"temperature\": 0, \"ignore_eos\": true";

  @TempDir Path poet;
  @TempDir Path critic;

  private Served serve(ExecutorChoice.Backend backend) throws IOException {
    final Served.Setup setup = new Served.Setup();
    setup.adapters = List.of(POET, CRITIC);
    LoraFolder.write(poet, ModelSource.builtInConfig(), 3);
    LoraFolder.write(critic, ModelSource.builtInConfig(), 4);
    try (ModelSource source = ModelSource.builtIn(1, BuiltInTemplate.PLAIN)) {
      return setup.start(
          source.open(
              new ExecutorChoice(backend, 1, List.of()),
              new SystemNanoClock(),
              Served.sizes(512).withAdapters(Map.of(POET, poet, CRITIC, critic))));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = ExecutorChoice.Backend.class,
      names = {"VECTOR", "REFERENCE"})
  void shouldAnswerByTheAdapterThatTheClientNames(ExecutorChoice.Backend backend)
      throws IOException {
    try (Served served = serve(backend)) {
      final JsonNode plain = served.answer("/v1/completions", "{" + PROMPT + "}");
      final JsonNode byPoet =
          served.answer("/v1/completions", "{\"model\": \"poet\", " + PROMPT + "}");
      final JsonNode byCritic =
          served.answer("/v1/completions", "{\"model\": \"critic\", " + PROMPT + "}");
      final List<JsonNode> streamed =
          served.events(
              "/v1/completions", "{\"model\": \"poet\", \"stream\": true, " + PROMPT + "}");

      assertThat(byPoet.path("model").asString()).isEqualTo("poet");
      assertThat(plain.path("model").asString()).isEqualTo(Served.MODEL);
      assertThat(List.of(text(plain), text(byPoet), text(byCritic))).doesNotHaveDuplicates();
      assertThat(streamed).allMatch(part -> part.path("model").asString().equals("poet"));
      assertThat(
              streamed.stream()
                  .map(part -> part.path("choices").path(0).path("text").asString(""))
                  .reduce("", String::concat))
          .isEqualTo(text(byPoet));
    }
  }

  private static String text(JsonNode answer) {
    return answer.path("choices").path(0).path("text").asString();
  }

  @Test
  void shouldListAdaptersBehindTheirModel() throws IOException {
    try (Served served = serve(ExecutorChoice.Backend.REFERENCE)) {
      final JsonNode models = Served.json(served.get("/v1/models").body()).path("data");
      final JsonNode one = Served.json(served.get("/v1/models/critic").body());
      final HttpResponse<String> unknown =
          served.post("/v1/completions", "{\"model\": \"editor\", " + PROMPT + "}");

      assertThat(models.size()).isEqualTo(3);
      assertThat(models.path(0).path("parent").isNull()).isTrue();
      assertThat(models.path(1).path("id").asString()).isEqualTo("poet");
      assertThat(models.path(1).path("parent").asString()).isEqualTo(Served.MODEL);
      assertThat(one).isEqualTo(models.path(2));
      assertThat(unknown.statusCode()).isEqualTo(404);
      assertThat(Served.json(unknown.body()).path("error").path("message").asString())
          .isEqualTo(
              "model must be one of '"
                  + Served.MODEL
                  + "', 'poet', 'critic', which are served here: model='editor'");
    }
  }

  @Test
  void shouldRefuseAnAdapterOfTheModelsName() {
    try (ModelSource source = ModelSource.builtIn(1, BuiltInTemplate.PLAIN)) {
      assertThatThrownBy(() -> source.served("poet", 64).withAdapters(List.of(POET)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "an adapter must have another name than the model: adapter=LoraAdapter[id=1,"
                  + " name=poet]");
    }
  }
}
