package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.http.RawClient;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.chat.HeldTemplate;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Chats while the chat template is at work for others, as long as it may. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BusyTemplateTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final String HELLO =
      "{\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}],\"max_tokens\":2}";

  private final HeldTemplate template = new HeldTemplate();
  private Served served;

  @AfterEach
  void close() {
    template.letGo();
    served.close();
  }

  @Test
  void shouldRefuseAChatWhileAllWorkersAreAtWorkAndAnswerItOnceTheyAreFree() throws IOException {
    final Served.Setup setup = new Served.Setup();
    setup.chatTemplate = template;
    served = setup.start(new TextExecutor("text", 200));
    final List<RawClient> slow = new ArrayList<>();
    for (int i = 0; i < template.workers(); i++) {
      slow.add(served.raw().send(RawClient.post(CHAT, HELLO)));
    }
    template.awaitAllAtWork();

    final HttpResponse<String> refused = served.post(CHAT, HELLO);
    final JsonNode completion =
        served.answer("/v1/completions", "{\"prompt\":\"x\",\"max_tokens\":2}");
    template.letGo();
    for (RawClient each : slow) {
      assertThat(each.readUntil("\"te\"")).startsWith("HTTP/1.1 200 ");
      each.close();
    }
    final JsonNode answered = served.answer(CHAT, HELLO);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    final JsonNode error = Served.json(refused.body()).path("error");
    assertThat(error.path("type").asString()).isEqualTo("server_error");
    assertThat(error.path("code").asString()).isEqualTo("chat_template_busy");
    assertThat(error.path("message").asString())
        .isEqualTo(
            "the chat template must be free within 1 ms, and is being run for other requests");
    assertThat(completion.path("choices").path(0).path("text").asString())
        .as("what needs no template")
        .isEqualTo("te");
    assertThat(answered.path("choices").path(0).path("message").path("content").asString())
        .isEqualTo("te");
  }
}
