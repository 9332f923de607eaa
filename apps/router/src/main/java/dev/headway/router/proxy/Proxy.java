package dev.headway.router.proxy;

import dev.headway.http.ListeningSocket;
import dev.headway.http.client.ConnectionPool;
import dev.headway.http.server.AnswerWriter;
import dev.headway.http.server.HttpListener;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Takes connections of clients; each stays on one event loop. Any thread. */
public final class Proxy implements AutoCloseable {

  private static final Duration POLL = Duration.ofMillis(10);

  /** Connections that are kept to each worker while they do nothing, of each event loop. */
  private static final int MOST_IDLE = 1_024;

  /** A client that takes less than comes has so much waiting before its worker is left to wait. */
  private static final WriteBufferWaterMark WAITING = new WriteBufferWaterMark(32 << 10, 64 << 10);

  private final Shared shared;
  private final HttpListener http;
  private final Map<EventLoop, ConnectionPool> pools = new ConcurrentHashMap<>();
  private volatile boolean isDraining;

  /**
   * Begins to listen.
   *
   * @param threads event loops, >= 1
   * @throws IOException if the address cannot be had
   */
  public Proxy(Shared shared, InetSocketAddress address, int threads) throws IOException {
    this.shared = shared;
    this.http =
        HttpListener.open(
            address,
            new ListeningSocket.Settings(
                "headway-route", threads, WAITING, shared.options().clients().tls()),
            shared.arrivals(),
            this::client);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return http.address();
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
    http.drain();
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
    http.cut();
    pools.forEach((loop, pool) -> loop.execute(pool::closeIdle));
    http.close();
  }

  private Client client(AnswerWriter answers) {
    return new Client(shared, answers, poolOf(answers.loop()), () -> isDraining);
  }

  private ConnectionPool poolOf(EventLoop loop) {
    return pools.computeIfAbsent(
        loop,
        key ->
            new ConnectionPool(
                key,
                new ConnectionPool.Settings(
                    shared.options().connectTimeout(),
                    MOST_IDLE,
                    channel -> {},
                    shared.metrics()::upstream)));
  }
}
