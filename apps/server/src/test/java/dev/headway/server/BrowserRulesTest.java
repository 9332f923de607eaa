package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.http.RawClient;
import dev.headway.serving.TextExecutor;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a page in a browser may make the browser send to this machine. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BrowserRulesTest {

  private Served served;

  @AfterEach
  void close() {
    served.close();
  }

  @ParameterizedTest
  @CsvSource({
    "localhost:8000,200",
    "LOCALHOST,200",
    "app.localhost:1,200",
    "127.0.0.1:8000,200",
    "[::1]:8000,200",
    "models.example.org:443,200",
    "evil.example,403",
    "localhost.evil.example,403",
    "evil.example:8000,403",
    "127.0.0.1.evil.example,403"
  })
  void shouldAnswerUnderNamesOfItsOwnOnly(String host, int status) throws IOException {
    final Served.Setup setup = new Served.Setup();
    setup.options =
        usual -> usual.withAccess(usual.access().withHosts(List.of("Models.example.org")));
    served = setup.start(new TextExecutor("text", 200));

    for (String path : new String[] {"/health", "/v1/models"}) {
      try (RawClient raw = served.raw()) {
        raw.send("GET " + path + " HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n");
        assertThat(raw.readAll()).as(path).startsWith("HTTP/1.1 " + status + " ");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Content-Type: text/plain | 415",
        "Content-Type: application/x-www-form-urlencoded | 415",
        "Content-Type: multipart/form-data | 415",
        "Content-Type: text/plain; application/json | 415",
        "Origin: https://evil.example | 415",
        "Content-Type: application/json | 200",
        "Content-Type: Application/JSON; charset=utf-8 | 200",
        "X-Nothing: 1 | 200"
      })
  void shouldTakeNoBodyThatNeedsNoPreflight(String header, int status) throws IOException {
    served = new Served.Setup().start(new TextExecutor("text", 200));
    final String body = "{\"prompt\":\"x\",\"max_tokens\":2}";

    for (String path : new String[] {"/v1/completions", "/abort_request"}) {
      try (RawClient raw = served.raw()) {
        raw.send(
            RawClient.post(path, path.equals("/abort_request") ? "{\"rid\":\"a\"}" : body)
                .replace("Content-Type: application/json", header)
                .replace("Host:", "Connection: close\r\nHost:"));
        assertThat(raw.readAll()).as(path).startsWith("HTTP/1.1 " + status + " ");
      }
    }
  }
}
