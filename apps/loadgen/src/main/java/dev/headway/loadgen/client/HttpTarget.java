package dev.headway.loadgen.client;

import dev.headway.loadgen.client.Exchange.Status;
import dev.headway.routing.timing.HostClock;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A server in OpenAI's protocol over HTTP/1.1. A connection carries one request at a time and is
 * kept for the next; a new one is made when none is free, so that requests never wait for each
 * other here. Each of a few threads has its connections to itself.
 */
public final class HttpTarget implements Target {

  private static final int CONNECT_TIMEOUT_MS = 10_000;
  private static final long CLOSE_TIMEOUT_S = 10;
  private static final int LONGEST_HEAD = 1 << 16;
  private static final int LONGEST_PART = 1 << 16;

  private final HttpOptions options;
  private final BodyOptions bodies;
  private final RequestBody body;
  private final EventLoopGroup group;
  private final Bootstrap bootstrap;
  private final List<Lane> lanes = new ArrayList<>();
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final String host;
  private final SideRequests side;

  /**
   * Starts the threads; connects when there is a request.
   *
   * @throws IOException if TLS is asked for and cannot be had
   */
  public HttpTarget(HttpOptions options, BodyOptions bodies) throws IOException {
    this.options = options;
    this.bodies = bodies;
    this.body = new RequestBody(bodies);
    this.side = new SideRequests(options);
    this.host = options.base().getHost() + ":" + options.port();
    this.group =
        new MultiThreadIoEventLoopGroup(
            options.threads(),
            new DefaultThreadFactory("headway-bench", true),
            NioIoHandler.newFactory());
    final SslContext tls = options.isSecure() ? tls() : null;
    this.bootstrap =
        new Bootstrap()
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
            .handler(new Initializer(tls))
            .remoteAddress(options.base().getHost(), options.port());
    group.forEach(executor -> lanes.add(new Lane((EventLoop) executor)));
  }

  private static SslContext tls() throws SSLException {
    return SslContextBuilder.forClient().build();
  }

  @Override
  public String name() {
    return options.base() + bodies.endpoint().path();
  }

  @Override
  public void send(Call call, Exchange exchange) {
    final Lane lane = lanes.get(Math.floorMod(next.getAndIncrement(), lanes.size()));
    try {
      lane.loop.execute(() -> lane.begin(call, exchange));
    } catch (RejectedExecutionException e) {
      exchange.failed(Status.ABORTED, HostClock.nanoTime(), "the client is closed");
    }
  }

  @Override
  public boolean resetCache() {
    return side.post("/reset_prefix_cache") || side.post("/flush_cache");
  }

  @Override
  public Map<String, Double> counters() {
    final String page = side.get("/metrics");
    return page == null ? Map.of() : CounterPage.read(page);
  }

  @Override
  public void abort() {
    for (Lane lane : lanes) {
      lane.loop.submit(lane::abort).awaitUninterruptibly(CLOSE_TIMEOUT_S, TimeUnit.SECONDS);
    }
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    abort();
    side.close();
    group.shutdownGracefully(0, CLOSE_TIMEOUT_S, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private FullHttpRequest requestOf(Call call) {
    final FullHttpRequest request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1,
            HttpMethod.POST,
            options.pathOf(bodies.endpoint().path()),
            Unpooled.wrappedBuffer(body.of(call)));
    final HttpHeaders headers = request.headers();
    headers.set(HttpHeaderNames.HOST, host);
    headers.set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    headers.set(HttpHeaderNames.ACCEPT, bodies.stream() ? "text/event-stream" : "application/json");
    headers.set(HttpHeaderNames.CONTENT_LENGTH, request.content().readableBytes());
    headers.set("x-request-id", call.id());
    if (call.tenant() != null) {
      headers.set("x-tenant", call.tenant());
    }
    if (options.apiKey() != null) {
      headers.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + options.apiKey());
    }
    options.headers().forEach(headers::set);
    return request;
  }

  /** A thread and its connections; everything in it runs on that thread. */
  final class Lane {
    private final EventLoop loop;
    private final Deque<AnswerHandler> idle = new ArrayDeque<>();
    private final Set<AnswerHandler> busy = new HashSet<>();

    Lane(EventLoop loop) {
      this.loop = loop;
    }

    void begin(Call call, Exchange exchange) {
      final FullHttpRequest request;
      try {
        request = requestOf(call);
      } catch (RuntimeException e) {
        exchange.failed(Status.ERROR, HostClock.nanoTime(), String.valueOf(e.getMessage()));
        return;
      }
      final AnswerHandler free = idle.pollLast();
      if (free == null) {
        connect(request, exchange);
      } else {
        write(free, request, exchange, true);
      }
    }

    private void connect(FullHttpRequest request, Exchange exchange) {
      final long connectedFromNs = HostClock.nanoTime();
      bootstrap
          .clone(loop)
          .connect()
          .addListener(
              (ChannelFuture connected) -> {
                if (connected.isSuccess()) {
                  final AnswerHandler handler = handlerOf(connected.channel());
                  handler.lane = this;
                  write(handler, request, exchange, false);
                  exchange.sent(connectedFromNs); // as other clients: connecting is part of it
                } else {
                  request.release();
                  exchange.failed(
                      Status.ERROR,
                      HostClock.nanoTime(),
                      "cannot connect to " + host + ": " + connected.cause().getMessage());
                }
              });
    }

    private void write(
        AnswerHandler handler, FullHttpRequest request, Exchange exchange, boolean reused) {
      busy.add(handler);
      handler.begin(exchange, reused ? request.retainedDuplicate() : null, request);
    }

    /** A kept connection that the server closed before a byte came: another one, once. */
    void again(FullHttpRequest request, Exchange exchange) {
      connect(request, exchange);
    }

    void finished(AnswerHandler handler, boolean isReusable) {
      busy.remove(handler);
      if (isReusable && !closed.get()) {
        idle.addLast(handler);
      }
    }

    void gone(AnswerHandler handler) {
      idle.remove(handler);
    }

    private void abort() {
      for (AnswerHandler handler : List.copyOf(busy)) {
        handler.abort(Status.ABORTED, "ended by the client");
      }
      List.copyOf(idle).forEach(AnswerHandler::closeConnection);
    }
  }

  private static AnswerHandler handlerOf(Channel channel) {
    final AnswerHandler handler = channel.pipeline().get(AnswerHandler.class);
    if (handler == null) {
      throw new IllegalStateException("a connection must have its handler: channel=" + channel);
    }
    return handler;
  }

  private final class Initializer extends ChannelInitializer<SocketChannel> {
    private final @Nullable SslContext tls;

    Initializer(@Nullable SslContext tls) {
      this.tls = tls;
    }

    @Override
    protected void initChannel(SocketChannel channel) {
      if (tls != null) {
        channel
            .pipeline()
            .addLast(tls.newHandler(channel.alloc(), options.base().getHost(), options.port()));
      }
      channel
          .pipeline()
          .addLast(new HttpClientCodec(4_096, LONGEST_HEAD, LONGEST_PART))
          .addLast(new AnswerHandler(options.timeoutSeconds()));
    }
  }
}
