package dev.headway.router.proxy;

import dev.headway.http.ListeningSocket;
import dev.headway.http.StrictRequestDecoder;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Takes connections of clients; each stays on one event loop. Any thread. */
public final class Proxy implements AutoCloseable {

  private static final Duration POLL = Duration.ofMillis(10);

  /** A client that takes less than comes has so much waiting before its worker is left to wait. */
  private static final WriteBufferWaterMark WAITING = new WriteBufferWaterMark(32 << 10, 64 << 10);

  private final Shared shared;
  private final ListeningSocket socket;
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
    this.socket =
        new ListeningSocket(
            address,
            new ListeningSocket.Settings("headway-route", threads, WAITING),
            this::connect);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return socket.address();
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
    socket.stopListening();
    for (Channel each : socket.connections()) {
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
    socket.cut();
    pools.forEach((loop, pool) -> loop.execute(pool::closeIdle));
    socket.close();
  }

  private UpstreamPool poolOf(EventLoop loop) {
    return pools.computeIfAbsent(
        loop, key -> new UpstreamPool(key, shared.options(), shared.metrics()));
  }

  private void connect(SocketChannel channel) {
    final WholeRequests requests = new WholeRequests(shared.arrivals(), shared.metrics(), channel);
    final Client client =
        new Client(shared, requests, poolOf(channel.eventLoop()), () -> isDraining);
    channel
        .pipeline()
        .addLast(requests.watch())
        .addLast(new StrictRequestDecoder())
        .addLast(new AnswerEncoder(client::isToHead))
        .addLast(requests)
        .addLast(client);
  }
}
