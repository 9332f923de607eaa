package dev.headway.http.server;

import dev.headway.http.ConnectionLimits;
import dev.headway.http.ConnectionTable;
import dev.headway.http.ListeningSocket;
import dev.headway.http.ServerTls;
import io.netty.channel.Channel;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Listens, and gives the requests of each connection to a handler. Any thread. */
public final class HttpListener implements AutoCloseable {

  /** Answers requests, each on a thread of its own. */
  @FunctionalInterface
  public interface Handler {
    /** Answers a request and closes the exchange. */
    void handle(ServerExchange exchange);
  }

  private static final int MAX_LOOPS = 4;
  private static final int PROCESSORS_PER_LOOP = 4; // most work is on the requests' threads

  /** A client that takes less than comes has so much waiting before its request has to wait. */
  private static final WriteBufferWaterMark WAITING = new WriteBufferWaterMark(16 << 10, 32 << 10);

  private final ConnectionTable table;
  private final ListeningSocket socket;
  private final Runnable onClose;

  private HttpListener(
      InetSocketAddress address,
      ListeningSocket.Settings settings,
      ConnectionLimits limits,
      ConnectionTable table,
      Function<ClientConnection, RequestReceiver> receivers,
      Runnable onClose)
      throws IOException {
    this.table = table;
    this.onClose = onClose;
    this.socket =
        new ListeningSocket(
            address,
            settings,
            channel -> ClientConnection.begin(channel, limits, table, receivers));
  }

  /**
   * Listens; each request has a virtual thread of its own.
   *
   * @param tls what encrypts connections; null for none
   * @throws IOException if the address is taken
   */
  public static HttpListener open(
      InetSocketAddress address, ConnectionLimits limits, @Nullable ServerTls tls, Handler handler)
      throws IOException {
    final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    final int loops =
        Math.clamp(Runtime.getRuntime().availableProcessors() / PROCESSORS_PER_LOOP, 1, MAX_LOOPS);
    return new HttpListener(
        address,
        new ListeningSocket.Settings("headway-http", loops, WAITING, tls),
        limits,
        new ConnectionTable(limits),
        connection -> new ThreadedRequests(connection, handler, threads),
        threads::shutdownNow);
  }

  /**
   * Listens; whole requests are handled on the event loops.
   *
   * @param handlers makes the handler of a connection, on its event loop
   * @throws IOException if the address is taken
   */
  public static HttpListener open(
      InetSocketAddress address,
      ListeningSocket.Settings settings,
      Arrivals arrivals,
      Function<AnswerWriter, EventLoopHandler> handlers)
      throws IOException {
    return new HttpListener(
        address,
        settings,
        arrivals.limits(),
        arrivals.table(),
        connection -> new WholeRequests(connection, arrivals, handlers),
        () -> {});
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return socket.address();
  }

  /** Connections open. */
  public int connections() {
    return table.open();
  }

  /**
   * Takes no more connections, and ends those that answer nothing; the others end with their
   * answer. Of whole requests only.
   */
  public void drain() {
    socket.stopListening();
    for (Channel each : socket.connections()) {
      final ClientConnection connection = each.pipeline().get(ClientConnection.class);
      if (connection != null && connection.receiver() instanceof WholeRequests requests) {
        each.eventLoop().execute(requests::closeIfIdle);
      }
    }
  }

  /** Takes no more connections, and cuts those that are open. */
  public void cut() {
    socket.cut();
  }

  /** Stops listening; answers under way are cut. */
  @Override
  public void close() {
    socket.stopListening();
    onClose.run();
    socket.close();
  }
}
