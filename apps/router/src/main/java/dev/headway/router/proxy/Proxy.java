package dev.headway.router.proxy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Listens, and gives each connection of a client to an event loop for good. Any thread. */
public final class Proxy implements AutoCloseable {

  private static final int LONGEST_LINE = 8_192;
  private static final int LONGEST_HEAD = 1 << 16;
  private static final int LONGEST_PART = 1 << 16;
  private static final int BACKLOG = 8_192;
  private static final Duration POLL = Duration.ofMillis(10);

  /** A client that takes less than comes has so much waiting before its worker is left to wait. */
  private static final WriteBufferWaterMark WAITING = new WriteBufferWaterMark(32 << 10, 64 << 10);

  private final Shared shared;
  private final EventLoopGroup loops;
  private final Channel listening;
  private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Map<EventLoop, UpstreamPool> pools = new ConcurrentHashMap<>();
  private volatile boolean isDraining;

  /**
   * Begins to listen.
   *
   * @param threads event loops, >= 1
   * @throws IOException if the address cannot be had
   */
  public Proxy(Shared shared, InetSocketAddress address, int threads) throws IOException {
    this.shared = shared;
    this.loops =
        new MultiThreadIoEventLoopGroup(
            threads, new DefaultThreadFactory("headway-route", true), NioIoHandler.newFactory());
    final ChannelFuture bound =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING)
            .childHandler(new Initializer())
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
      throw new IOException(
          "cannot listen: address=" + address + ", reason=" + bound.cause().getMessage(),
          bound.cause());
    }
    listening = bound.channel();
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listening.localAddress();
  }

  /** Whether no more requests are taken. */
  public boolean isDraining() {
    return isDraining;
  }

  /**
   * Takes no more connections and requests, and waits for those under way.
   *
   * @return whether all have ended
   * @throws InterruptedException if the thread is interrupted
   */
  public boolean drain(Duration longest) throws InterruptedException {
    isDraining = true;
    listening.close().awaitUninterruptibly();
    for (Channel each : clients) {
      final Client client = each.pipeline().get(Client.class);
      if (client != null) {
        each.eventLoop().execute(client::closeIfIdle);
      }
    }
    final long untilNs = System.nanoTime() + longest.toNanos();
    while (isBusy() && System.nanoTime() < untilNs) {
      Thread.sleep(POLL);
    }
    return !isBusy();
  }

  private boolean isBusy() {
    return shared.admission().inside() + shared.admission().waiting() > 0;
  }

  @Override
  public void close() {
    isDraining = true;
    listening.close().awaitUninterruptibly();
    clients.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    pools.forEach((loop, pool) -> loop.execute(pool::closeIdle));
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private UpstreamPool poolOf(EventLoop loop) {
    return pools.computeIfAbsent(
        loop, key -> new UpstreamPool(key, shared.options(), shared.metrics()));
  }

  private final class Initializer extends ChannelInitializer<SocketChannel> {
    @Override
    protected void initChannel(SocketChannel channel) {
      clients.add(channel);
      channel
          .pipeline()
          .addLast(new HttpServerCodec(LONGEST_LINE, LONGEST_HEAD, LONGEST_PART))
          .addLast(new WholeRequests(shared.options().maxBodyBytes()))
          .addLast(new Client(shared, poolOf(channel.eventLoop()), () -> isDraining));
    }
  }

  /** Collects requests; one that is too long is answered and its connection closed. */
  private static final class WholeRequests extends HttpObjectAggregator {
    private final int most;

    WholeRequests(int most) {
      super(most);
      this.most = most;
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized) {
      final Failure failure =
          new Failure(
              HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
              "body_too_long",
              "the body must be no longer than " + most + " bytes");
      final FullHttpResponse answer =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              failure.status(),
              ByteBufUtil.writeUtf8(context.alloc(), failure.json().toString()));
      answer
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
          .set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes())
          .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      context.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }
  }
}
