package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.serving.TextExecutor;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Texts far longer than the context: refused before work is done for them, and for that reason. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LongTextsTest {

  private final Served served = Served.of(new TextExecutor("text", 200));

  @AfterEach
  void close() {
    served.close();
  }

  @Test
  void shouldRefuseMessagesBeforeTheTemplateRuns() {
    final int most = 1_024 * 64; // with the roles
    final String half = "x".repeat(most / 2);

    final JsonNode error = error("/v1/chat/completions", messages(half, half));

    assertThat(error.path("param").asString()).isEqualTo("messages");
    assertThat(error.path("message").asString())
        .isEqualTo(
            "messages must be short enough for max_model_len: characters=65544, most=65536,"
                + " max_model_len=1024");
    assertThat(error("/v1/chat/completions", messages("x".repeat(most - 8), "")).path("param"))
        .as("what may fit is for the tokenizer to say")
        .hasToString("\"prompt\"");
  }

  @Test
  void shouldBoundAStringByTheBodyOnly() {
    final JsonNode error = error("/v1/completions", "{\"prompt\":\"" + "x".repeat(5 << 20) + "\"}");

    assertThat(error.path("param").asString()).isEqualTo("prompt");
    assertThat(error.path("message").asString()).contains("characters=5242880");
  }

  private static String messages(String first, String second) {
    final String message = "{\"role\":\"user\",\"content\":\"%s\"}";
    return "{\"messages\":[" + message.formatted(first) + "," + message.formatted(second) + "]}";
  }

  private JsonNode error(String path, String body) {
    final HttpResponse<String> response = served.post(path, body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
    return Served.json(response.body()).path("error");
  }
}
