package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.executor.Executor;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.chat.BuiltInTemplate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** A client cannot tell which executor without a device it talks to. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VectorServingTest {

  private static final ExecutorChoice VECTOR =
      new ExecutorChoice(ExecutorChoice.Backend.VECTOR, 2, List.of());

  @Test
  void shouldAnswerWhatTheReferenceAnswers() {
    final String body =
        "{\"prompt\":[\"Once\",\"upon a time\",\"there\"],\"max_tokens\":40,\"temperature\":0.7,"
            + "\"seed\":5,\"top_p\":0.95,\"frequency_penalty\":0.5,\"ignore_eos\":true}";

    final JsonNode vector = choices(VECTOR, body);
    final JsonNode reference = choices(Served.REFERENCE, body);

    assertThat(vector.size()).isEqualTo(3);
    assertThat(vector.path(0).path("text").asString()).isNotEmpty();
    assertThat(vector).isEqualTo(reference);
  }

  /** LongRoPE takes its factors for the longest context that is served. */
  @Test
  void shouldRunModelsForNoLongerContextsThanAreServed() {
    for (ExecutorChoice choice : List.of(VECTOR, Served.REFERENCE)) {
      try (ModelSource source = ModelSource.builtIn(1, BuiltInTemplate.PLAIN);
          Executor executor = source.open(choice, new SystemNanoClock(), Served.sizes(512))) {
        assertThat(source.config().maxPositions()).isEqualTo(2_048);
        assertThat(executor.shape().maxModelLen()).hasValue(1_024);
      }
    }
  }

  private static JsonNode choices(ExecutorChoice choice, String body) {
    try (Served served =
        Served.of(
            ModelSource.builtIn(1, BuiltInTemplate.PLAIN)
                .open(choice, new SystemNanoClock(), Served.sizes(512)))) {
      return served.answer("/v1/completions", body).path("choices");
    }
  }
}
