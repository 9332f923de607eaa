package dev.headway.http.server;

import dev.headway.http.RequestRules;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.URI;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A request and its answer: one of {@link #send}, {@link #sendNothing} and {@link #stream}. Its
 * methods are for the thread of the request, which waits where the client is slow, but {@link
 * #onGone}, {@link #isGone} and what the event loop calls.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails closes the connection, which is seen
public final class ServerExchange implements AutoCloseable {

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

  private final ThreadedRequests requests;
  private final ClientConnection connection;
  private final SocketChannel channel;
  private final HttpRequest head;
  private final URI uri;
  private final RequestBody requestBody;
  private final HttpHeaders answerHeaders = new DefaultHttpHeaders();
  private final long writeTimeoutNs;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Patience patience = stalledNs -> {};
  private @Nullable Runnable onGone;
  private boolean isGone;
  private boolean isSent;
  private boolean keepsAlive;
  private boolean hasBegun;
  private boolean hasEnded;
  private @Nullable AnswerBody answerBody;

  ServerExchange(
      ThreadedRequests requests,
      ClientConnection connection,
      HttpRequest head,
      URI uri,
      RequestBody requestBody) {
    this.requests = requests;
    this.connection = connection;
    this.channel = connection.channel();
    this.head = head;
    this.uri = uri;
    this.requestBody = requestBody;
    this.writeTimeoutNs = connection.limits().writeTimeout().toNanos();
  }

  // ---- the request

  /** Its method, in capitals. */
  public String method() {
    return head.method().name();
  }

  /** What it asks for; it has a path. */
  public URI uri() {
    return uri;
  }

  /** The first value of a header, or null. */
  public @Nullable String header(String name) {
    return head.headers().get(name);
  }

  /** Its body, as it comes; slow or broken ones end with an {@link IOException}. */
  public InputStream body() {
    return requestBody;
  }

  /** Which client it is, for accounts; of those that have gone too. */
  public InetAddress clientAddress() {
    return connection.address();
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

  // ---- the answer

  /** Is asked from now on while the client takes nothing. */
  public void setPatience(Patience other) {
    patience = other;
  }

  /** Sets a header of the answer; once that has begun it is too late, and nothing happens. */
  public void setHeader(String name, String value) {
    if (!hasBegun) {
      answerHeaders.set(name, value);
    }
  }

  /**
   * Sends an answer without a body; returns when the client's system has taken it.
   *
   * @throws IOException if the client has gone
   */
  public void sendNothing(int status) throws IOException {
    requireNew();
    if (!isToHead() && !isWithoutBody(status)) {
      answerHeaders.set(HttpHeaderNames.CONTENT_LENGTH, 0);
    }
    final AnswerBody none = begin(status, true);
    answerBody = none;
    none.close();
  }

  /**
   * Sends a whole answer; returns when the client's system has taken it.
   *
   * @param body at least a byte
   * @throws IOException if the client has gone
   */
  public void send(int status, byte[] body) throws IOException {
    requireNew();
    answerHeaders.set(HttpHeaderNames.CONTENT_LENGTH, body.length);
    final AnswerBody out = begin(status, true);
    out.write(body); // while it is not whole, closing cuts it short
    answerBody = out;
    out.close();
  }

  /**
   * Begins an answer whose length is not known; its head is sent at once.
   *
   * @return its body, which is sent where it is flushed
   * @throws IOException if the client has gone
   */
  public OutputStream stream(int status) throws IOException {
    requireNew();
    if (!isToHead() && !RequestRules.isOld(head)) {
      answerHeaders.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
    final AnswerBody out = begin(status, !RequestRules.isOld(head));
    answerBody = out;
    channel.flush();
    return out;
  }

  private void requireNew() throws IOException {
    if (hasBegun) {
      throw new IOException("headers already sent");
    }
    hasBegun = true;
  }

  /** Writes the head. */
  private AnswerBody begin(int status, boolean isEndSeen) throws IOException {
    keepsAlive =
        HttpUtil.isKeepAlive(head)
            && isEndSeen
            && requestBody.isEnded()
            && !"close".equalsIgnoreCase(answerHeaders.get(HttpHeaderNames.CONNECTION));
    answerHeaders.set(HttpHeaderNames.DATE, date());
    AnswerEncoder.sayConnection(answerHeaders, keepsAlive, RequestRules.isOld(head));
    if (!channel.isActive()) {
      throw new IOException("the client has gone");
    }
    channel.write(
        new DefaultHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), answerHeaders));
    return new AnswerBody(this, isToHead() || isWithoutBody(status));
  }

  private static boolean isWithoutBody(int status) {
    return AnswerEncoder.isWithoutBody(HttpResponseStatus.valueOf(status));
  }

  private static String date() {
    return DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
  }

  /** Sends a part of the body; returns when there is room for more. */
  void send(byte[] bytes, int length) throws IOException {
    final ByteBuf buffer = channel.alloc().buffer(length).writeBytes(bytes, 0, length);
    channel.writeAndFlush(new DefaultHttpContent(buffer));
    await(channel::isWritable);
  }

  /** Ends the answer; returns when the client's system has taken it. */
  void end() throws IOException {
    if (hasEnded) {
      return;
    }
    hasEnded = true;
    channel
        .writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
        .addListener(
            written -> {
              if (written.isSuccess()) {
                requests.answered(this, keepsAlive);
              } else {
                connection.cut();
              }
            });
    await(() -> isSent);
  }

  private void await(BooleanSupplier condition) throws IOException {
    lock.lock();
    try {
      long sinceNs = System.nanoTime();
      long untaken = untakenBytes();
      while (!condition.getAsBoolean()) {
        if (isGone) {
          throw new IOException("the client has gone");
        }
        final boolean _ = changed.await(LOOK_NS, TimeUnit.NANOSECONDS);
        final long nowNs = System.nanoTime();
        final long now = untakenBytes();
        if (now < untaken) {
          sinceNs = nowNs;
        }
        untaken = now;
        if (condition.getAsBoolean()) {
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

  /** Bytes that the client's system has not taken yet. */
  private long untakenBytes() {
    final ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
    return buffer == null ? 0 : buffer.totalPendingWriteBytes();
  }

  /** Ends the answer if it is whole; else the connection, as nothing else tells the client. */
  @Override
  public void close() {
    if (answerBody == null) {
      connection.cut();
      return;
    }
    try {
      answerBody.close();
    } catch (IOException e) {
      connection.cut();
    }
  }

  // ---- event loop

  boolean isToHead() {
    return head.method().equals(HttpMethod.HEAD);
  }

  /** The connection has ended. */
  void gone() {
    requestBody.cutShort(new IOException("the client has gone"));
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

  /** There may be room to write. */
  void writable() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** All of the answer was taken. */
  void sent() {
    lock.lock();
    try {
      isSent = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
