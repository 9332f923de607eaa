package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headway.http.RawClient;
import dev.headway.serving.TextExecutor;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
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
  private static final int MILLIONS = 4_100_000;

  private Served served;

  @BeforeEach
  void serve() {
    serve(BODY_BYTES, 4L * BODY_BYTES);
  }

  private void serve(int bodyBytes, long memoryBytes) {
    final Served.Setup setup = new Served.Setup();
    setup.options = usual -> usual.withLimits(usual.limits().withBodies(bodyBytes, memoryBytes));
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

  /**
   * Of 8 MB, as a server of 512 MiB takes them. A body is there four times while it is read: as it
   * came, in arrays that double, and whole. The tree would be six times as much again.
   */
  @Test
  void shouldRefuseMillionsOfStopTokensBeforeThereIsATree() throws IOException {
    served.close();
    serve(8 << 20, 64L << 20);
    final byte[] body = millionsOfStopTokens();

    final long allocated = allocatedWhile(body, " 413 ", "body_too_large", "send fewer values");

    assertThat(allocated).as("bytes").isLessThan(6L * body.length);
    assertHealthy();
  }

  /**
   * With memory for the tree: no more than is paid for. Copied for each choice they were 2.1 GB.
   */
  @Test
  void shouldRefuseMillionsOfStopTokensBeforeTheyAreCopied() throws IOException {
    served.close();
    serve(8 << 20, 1L << 30);
    final byte[] body = millionsOfStopTokens();

    final long allocated = allocatedWhile(body, " 400 ", "\"param\":\"stop_token_ids\"", "256");

    assertThat(allocated).as("bytes").isLessThan(6L * body.length + 64L * MILLIONS);
    assertHealthy();
  }

  private static byte[] millionsOfStopTokens() {
    final StringBuilder body =
        new StringBuilder("{\"prompt\":\"x\",\"n\":128,\"stop_token_ids\":[");
    for (int i = 0; i <= 256; i++) {
      body.append(i).append(',');
    }
    body.append("1,".repeat(MILLIONS)).append("1]}");
    return RawClient.post(COMPLETIONS, body.toString()).getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Bytes that all threads allocate until an answer with these texts has come. */
  private long allocatedWhile(byte[] request, String... texts) throws IOException {
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (RawClient client = served.raw()) {
      final long before = threads.getTotalThreadAllocatedBytes();
      final String answer = client.send(request).readUntil("}}");
      final long after = threads.getTotalThreadAllocatedBytes();
      assertThat(answer).startsWith("HTTP/1.1").contains(texts);
      return after - before;
    }
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
