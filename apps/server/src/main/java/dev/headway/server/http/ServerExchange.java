package dev.headway.server.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A request and its answer, in the JDK's terms. Its methods are for the thread of the request,
 * which waits where the client is slow, but {@link #onGone} and what the event loop calls.
 */
public final class ServerExchange extends HttpExchange {

  /** Asked while a client does not take what was written. */
  public interface Patience {
    /**
     * Called every so often, on the request's thread.
     *
     * @param stalledNs since the client has taken a byte
     * @throws IOException if it is not worth waiting any longer
     */
    void waiting(long stalledNs) throws IOException;
  }

  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Connection connection;
  private final RequestHead head;
  private final RequestBody requestBody;
  private final Headers responseHeaders = new Headers();
  private final Map<String, Object> attributes = new HashMap<>();
  private final long writeTimeoutNs;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Patience patience = stalledNs -> {};
  private @Nullable Runnable onGone;
  private boolean isGone;
  private boolean isSent;
  private boolean keepsAlive;
  private boolean hasEnded;
  private int status = -1;
  private @Nullable AnswerBody answerBody;

  ServerExchange(
      Connection connection, RequestHead head, RequestBody requestBody, long writeTimeoutNs) {
    this.connection = connection;
    this.head = head;
    this.requestBody = requestBody;
    this.writeTimeoutNs = writeTimeoutNs;
  }

  /**
   * Runs something once when the client has gone, or at once if it has. On the event loop: it must
   * not block.
   */
  public void onGone(Runnable action) {
    final boolean already;
    lock.lock();
    try {
      already = isGone;
      onGone = action;
    } finally {
      lock.unlock();
    }
    if (already) {
      action.run();
    }
  }

  /** Whether the client has gone. Any thread. */
  public boolean isGone() {
    lock.lock();
    try {
      return isGone;
    } finally {
      lock.unlock();
    }
  }

  /** Is asked from now on while the client takes nothing. */
  public void setPatience(Patience other) {
    patience = other;
  }

  /** The connection has ended. Event loop. */
  void gone() {
    requestBody.fail(new IOException("the client has gone"));
    final @Nullable Runnable action;
    lock.lock();
    try {
      isGone = true;
      action = onGone;
      onGone = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (action != null) {
      action.run();
    }
  }

  /** There may be room to write. Event loop. */
  void writable() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  RequestBody requestBody() {
    return requestBody;
  }

  @Override
  public Headers getRequestHeaders() {
    return head.headers();
  }

  @Override
  public Headers getResponseHeaders() {
    return responseHeaders;
  }

  @Override
  public URI getRequestURI() {
    return head.uri();
  }

  @Override
  public String getRequestMethod() {
    return head.method();
  }

  @Override
  public HttpContext getHttpContext() {
    throw new UnsupportedOperationException("there are no contexts");
  }

  @Override
  public InputStream getRequestBody() {
    return requestBody;
  }

  /** The body of the answer, once its head was sent. */
  @Override
  public OutputStream getResponseBody() {
    if (answerBody == null) {
      throw new IllegalStateException("sendResponseHeaders must be called before");
    }
    return answerBody;
  }

  @Override
  public void sendResponseHeaders(int code, long length) throws IOException {
    if (status >= 0) {
      throw new IOException("headers already sent");
    }
    status = code;
    final boolean isHead = head.method().equals("HEAD");
    final boolean hasNoBody = code == 204 || code == 304;
    keepsAlive =
        head.keepsAlive()
            && requestBody.isEnded()
            && !"close".equalsIgnoreCase(responseHeaders.getFirst("Connection"))
            && (length != 0 || !head.isOld());
    final HttpResponse response =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(code));
    responseHeaders.forEach((name, values) -> response.headers().set(name, values));
    response.headers().set(HttpHeaderNames.DATE, date());
    if (!keepsAlive) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (head.isOld()) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
    if (length > 0) {
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
    } else if (length < 0 && !hasNoBody && !isHead) {
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
    } else if (length == 0 && !head.isOld() && !isHead) {
      response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
    connection.write(response);
    answerBody =
        new AnswerBody(
            this,
            length < 0 || hasNoBody ? 0 : length == 0 ? Long.MAX_VALUE : length,
            isHead || hasNoBody);
    if (length < 0) {
      answerBody.close();
    } else if (length == 0) {
      connection.flush();
    }
  }

  /** Which client it is, for accounts; of those that have gone too. */
  public InetAddress clientAddress() {
    return connection.address();
  }

  private static String date() {
    return DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
  }

  /** Sends a part of the body; returns when there is room for more. */
  void send(byte[] bytes, int length) throws IOException {
    final ByteBuf buffer = connection.buffer(length).writeBytes(bytes, 0, length);
    connection.writeAndFlush(new DefaultHttpContent(buffer));
    await(connection::isWritable);
  }

  /** Ends the answer; returns when the client's system has taken it. */
  void end() throws IOException {
    if (hasEnded) {
      return;
    }
    hasEnded = true;
    connection.end(LastHttpContent.EMPTY_LAST_CONTENT, this, keepsAlive);
    await(() -> isSent);
  }

  /** All of the answer was taken. Event loop. */
  void sent() {
    lock.lock();
    try {
      isSent = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private interface Check {
    boolean holds();
  }

  private void await(Check condition) throws IOException {
    lock.lock();
    try {
      long sinceNs = System.nanoTime();
      long untaken = connection.untakenBytes();
      while (!condition.holds()) {
        if (isGone) {
          throw new IOException("the client has gone");
        }
        final boolean _ = changed.await(LOOK_NS, TimeUnit.NANOSECONDS);
        final long nowNs = System.nanoTime();
        final long now = connection.untakenBytes();
        if (now < untaken) {
          sinceNs = nowNs;
        }
        untaken = now;
        if (condition.holds()) {
          return;
        }
        if (nowNs - sinceNs > writeTimeoutNs) {
          throw new IOException("the client took nothing for too long");
        }
        patience.waiting(nowNs - sinceNs);
      }
    } catch (IOException e) {
      connection.cut();
      throw e;
    } catch (InterruptedException e) {
      connection.cut();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the client takes an answer", e);
    } finally {
      lock.unlock();
    }
  }

  /** Ends the answer if it is whole; else the connection, as nothing else tells the client. */
  @Override
  public void close() {
    final AnswerBody body = answerBody;
    if (body == null || !body.isWhole()) {
      connection.cut();
      return;
    }
    try {
      body.close();
    } catch (IOException e) {
      connection.cut();
    }
  }

  @Override
  public @Nullable InetSocketAddress getRemoteAddress() {
    return connection.remoteAddress();
  }

  @Override
  public int getResponseCode() {
    return status;
  }

  @Override
  public InetSocketAddress getLocalAddress() {
    return connection.localAddress();
  }

  @Override
  public String getProtocol() {
    return head.isOld() ? "HTTP/1.0" : "HTTP/1.1";
  }

  @Override
  public @Nullable Object getAttribute(String name) {
    return attributes.get(name);
  }

  @Override
  public void setAttribute(String name, Object value) {
    attributes.put(name, value);
  }

  @Override
  public void setStreams(InputStream in, OutputStream out) {
    throw new UnsupportedOperationException("the streams cannot be replaced");
  }

  @Override
  public @Nullable HttpPrincipal getPrincipal() {
    return null;
  }
}
