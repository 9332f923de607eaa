package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.http.BodyBudget;
import dev.headway.http.RawClient;
import dev.headway.serving.TextExecutor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that send half of a large body and stop: they take memory, and not that of others. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HalfSentBodiesTest {

  private static final String COMPLETIONS = "/v1/completions";
  private static final String SMALL = "{\"prompt\":\"x\",\"max_tokens\":2}";
  private static final int BODY_BYTES = 1 << 20;
  private static final int CLIENTS = 40;

  /** All are sent before the first is late, also on a busy machine. */
  private static final Duration LATE = Duration.ofSeconds(8);

  private Served served;

  @BeforeEach
  void serve() {
    final Served.Setup setup = new Served.Setup();
    setup.options =
        usual ->
            usual
                .withLimits(usual.limits().withBodies(BODY_BYTES, 4L * BODY_BYTES))
                .withConnections(
                    usual.connections().withReadTimeouts(Duration.ofSeconds(30), LATE));
    served = setup.start(new TextExecutor("text", 200));
  }

  @AfterEach
  void close() {
    served.close();
  }

  @Test
  void shouldAnswerOthersBeforeItEndsTheStalledByTheirLimits() throws IOException {
    final String whole =
        RawClient.post(COMPLETIONS, "{\"prompt\":\"" + "x".repeat(BODY_BYTES - 100) + "\"}");
    final List<RawClient> stalled = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      stalled.add(served.raw().send(whole.substring(0, whole.length() / 2)));
    }

    for (int i = 0; i < 10; i++) {
      final long beganNs = System.nanoTime();
      assertThat(served.post(COMPLETIONS, SMALL).statusCode()).isEqualTo(200);
      assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isLessThan(LATE);
    }

    final Map<String, Integer> ends = new HashMap<>();
    for (RawClient each : stalled) {
      final String answer = each.readAll();
      assertThat(answer.startsWith("HTTP/1.1 503 "))
          .isEqualTo(answer.contains(BodyBudget.BODIES_FULL));
      ends.merge(answer.substring("HTTP/1.1 ".length()).substring(0, 3), 1, Integer::sum);
      each.close();
    }
    // an address has 2 MiB, and half a body takes up to 1 MiB while it grows
    assertThat(ends).containsOnlyKeys("408", "503");
    assertThat(ends.get("408")).isBetween(2, 4);
    assertThat(ends.get("503")).isEqualTo(CLIENTS - ends.get("408"));
    assertThat(
            served.post(COMPLETIONS, "{\"prompt\":\"" + "x".repeat(500_000) + "\"}").statusCode())
        .as("there is memory for a large body again: only its prompt is too long")
        .isEqualTo(400);
  }

  @Test
  void shouldNotWaitForABodyThatIsAnnouncedTooLong() throws IOException {
    final List<RawClient> stalled = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      stalled.add(
          served
              .raw()
              .send(
                  RawClient.post(COMPLETIONS, "")
                      .replace("Content-Length: 0", "Content-Length: " + 2 * BODY_BYTES)));
    }

    for (RawClient each : stalled) {
      assertThat(each.readUntil("body_too_large")).startsWith("HTTP/1.1 413 ");
      each.close();
    }
  }
}
