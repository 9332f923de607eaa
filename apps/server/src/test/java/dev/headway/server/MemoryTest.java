package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies that would fill the heap: one large one, many half sent, and small ones that grow. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MemoryTest {

  private static final String COMPLETIONS = "/v1/completions";
  private static final String SMALL = "{\"prompt\":\"x\",\"max_tokens\":2}";
  private static final int BODY_BYTES = 1 << 20;

  private Served served;

  @BeforeEach
  void serve() {
    final Served.Setup setup = new Served.Setup();
    setup.options =
        usual -> usual.withLimits(usual.limits().withBodies(BODY_BYTES, 4L * BODY_BYTES));
    served = setup.start(new TextExecutor("text", 200));
  }

  @AfterEach
  void close() {
    served.close();
  }

  @Test
  void shouldRefuseWhatWouldMakeAHugeTree() {
    for (String element : new String[] {"{}", "[]", "9", "{\"a\":1}"}) {
      final String body =
          "{\"prompt\":\"x\",\"more\":[" + (element + ",").repeat(100_000) + element + "]}";

      final HttpResponse<String> response = served.post(COMPLETIONS, body);

      assertThat(response.statusCode()).as(element).isEqualTo(413);
      assertThat(response.body()).contains("body_too_large", "--max-body-memory-mib");
    }
    assertHealthy();
  }

  @Test
  void shouldTakeOthersWhileHalfSentBodiesHoldAllTheyMay() throws IOException {
    final String half = "{\"prompt\":\"" + "x".repeat(BODY_BYTES - 1_000);
    final List<Raw> halves = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      halves.add(
          Raw.connect(served)
              .send(
                  "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                      + (BODY_BYTES - 100)
                      + "\r\n\r\n"
                      + half));
    }
    final String large = "{\"prompt\":\"" + "x".repeat(900_000) + "\"}";
    Watch.until("they hold it", () -> served.post(COMPLETIONS, large).statusCode() == 503);

    final HttpResponse<String> refused = served.post(COMPLETIONS, large);
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
    assertThat(refused.body()).contains("bodies_full");
    assertHealthy();

    for (Raw each : halves) {
      each.close();
    }
    Watch.until("it is free", () -> served.post(COMPLETIONS, large).statusCode() == 400);
  }

  @Test
  void shouldKeepNoBodyWhileItIsAnswered() {
    for (int i = 0; i < 20; i++) {
      assertThat(
              served
                  .post(COMPLETIONS, "{\"prompt\":[" + "1,".repeat(800) + "1],\"max_tokens\":2}")
                  .statusCode())
          .isEqualTo(200);
    }
    assertHealthy();
  }

  private void assertHealthy() {
    assertThat(served.post(COMPLETIONS, SMALL).statusCode()).isEqualTo(200);
  }
}
