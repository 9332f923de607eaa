package dev.headway.router.proxy;

import dev.headway.http.ApiKeys;
import dev.headway.http.BodyBudget;
import dev.headway.http.HttpFailure;
import dev.headway.http.LingeringClose;
import dev.headway.http.RequestRules;
import dev.headway.routing.timing.HostClock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
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
  private final WholeRequests requests;
  private final UpstreamPool pool;
  private final BooleanSupplier isDraining;
  private final Deque<ReceivedRequest> ahead = new ArrayDeque<>();
  private @Nullable ChannelHandlerContext context;
  private @Nullable Exchange exchange;
  private @Nullable ScheduledFuture<?> patience;
  private boolean keepsAlive;
  private boolean isOld;
  private boolean isToHead;
  private boolean isEnding;
  private boolean isEventStream;
  private boolean canEndEarly;
  private int status;

  Client(Shared shared, WholeRequests requests, UpstreamPool pool, BooleanSupplier isDraining) {
    this.shared = shared;
    this.requests = requests;
    this.pool = pool;
    this.isDraining = isDraining;
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    context = active;
    shared.metrics().client(1);
  }

  @Override
  public void channelInactive(ChannelHandlerContext inactive) {
    if (context == null) {
      return; // there was no place for it
    }
    shared.metrics().client(-1);
    endPatience();
    final Exchange current = exchange;
    exchange = null;
    if (current != null) {
      current.cancel();
    }
    ahead.forEach(ReceivedRequest::release);
    ahead.clear();
  }

  @Override
  public void channelRead(ChannelHandlerContext read, Object message) {
    if (!(message instanceof ReceivedRequest request)) {
      ReferenceCountUtil.release(message);
    } else if (exchange == null && ahead.isEmpty() && !isEnding) {
      serve(request);
    } else {
      ahead.addLast(request);
      if (ahead.size() > MOST_AHEAD) {
        open().close();
      }
    }
  }

  private void serve(ReceivedRequest received) {
    final FullHttpRequest request = received.http();
    keepsAlive = HttpUtil.isKeepAlive(request) && !isDraining.getAsBoolean();
    isOld = RequestRules.isOld(request);
    isToHead = request.method().equals(HttpMethod.HEAD);
    final FullHttpResponse local = local(request);
    if (local != null) {
      received.release();
      send(local);
      return;
    }
    final Prompt prompt;
    try {
      prompt = prompt(request);
    } catch (HttpFailure failure) {
      received.release();
      shared.metrics().refused(failure.code());
      send(
          new Failure(
                  HttpResponseStatus.valueOf(failure.status()),
                  failure.code(),
                  String.valueOf(failure.getMessage()))
              .answer(open().alloc()));
      return;
    }
    final Exchange made =
        new Exchange(shared, this, pool, open().channel().eventLoop(), received, prompt);
    exchange = made;
    made.begin();
  }

  /** Trees are made of some of it: their memory must be had before there is one. */
  private Prompt prompt(FullHttpRequest request) throws HttpFailure {
    if (!request.method().equals(HttpMethod.POST)) {
      return Prompt.NOTHING;
    }
    final byte[] body = ByteBufUtil.getBytes(request.content());
    try (BodyBudget.Claim trees = shared.arrivals().bodies().claim(requests.address())) {
      trees.add(Prompt.treeBytes(body));
      return Prompt.read(body);
    }
  }

  private @Nullable FullHttpResponse local(FullHttpRequest request) {
    if (shared.local().needsKey(request) && !hasKey(request)) {
      return new Failure(
              HttpResponseStatus.UNAUTHORIZED,
              "invalid_api_key",
              "the key must be sent as Authorization: Bearer KEY")
          .answer(open().alloc());
    }
    final FullHttpResponse local = shared.local().answer(request);
    if (local != null) {
      return local;
    }
    if (isDraining.getAsBoolean()) {
      return new Failure(
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              "draining",
              "the router is draining and takes no more requests")
          .answer(open().alloc());
    }
    return null;
  }

  private boolean hasKey(FullHttpRequest request) {
    final ApiKeys keys = shared.arrivals().rules().keys();
    return keys.isEmpty()
        || keys.keyOf(request.headers().get(HttpHeaderNames.AUTHORIZATION)) != null;
  }

  /** Whether what is answered is {@code HEAD}. */
  boolean isToHead() {
    return isToHead;
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
        isToHead
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
    final ChannelFuture written = open().writeAndFlush(last);
    isToHead = false;
    if (keepsAlive) {
      next();
    } else {
      isEnding = true;
      written.addListener(
          (ChannelFutureListener) done -> LingeringClose.begin((SocketChannel) done.channel()));
    }
  }

  /** There is no answer of a worker, or only the beginning of one. */
  void fail(Failure failure, String requestId, boolean hasHead) {
    if (!hasHead) {
      final FullHttpResponse answer = failure.answer(open().alloc());
      answer.headers().set(HeaderRules.REQUEST_ID, requestId);
      send(answer);
    } else if (isEventStream && canEndEarly) {
      final String event = "\n\ndata: " + failure.json() + "\n\n";
      open().write(new DefaultHttpContent(Unpooled.copiedBuffer(event, StandardCharsets.UTF_8)));
      end();
    } else {
      exchange = null;
      open().close(); // an answer cut short looks like one only if the connection ends
    }
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
    if (ahead.isEmpty()) {
      requests.answered();
    } else {
      open().executor().execute(this::serveNext); // not from inside the answer to the one before
    }
  }

  private void serveNext() {
    if (exchange == null && !isEnding && open().channel().isActive()) {
      final ReceivedRequest waiting = ahead.pollFirst();
      if (waiting != null) {
        serve(waiting);
      }
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext changed) {
    if (isWritable()) {
      endPatience();
      if (exchange != null) {
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

  /** It has to take what is sent to it. */
  private void beginPatience() {
    endPatience();
    patience =
        open()
            .executor()
            .schedule(
                () -> {
                  open().close();
                },
                shared.arrivals().rules().connections().writeTimeout().toNanos(),
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
