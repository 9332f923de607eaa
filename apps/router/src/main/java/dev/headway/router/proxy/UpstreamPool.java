package dev.headway.router.proxy;

import dev.headway.router.metrics.RouterMetrics;
import dev.headway.router.registry.WorkerEntry;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Connections of one event loop to workers; the last one used is used first. That loop only. */
final class UpstreamPool {

  private static final int MOST_IDLE = 1_024;
  private static final int LONGEST_HEAD = 1 << 16;
  private static final int LONGEST_PART = 1 << 16;

  /** Is given a connection, or the reason why there is none. */
  interface Taker {

    /** Here it is. */
    void onConnected(Upstream upstream, boolean reused);

    /** There is none. */
    void onRefused(String reason);
  }

  private final Bootstrap bootstrap;
  private final RouterMetrics metrics;
  private final Map<String, Deque<Upstream>> idle = new HashMap<>();
  private final Map<Upstream, String> addresses = new HashMap<>();

  UpstreamPool(EventLoop loop, ProxyOptions options, RouterMetrics metrics) {
    this.metrics = metrics;
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                Math.toIntExact(options.connectTimeout().toMillis()));
  }

  /** The idle connection that was used last, unless it was closed since then. */
  private static @Nullable Upstream lastOpen(Deque<Upstream> free) {
    Upstream kept = free.pollLast();
    while (kept != null && !kept.isOpen()) {
      kept = free.pollLast();
    }
    return kept;
  }

  /** Takes an idle connection, or makes one. */
  void take(WorkerEntry worker, Taker taker) {
    final String address = worker.url().toString();
    final Deque<Upstream> free = idle.get(address);
    final Upstream kept = free == null ? null : lastOpen(free);
    if (kept != null) {
      taker.onConnected(kept, true);
      return;
    }
    connect(worker, taker);
  }

  /** Makes a connection. */
  void connect(WorkerEntry worker, Taker taker) {
    final Upstream made = new Upstream(this);
    addresses.put(made, worker.url().toString());
    bootstrap
        .clone()
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                channel
                    .pipeline()
                    .addLast(new HttpClientCodec(4_096, LONGEST_HEAD, LONGEST_PART), made);
              }
            })
        .connect(worker.host(), worker.port())
        .addListener(
            connected -> {
              if (connected.isSuccess()) {
                metrics.upstream(1);
                taker.onConnected(made, false);
              } else {
                addresses.remove(made);
                taker.onRefused("cannot connect: " + connected.cause().getMessage());
              }
            });
  }

  void release(Upstream upstream) {
    final String address = addresses.get(upstream);
    if (address == null) {
      upstream.close();
      return;
    }
    final Deque<Upstream> free = idle.computeIfAbsent(address, key -> new ArrayDeque<>());
    if (free.size() >= MOST_IDLE) {
      upstream.close();
    } else {
      free.addLast(upstream);
    }
  }

  void gone(Upstream upstream) {
    final @Nullable String address = addresses.remove(upstream);
    if (address != null) {
      metrics.upstream(-1);
      final Deque<Upstream> free = idle.get(address);
      if (free != null) {
        free.remove(upstream);
      }
    }
  }

  /** Closes the idle ones. */
  void closeIdle() {
    for (Deque<Upstream> each : idle.values()) {
      new ArrayDeque<>(each).forEach(Upstream::close);
    }
  }
}
