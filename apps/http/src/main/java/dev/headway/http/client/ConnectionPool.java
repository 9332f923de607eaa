package dev.headway.http.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Connections of one event loop to servers; the last one used is used first. That loop only. */
public final class ConnectionPool {

  private static final int LONGEST_LINE = 4_096;
  private static final int LONGEST_HEAD = 1 << 16;
  private static final int LONGEST_PART = 1 << 16;

  /** Is given a connection, or the reason why there is none. */
  public interface Taker {

    /** Here it is. */
    void onConnected(ServerConnection connection, boolean reused);

    /** There is none. */
    void onRefused(Throwable cause);
  }

  /**
   * How to connect.
   *
   * @param connectTimeout longest time to connect
   * @param mostIdle connections kept for each server while they do nothing
   * @param transport adds the handlers between the socket and HTTP, such as TLS
   * @param count is given 1 for each connection that is made, and -1 for each that has ended
   */
  public record Settings(
      Duration connectTimeout,
      int mostIdle,
      Consumer<SocketChannel> transport,
      IntConsumer count) {}

  private final Settings settings;
  private final Bootstrap bootstrap;
  private final Map<Server, Deque<ServerConnection>> idle = new HashMap<>();
  private final Map<ServerConnection, Server> servers = new HashMap<>();

  /** No connection yet. */
  public ConnectionPool(EventLoop loop, Settings settings) {
    this.settings = settings;
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                Math.toIntExact(settings.connectTimeout().toMillis()));
  }

  /** The idle connection that was used last, unless it was closed since then; or null. */
  public @Nullable ServerConnection takeIdle(Server server) {
    final Deque<ServerConnection> free = idle.get(server);
    ServerConnection kept = free == null ? null : free.pollLast();
    while (free != null && kept != null && !kept.isOpen()) {
      kept = free.pollLast();
    }
    return kept;
  }

  /** Takes an idle connection, or makes one. */
  public void take(Server server, Taker taker) {
    final ServerConnection kept = takeIdle(server);
    if (kept != null) {
      taker.onConnected(kept, true);
    } else {
      connect(server, taker);
    }
  }

  /** Makes a connection. */
  public void connect(Server server, Taker taker) {
    final ServerConnection made = new ServerConnection(this);
    servers.put(made, server);
    bootstrap
        .clone()
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                settings.transport().accept(channel);
                channel
                    .pipeline()
                    .addLast(new HttpClientCodec(LONGEST_LINE, LONGEST_HEAD, LONGEST_PART), made);
              }
            })
        .connect(server.host(), server.port())
        .addListener(
            connected -> {
              if (connected.isSuccess()) {
                settings.count().accept(1);
                taker.onConnected(made, false);
              } else {
                servers.remove(made);
                taker.onRefused(connected.cause());
              }
            });
  }

  void release(ServerConnection connection) {
    final Server server = servers.get(connection);
    if (server == null) {
      connection.close();
      return;
    }
    final Deque<ServerConnection> free = idle.computeIfAbsent(server, key -> new ArrayDeque<>());
    if (free.size() >= settings.mostIdle()) {
      connection.close();
    } else {
      free.addLast(connection);
    }
  }

  void gone(ServerConnection connection) {
    final Server server = servers.remove(connection);
    if (server != null) {
      settings.count().accept(-1);
      final Deque<ServerConnection> free = idle.get(server);
      if (free != null) {
        free.remove(connection);
      }
    }
  }

  /** Closes the idle ones. */
  public void closeIdle() {
    for (Deque<ServerConnection> each : idle.values()) {
      new ArrayDeque<>(each).forEach(ServerConnection::close);
    }
  }
}
