package dev.headway.router.proxy;

import dev.headway.routing.timing.HostClock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection. Requests that come before the answer to an earlier one wait for it. Its
 * event loop only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails closes the connection, which is seen
final class Client extends ChannelInboundHandlerAdapter {

  /** What is counted for a client that went away. */
  static final int GONE = 499;

  private static final int MOST_AHEAD = 16;
  private static final String EVENT_STREAM = "text/event-stream";

  private final Shared shared;
  private final UpstreamPool pool;
  private final BooleanSupplier isDraining;
  private final Deque<FullHttpRequest> ahead = new ArrayDeque<>();
  private @Nullable ChannelHandlerContext context;
  private @Nullable Exchange exchange;
  private @Nullable ScheduledFuture<?> patience;
  private boolean keepsAlive;
  private boolean isOld;
  private boolean isHead;
  private boolean isEventStream;
  private boolean canEndEarly;
  private int status;

  Client(Shared shared, UpstreamPool pool, BooleanSupplier isDraining) {
    this.shared = shared;
    this.pool = pool;
    this.isDraining = isDraining;
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    context = active;
    shared.metrics().client(1);
    beginPatience();
  }

  @Override
  public void channelInactive(ChannelHandlerContext inactive) {
    shared.metrics().client(-1);
    endPatience();
    final Exchange current = exchange;
    exchange = null;
    if (current != null) {
      current.cancel();
    }
    ahead.forEach(ReferenceCountUtil::release);
    ahead.clear();
  }

  @Override
  public void channelRead(ChannelHandlerContext read, Object message) {
    if (!(message instanceof FullHttpRequest request)) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (request.decoderResult().isFailure()) {
      request.release();
      keepsAlive = false;
      final String why = String.valueOf(request.decoderResult().cause().getMessage());
      send(answer(new Failure(HttpResponseStatus.BAD_REQUEST, "bad_request", why), null));
    } else if (exchange == null) {
      serve(request);
    } else if (ahead.size() < MOST_AHEAD) {
      ahead.addLast(request);
    } else {
      request.release();
      open().close();
    }
  }

  private void serve(FullHttpRequest request) {
    endPatience();
    keepsAlive = HttpUtil.isKeepAlive(request) && !isDraining.getAsBoolean();
    isOld = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
    isHead = request.method().equals(HttpMethod.HEAD);
    final FullHttpResponse local = local(request);
    if (local != null) {
      request.release();
      send(local);
      return;
    }
    final Exchange made = new Exchange(shared, this, pool, open().channel().eventLoop(), request);
    exchange = made;
    made.begin();
  }

  private @Nullable FullHttpResponse local(FullHttpRequest request) {
    final FullHttpResponse local = shared.local().answer(request);
    if (local != null) {
      return local;
    }
    final String key = shared.options().apiKey();
    if (key != null
        && !("Bearer " + key).equals(request.headers().get(HttpHeaderNames.AUTHORIZATION))) {
      return answer(
          new Failure(
              HttpResponseStatus.UNAUTHORIZED,
              "invalid_api_key",
              "the key must be sent as Authorization: Bearer KEY"),
          null);
    }
    if (isDraining.getAsBoolean()) {
      return answer(
          new Failure(
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              "draining",
              "the router is draining and takes no more requests"),
          null);
    }
    return null;
  }

  /** Status that was sent to the client last. */
  int status() {
    return status;
  }

  boolean isWritable() {
    return open().channel().isWritable();
  }

  /** Begins an answer. */
  void head(HttpResponse head) {
    status = head.status().code();
    isEventStream =
        head.headers()
            .get(HttpHeaderNames.CONTENT_TYPE, "")
            .regionMatches(true, 0, EVENT_STREAM, 0, EVENT_STREAM.length());
    final HttpResponse mine =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, head.status(), head.headers().copy());
    final boolean hasLength = mine.headers().contains(HttpHeaderNames.CONTENT_LENGTH);
    final boolean hasNoBody =
        isHead
            || head.status().equals(HttpResponseStatus.NO_CONTENT)
            || head.status().equals(HttpResponseStatus.NOT_MODIFIED);
    canEndEarly = !hasLength && !isOld;
    if (!hasLength && !hasNoBody) {
      if (isOld) {
        keepsAlive = false;
      } else {
        mine.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
      }
    }
    sayConnection(mine);
    open().write(mine);
  }

  /** Passes a part on, which this owns. */
  void part(ByteBuf part) {
    open().write(new DefaultHttpContent(part));
  }

  void flush() {
    open().flush();
    if (!isWritable() && patience == null) {
      beginPatience();
    }
  }

  /** The answer is whole. */
  void end() {
    end(LastHttpContent.EMPTY_LAST_CONTENT);
  }

  private void end(Object last) {
    exchange = null;
    final var written = open().writeAndFlush(last);
    if (keepsAlive) {
      next();
    } else {
      written.addListener(ChannelFutureListener.CLOSE);
    }
  }

  /** There is no answer of a worker, or only the beginning of one. */
  void fail(Failure failure, String requestId, boolean hasHead) {
    if (!hasHead) {
      send(answer(failure, requestId));
    } else if (isEventStream && canEndEarly) {
      final String event = "\n\ndata: " + failure.json() + "\n\n";
      open().write(new DefaultHttpContent(Unpooled.copiedBuffer(event, StandardCharsets.UTF_8)));
      end();
    } else {
      exchange = null;
      open().close(); // an answer cut short looks like one only if the connection ends
    }
  }

  private FullHttpResponse answer(Failure failure, @Nullable String requestId) {
    final FullHttpResponse answer =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            failure.status(),
            ByteBufUtil.writeUtf8(open().alloc(), failure.json().toString()));
    answer.headers().set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON);
    if (failure.isPassing()) {
      answer.headers().set(HttpHeaderNames.RETRY_AFTER, 1);
    }
    if (requestId != null) {
      answer.headers().set(HeaderRules.REQUEST_ID, requestId);
    }
    return answer;
  }

  private void send(FullHttpResponse answer) {
    status = answer.status().code();
    answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes());
    sayConnection(answer);
    end(answer);
  }

  private void sayConnection(HttpResponse answer) {
    if (!keepsAlive) {
      answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (isOld) {
      answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
  }

  private void next() {
    final FullHttpRequest waiting = ahead.pollFirst();
    if (waiting == null) {
      beginPatience();
    } else {
      open().executor().execute(() -> serveLater(waiting));
    }
  }

  private void serveLater(FullHttpRequest request) {
    if (exchange != null) {
      ahead.addFirst(request);
    } else if (open().channel().isActive()) {
      serve(request);
    } else {
      request.release();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext changed) {
    if (isWritable()) {
      if (exchange != null) {
        endPatience();
        exchange.onWritable();
      }
    } else if (patience == null) {
      beginPatience();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
    caught.close();
  }

  /** It has to send a request, or to take what is sent to it. */
  private void beginPatience() {
    endPatience();
    patience =
        open()
            .executor()
            .schedule(
                () -> {
                  open().close();
                },
                shared.options().clientTimeout().toNanos(),
                TimeUnit.NANOSECONDS);
  }

  private void endPatience() {
    if (patience != null) {
      patience.cancel(false);
      patience = null;
    }
  }

  /** Ends the connection if it serves nothing. */
  void closeIfIdle() {
    if (exchange == null) {
      open().close();
    } else {
      keepsAlive = false;
    }
  }

  private ChannelHandlerContext open() {
    if (context == null) {
      throw new IllegalStateException("a client must be connected: nowNs=" + HostClock.nanoTime());
    }
    return context;
  }
}
