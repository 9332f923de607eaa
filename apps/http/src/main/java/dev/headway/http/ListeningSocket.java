package dev.headway.http;

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
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Listens, and gives each connection of a client to an event loop for good. Connections are taken
 * on a thread of its own: on a loop that has thousands to look after, those that wait would be more
 * than the system keeps, and some would be reset. Any thread.
 */
public final class ListeningSocket implements AutoCloseable {

  /** Connections that may wait to be taken; Linux keeps {@code net.core.somaxconn} at most. */
  private static final int BACKLOG = 8_192;

  /**
   * How to listen.
   *
   * @param threads name of the event loops' threads
   * @param loops event loops, >= 1
   * @param waiting bytes that may wait for a client before what sends them has to wait
   * @param tls what encrypts connections; null for none
   */
  public record Settings(
      String threads, int loops, WriteBufferWaterMark waiting, @Nullable ServerTls tls) {}

  private final EventLoopGroup acceptor;
  private final EventLoopGroup loops;
  private final Channel listening;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  /**
   * Begins to listen.
   *
   * @param pipelines makes the handlers of each connection, on its event loop
   * @throws IOException if the address is taken, or none of this machine
   */
  public ListeningSocket(
      InetSocketAddress address, Settings settings, Consumer<SocketChannel> pipelines)
      throws IOException {
    this.acceptor = loops(1, settings.threads() + "-accept");
    this.loops = loops(settings.loops(), settings.threads());
    final ChannelFuture bound =
        new ServerBootstrap()
            .group(acceptor, loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, settings.waiting())
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    open.add(channel);
                    if (settings.tls() != null) {
                      channel.pipeline().addLast(settings.tls().handler(channel.alloc()));
                    }
                    pipelines.accept(channel);
                  }
                })
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

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listening.localAddress();
  }

  /** The connections that are open. */
  public Iterable<Channel> connections() {
    return open;
  }

  /** Takes no more connections; those that are open stay. */
  public void stopListening() {
    listening.close().awaitUninterruptibly();
  }

  /** Takes no more connections, and cuts those that are open. */
  public void cut() {
    stopListening();
    open.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
  }

  /** {@linkplain #cut Cuts} all, and ends the event loops. */
  @Override
  public void close() {
    cut();
    end();
  }

  private void end() {
    end(acceptor); // first: it hands connections to the others
    end(loops);
  }

  private static void end(EventLoopGroup group) {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private static EventLoopGroup loops(int count, String threads) {
    return new MultiThreadIoEventLoopGroup(
        count, new DefaultThreadFactory(threads, true), NioIoHandler.newFactory());
  }
}
