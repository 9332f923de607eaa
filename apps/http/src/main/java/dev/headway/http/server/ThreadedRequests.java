package dev.headway.http.server;

import dev.headway.http.HttpFailure;
import dev.headway.http.RequestRules;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Gives each request of a connection to a thread of its own, which reads the body as it comes. What
 * comes before the answer to an earlier request waits. Event loop of the connection only.
 */
final class ThreadedRequests implements RequestReceiver {

  private final ClientConnection connection;
  private final HttpListener.Handler handler;
  private final ExecutorService threads;
  private @Nullable ServerExchange exchange;
  private boolean hasStarted;

  ThreadedRequests(
      ClientConnection connection, HttpListener.Handler handler, ExecutorService threads) {
    this.connection = connection;
    this.handler = handler;
    this.threads = threads;
  }

  @Override
  public void gone() {
    final ServerExchange current = exchange;
    exchange = null;
    if (current != null) {
      current.gone();
    }
  }

  @Override
  public boolean receivesAhead() {
    return false;
  }

  @Override
  public Body begin(HttpRequest head) throws HttpFailure {
    final RequestBody body =
        new RequestBody(
            connection::readBody,
            RequestRules.expectsContinue(head) ? connection::sendContinue : () -> {},
            connection.limits().bodyTimeout(),
            connection.limits().headTimeout());
    exchange = new ServerExchange(this, connection, head, uri(head.uri()), body);
    hasStarted = false;
    return body;
  }

  private static URI uri(String written) throws HttpFailure {
    try {
      final URI uri = new URI(written);
      if (uri.getPath() != null) {
        return uri;
      }
    } catch (URISyntaxException e) {
      throw noPath();
    }
    throw noPath();
  }

  private static HttpFailure noPath() {
    return new HttpFailure(400, "bad_request", "the request must name a path");
  }

  /** Only once what came with the head was taken: without a body the request is whole then. */
  @Override
  public void received() {
    final ServerExchange made = exchange;
    if (made == null || hasStarted) {
      return;
    }
    hasStarted = true;
    try {
      threads.execute(() -> handler.handle(made));
    } catch (RejectedExecutionException e) {
      connection.cut(); // the server ends
    }
  }

  /** An answer was taken by the client's system. */
  void answered(ServerExchange ended, boolean keepsAlive) {
    ended.sent();
    if (ended.equals(exchange)) {
      exchange = null;
      connection.answered(keepsAlive);
    }
  }

  @Override
  public FullHttpResponse refusal(HttpFailure failure) {
    final byte[] body =
        ("{\"error\":{\"message\":\""
                + failure.getMessage()
                + "\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\""
                + failure.code()
                + "\"}}")
            .getBytes(StandardCharsets.UTF_8);
    final FullHttpResponse answer =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(failure.status()),
            Unpooled.wrappedBuffer(body));
    answer.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json; charset=utf-8");
    answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length);
    return answer;
  }

  @Override
  public void writabilityChanged() {
    if (exchange != null) {
      exchange.writable();
    }
  }

  @Override
  public boolean isToHead() {
    return exchange != null && exchange.isToHead();
  }
}
