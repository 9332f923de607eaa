package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies that would fill the heap with what is made of them. */
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
