package dev.headway.loadgen.client;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.http.client.ConnectionPool;
import dev.headway.http.client.Server;
import dev.headway.http.client.ServerConnection;
import dev.headway.loadgen.client.Exchange.Status;
import dev.headway.routing.timing.HostClock;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;

/**
 * A server in OpenAI's protocol over HTTP/1.1. A connection carries one request at a time and is
 * kept for the next; a new one is made when none is free, so that requests never wait for each
 * other here. Each of a few threads has its connections to itself.
 */
public final class HttpTarget implements Target {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final long CLOSE_TIMEOUT_S = 10;
  private static final double MS_PER_SECOND = 1e3;

  private final HttpOptions options;
  private final BodyOptions bodies;
  private final RequestBody body;
  private final EventLoopGroup group;
  private final Server server;
  private final long timeoutMs;
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
    this.server = new Server(options.base().getHost(), options.port());
    this.timeoutMs =
        Math.max(1, Math.round(Math.min(options.timeoutSeconds(), 1e9) * MS_PER_SECOND));
    final ConnectionPool.Settings settings =
        new ConnectionPool.Settings(
            CONNECT_TIMEOUT, Integer.MAX_VALUE, transport(server, options), change -> {});
    group.forEach(executor -> lanes.add(new Lane((EventLoop) executor, settings)));
  }

  private static Consumer<SocketChannel> transport(Server server, HttpOptions options)
      throws SSLException {
    if (!options.isSecure()) {
      return channel -> {};
    }
    final SslContext tls = SslContextBuilder.forClient().build();
    return channel ->
        channel.pipeline().addLast(tls.newHandler(channel.alloc(), server.host(), server.port()));
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
    private final ConnectionPool connections;
    private final Set<AnswerHandler> busy = new HashSet<>();

    Lane(EventLoop loop, ConnectionPool.Settings settings) {
      this.loop = loop;
      this.connections = new ConnectionPool(loop, settings);
    }

    EventLoop loop() {
      return loop;
    }

    long timeoutMs() {
      return timeoutMs;
    }

    void begin(Call call, Exchange exchange) {
      final FullHttpRequest request;
      try {
        request = requestOf(call);
      } catch (RuntimeException e) {
        exchange.failed(Status.ERROR, HostClock.nanoTime(), String.valueOf(e.getMessage()));
        return;
      }
      final ServerConnection free = connections.takeIdle(server);
      if (free == null) {
        connect(request, exchange);
      } else {
        send(free, request, new AnswerHandler(this, exchange, ABSENT), true);
      }
    }

    /** Sends a request on a new connection; as for other clients, connecting is part of it. */
    void connect(FullHttpRequest request, Exchange exchange) {
      final AnswerHandler handler = new AnswerHandler(this, exchange, HostClock.nanoTime());
      connections.connect(
          server,
          new ConnectionPool.Taker() {
            @Override
            public void onConnected(ServerConnection connection, boolean reused) {
              send(connection, request, handler, reused);
            }

            @Override
            public void onRefused(Throwable cause) {
              request.release();
              exchange.failed(
                  Status.ERROR,
                  HostClock.nanoTime(),
                  "cannot connect to " + host + ": " + cause.getMessage());
            }
          });
    }

    private void send(
        ServerConnection connection,
        FullHttpRequest request,
        AnswerHandler handler,
        boolean reused) {
      busy.add(handler);
      handler.begin(connection, request, reused);
    }

    void finished(AnswerHandler handler) {
      busy.remove(handler);
    }

    private void abort() {
      for (AnswerHandler handler : List.copyOf(busy)) {
        handler.abort(Status.ABORTED, "ended by the client");
      }
      connections.closeIdle();
    }
  }
}
