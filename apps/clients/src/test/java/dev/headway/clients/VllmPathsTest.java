package dev.headway.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Paths that are vLLM's and SGLang's, which no client of OpenAI's protocol asks. */
@ParameterizedClass
@EnumSource
@ExtendWith(Servers.Started.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VllmPathsTest {

  @Parameter Way way;

  private final HttpClient http = HttpClient.newHttpClient();
  private URI server;

  @BeforeEach
  void connect(Servers started) {
    server = URI.create(started.models(way));
  }

  @AfterEach
  void disconnect() {
    http.close();
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    final HttpResponse<String> answer = send(HttpRequest.newBuilder(server.resolve(path)));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(answer.body());
  }

  private JsonNode post(String path, String body) throws IOException, InterruptedException {
    final HttpResponse<String> answer =
        send(
            HttpRequest.newBuilder(server.resolve(path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(answer.body());
  }

  @Test
  void shouldMakeTokensOfATextAndTheTextOfTheTokens() throws Exception {
    final JsonNode tokens =
        post("/tokenize", "{\"prompt\":\"Once upon a time\",\"add_special_tokens\":false}");
    final JsonNode text = post("/detokenize", "{\"tokens\":" + tokens.path("tokens") + "}");

    assertThat(tokens.path("count").asInt()).isEqualTo(tokens.path("tokens").size()).isPositive();
    assertThat(text.path("prompt").asString().strip()).isEqualTo("Once upon a time");
  }

  @Test
  void shouldSayWhatItIsAndHowItIs() throws Exception {
    assertThat(get("/version").path("version").asString()).isNotEmpty();
    assertThat(get("/load").path("server_load").isIntegralNumber()).isTrue();
    assertThat(get("/ping").path("status").asString()).isEqualTo("ok");
  }

  @Test
  void shouldGenerateAsSglang() throws Exception {
    final String prompt =
        "Once upon a time, there was a little girl named Lily. She liked to play.";
    final String body =
        "{\"text\":\""
            + prompt
            + "\",\"cache_salt\":\"VllmPathsTest\","
            + "\"sampling_params\":{\"max_new_tokens\":4,\"temperature\":0}}";

    final JsonNode first = post("/generate", body);
    final JsonNode ids = post("/tokenize", "{\"prompt\":\"" + prompt + "\"}").path("tokens");

    final JsonNode meta = first.path("meta_info");
    assertThat(first.path("text").asString()).isNotEmpty();
    assertThat(meta.path("finish_reason").path("type").asString()).isEqualTo("length");
    assertThat(meta.path("prompt_tokens").asInt()).isEqualTo(ids.size());
    assertThat(meta.path("completion_tokens").asInt()).isEqualTo(4);
    final JsonNode same =
        post("/generate", body.replace("\"text\":\"" + prompt + "\"", "\"input_ids\":" + ids));
    assertThat(same.path("text")).isEqualTo(first.path("text"));
    int cached = 0;
    for (int i = 0; i < 2; i++) { // behind a router the other server may be asked, once
      cached = post("/generate", body).path("meta_info").path("cached_tokens").asInt();
    }
    assertThat(cached).isPositive();
  }
}
