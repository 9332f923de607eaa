package dev.headway.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.http.ConnectionLimits;
import dev.headway.http.RawClient;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What comes before the answer to an earlier request has ended. */
@Timeout(60)
class RequestsAheadTest {

  /** More than waits at once, less than systems keep of a connection. */
  private static final int LONG = 300_000;

  private final CountDownLatch hasCome = new CountDownLatch(1);

  /**
   * A client has an answer before the server knows that it is sent, and may ask the next at once.
   */
  @Test
  void shouldAnswerALongRequestThatComesBeforeTheServerHasEndedTheAnswerBefore()
      throws IOException {
    try (HttpListener http = open();
        RawClient client = RawClient.connect(http.address().getPort())) {
      client.send("GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n").readUntil("begun");

      client.send(RawClient.post("/", "x".repeat(LONG)));
      hasCome.countDown();

      client.readUntil("0\r\n\r\n"); // the end of the first answer
      assertThat(client.readUntil("bytes=" + LONG)).contains("200 OK");
    }
  }

  /** Far more parts than wait at once, of many requests in one write. */
  @Test
  void shouldAnswerManyShortRequestsThatComeTogetherInTheirOrder() throws IOException {
    try (HttpListener http = open();
        RawClient client = RawClient.connect(http.address().getPort())) {
      hasCome.countDown();
      final int requests = 2_000;
      final StringBuilder all = new StringBuilder();
      for (int i = 0; i < requests; i++) {
        all.append(RawClient.post("/", "x".repeat(i % 90)));
      }

      client.send(all.toString());

      for (int i = 0; i < requests; i++) {
        client.readUntil("bytes=" + i % 90 + ";");
      }
    }
  }

  private HttpListener open() throws IOException {
    return HttpListener.open(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        ConnectionLimits.DEFAULT,
        null,
        this::answer);
  }

  private void answer(ServerExchange exchange) {
    try (exchange) {
      if (!exchange.uri().getPath().equals("/held")) {
        final int bytes = exchange.body().readAllBytes().length;
        exchange.send(200, ("bytes=" + bytes + ";").getBytes(StandardCharsets.US_ASCII));
        return;
      }
      try (OutputStream out = exchange.stream(200)) {
        out.write("begun".getBytes(StandardCharsets.US_ASCII));
        out.flush();
        hasCome.await();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
