package dev.headway.http.server;

import dev.headway.http.Cors;
import dev.headway.http.RequestRules;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes the answers of a connection, one after the other, without blocking. A client that takes
 * nothing for too long is cut off. Event loop of the connection only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails closes the connection, which is seen
public final class AnswerWriter {

  private final WholeRequests requests;
  private final ClientConnection connection;
  private final SocketChannel channel;
  private final Cors cors;
  private final long writeTimeoutNs;
  private @Nullable ScheduledFuture<?> patience;
  private HttpHeaders asked = EmptyHttpHeaders.INSTANCE;
  private boolean keepsAlive;
  private boolean isOld;
  private boolean isToHead;
  private boolean canEndEarly;
  private int status;

  AnswerWriter(WholeRequests requests, ClientConnection connection, Cors cors) {
    this.requests = requests;
    this.connection = connection;
    this.cors = cors;
    this.channel = connection.channel();
    this.writeTimeoutNs = connection.limits().writeTimeout().toNanos();
  }

  /** What follows is the answer to this request. */
  void answerTo(HttpRequest request) {
    asked = request.headers();
    keepsAlive = HttpUtil.isKeepAlive(request);
    isOld = RequestRules.isOld(request);
    isToHead = request.method().equals(HttpMethod.HEAD);
  }

  /** Where the client is. */
  public InetAddress address() {
    return connection.address();
  }

  /** The event loop of the connection. */
  public EventLoop loop() {
    return channel.eventLoop();
  }

  /** Memory for what is written. */
  public ByteBufAllocator buffers() {
    return channel.alloc();
  }

  /** The connection ends with the answer. */
  public void endConnection() {
    keepsAlive = false;
  }

  boolean isToHead() {
    return isToHead;
  }

  /** Status that was sent last. */
  public int status() {
    return status;
  }

  /** Whether the client takes what it is sent. */
  public boolean isWritable() {
    return channel.isWritable();
  }

  /** Begins an answer. */
  public void head(HttpResponse head) {
    status = head.status().code();
    final HttpResponse mine =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, head.status(), head.headers().copy());
    final boolean hasLength = mine.headers().contains(HttpHeaderNames.CONTENT_LENGTH);
    canEndEarly = !hasLength && !isOld;
    if (!hasLength && !isToHead && !AnswerEncoder.isWithoutBody(head.status())) {
      if (isOld) {
        keepsAlive = false;
      } else {
        mine.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
      }
    }
    cors.mark(asked::get, mine.headers()::set);
    AnswerEncoder.sayConnection(mine.headers(), keepsAlive, isOld);
    channel.write(mine);
  }

  /** Whether the answer that has begun may end anywhere: its client sees that it is over. */
  public boolean canEndEarly() {
    return canEndEarly;
  }

  /** Passes a part on, which this owns. */
  public void part(ByteBuf part) {
    channel.write(new DefaultHttpContent(part));
  }

  /** Sends what was written. */
  public void flush() {
    channel.flush();
    if (!isWritable() && patience == null) {
      beginPatience();
    }
  }

  /** The answer is whole. */
  public void end() {
    end(LastHttpContent.EMPTY_LAST_CONTENT);
  }

  /** Sends a whole answer. */
  public void send(FullHttpResponse answer) {
    status = answer.status().code();
    answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes());
    cors.mark(asked::get, answer.headers()::set);
    AnswerEncoder.sayConnection(answer.headers(), keepsAlive, isOld);
    end(answer);
  }

  private void end(Object last) {
    final ChannelFuture written = channel.writeAndFlush(last);
    isToHead = false;
    requests.answered(written, keepsAlive);
  }

  /** Ends the connection: an answer that is cut short looks like one only so. */
  public void cut() {
    connection.cut();
  }

  void writabilityChanged() {
    if (isWritable()) {
      endPatience();
    } else if (patience == null) {
      beginPatience();
    }
  }

  private void beginPatience() {
    patience = loop().schedule(this::cut, writeTimeoutNs, TimeUnit.NANOSECONDS);
  }

  void endPatience() {
    if (patience != null) {
      patience.cancel(false);
      patience = null;
    }
  }
}
