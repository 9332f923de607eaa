package dev.headway.server.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Listens, and calls a handler for each request, on a virtual thread of its own. Any thread. */
public final class HttpListener implements AutoCloseable {

  /** Answers requests. */
  public interface Handler {
    /** Answers a request and closes the exchange. */
    void handle(ServerExchange exchange);
  }

  /** What all connections have in common. */
  record Shared(
      Handler handler, ConnectionLimits limits, ConnectionTable table, ExecutorService threads) {}

  private static final int MAX_LOOPS = 4;
  private static final int PROCESSORS_PER_LOOP = 4; // most work is on the requests' threads

  /** Connections that may wait to be taken. */
  private static final int BACKLOG = 1_024;

  /** A client that takes less than comes has so much waiting before its request has to wait. */
  private static final WriteBufferWaterMark WAITING = new WriteBufferWaterMark(16 << 10, 32 << 10);

  private final Shared shared;
  private final EventLoopGroup loops;
  private final Channel listening;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  private HttpListener(Shared shared, InetSocketAddress address) throws IOException {
    this.shared = shared;
    this.loops =
        new MultiThreadIoEventLoopGroup(
            Math.clamp(
                Runtime.getRuntime().availableProcessors() / PROCESSORS_PER_LOOP, 1, MAX_LOOPS),
            new DefaultThreadFactory("headway-http", true),
            NioIoHandler.newFactory());
    final ChannelFuture bound =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING)
            .childHandler(new Pipelines())
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      end();
      throw new IOException(
          "the address must be free: address=" + address + ": " + bound.cause().getMessage(),
          bound.cause());
    }
    this.listening = bound.channel();
  }

  /**
   * Listens.
   *
   * @throws IOException if the address is taken
   */
  public static HttpListener open(
      InetSocketAddress address, ConnectionLimits limits, Handler handler) throws IOException {
    return new HttpListener(
        new Shared(
            handler,
            limits,
            new ConnectionTable(limits.maxConnections(), limits.maxPerAddress()),
            Executors.newVirtualThreadPerTaskExecutor()),
        address);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listening.localAddress();
  }

  /** Connections open. */
  public int connections() {
    return shared.table().open();
  }

  private final class Pipelines extends ChannelInitializer<SocketChannel> {
    @Override
    protected void initChannel(SocketChannel channel) {
      open.add(channel);
      final Connection connection = new Connection(shared, channel);
      channel
          .pipeline()
          .addLast(connection.watch())
          .addLast(new StrictRequestDecoder())
          .addLast(new HttpResponseEncoder())
          .addLast(connection);
    }
  }

  /** Stops listening; answers under way are cut. */
  @Override
  public void close() {
    listening.close().awaitUninterruptibly();
    shared.threads().shutdownNow();
    open.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    end();
  }

  private void end() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
