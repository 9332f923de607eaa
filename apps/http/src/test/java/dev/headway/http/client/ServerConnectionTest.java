package dev.headway.http.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the reader of an answer is notified of, beside the answer. */
@Timeout(30)
class ServerConnectionTest {

  private static final String HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final String WHOLE = HEAD + "2\r\nhi\r\n0\r\n\r\n";

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ServerSocket listening;
  private final ConnectionPool pool;
  private final EventLoop loop = (EventLoop) group.next();
  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  ServerConnectionTest() throws IOException {
    listening = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
    pool =
        new ConnectionPool(
            loop,
            new ConnectionPool.Settings(Duration.ofSeconds(5), 8, channel -> {}, count -> {}));
  }

  @AfterEach
  void close() throws IOException {
    listening.close();
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void shouldPassOverInterimAnswers() throws Exception {
    send();
    try (Socket server = listening.accept()) {
      answer(server, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + WHOLE);

      assertThat(next()).isEqualTo("head 200");
      assertThat(next()).isEqualTo("part hi");
      assertThat(next()).isEqualTo("end");
    }
  }

  @Test
  void shouldLoseAnAnswerThatStopsBeingHttp() throws Exception {
    send();
    try (Socket server = listening.accept()) {
      answer(server, HEAD + "2\r\nhi\r\nno length\r\n");

      assertThat(next()).isEqualTo("head 200");
      assertThat(next()).isEqualTo("part hi");
      assertThat(next()).isEqualTo("lost MALFORMED stale=false");
    }
  }

  @Test
  void shouldSayThatAKeptConnectionWasClosedForWantOfUse() throws Exception {
    send();
    try (Socket server = listening.accept()) {
      answer(server, WHOLE);
      assertThat(next()).isEqualTo("head 200");
      assertThat(next()).isEqualTo("part hi");
      assertThat(next()).isEqualTo("end");

      send();
      assertThat(server.getInputStream().read()).isEqualTo('G');
    }
    assertThat(next()).endsWith("stale=true").startsWith("lost ");
  }

  private void send() {
    final Server server = new Server("127.0.0.1", listening.getLocalPort());
    loop.execute(
        () ->
            pool.take(
                server,
                new ConnectionPool.Taker() {
                  @Override
                  public void onConnected(ServerConnection connection, boolean reused) {
                    connection.begin(
                        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/"),
                        new Seen(),
                        reused);
                  }

                  @Override
                  public void onRefused(Throwable cause) {
                    seen.add("refused");
                  }
                }));
  }

  private static void answer(Socket server, String answer) throws IOException {
    final byte[] request = new byte["GET / HTTP/1.1\r\n\r\n".length()];
    assertThat(server.getInputStream().readNBytes(request, 0, request.length))
        .isEqualTo(request.length);
    server.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
  }

  private String next() throws InterruptedException {
    return seen.take();
  }

  private final class Seen implements ServerConnection.Reader {
    @Override
    public void onHead(HttpResponse head) {
      seen.add("head " + head.status().code());
    }

    @Override
    public void onPart(ByteBuf part) {
      seen.add("part " + part.toString(StandardCharsets.US_ASCII));
    }

    @Override
    public void onEnd() {
      seen.add("end");
    }

    @Override
    public void onLost(Loss loss) {
      seen.add("lost " + loss.cause() + " stale=" + loss.wasStale());
    }
  }
}
