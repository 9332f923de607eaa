package dev.headway.server.http;

import dev.headway.http.ConnectionLimits;
import dev.headway.http.ConnectionTable;
import dev.headway.http.ListeningSocket;
import dev.headway.http.StrictRequestDecoder;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

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

  /** A client that takes less than comes has so much waiting before its request has to wait. */
  private static final WriteBufferWaterMark WAITING = new WriteBufferWaterMark(16 << 10, 32 << 10);

  private final Shared shared;
  private final ListeningSocket socket;

  private HttpListener(Shared shared, InetSocketAddress address) throws IOException {
    this.shared = shared;
    this.socket =
        new ListeningSocket(
            address,
            new ListeningSocket.Settings(
                "headway-http",
                Math.clamp(
                    Runtime.getRuntime().availableProcessors() / PROCESSORS_PER_LOOP, 1, MAX_LOOPS),
                WAITING),
            this::connect);
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
            new ConnectionTable(limits),
            Executors.newVirtualThreadPerTaskExecutor()),
        address);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return socket.address();
  }

  /** Connections open. */
  public int connections() {
    return shared.table().open();
  }

  private void connect(SocketChannel channel) {
    final Connection connection = new Connection(shared, channel);
    channel
        .pipeline()
        .addLast(connection.watch())
        .addLast(new StrictRequestDecoder())
        .addLast(new HttpResponseEncoder())
        .addLast(connection);
  }

  /** Stops listening; answers under way are cut. */
  @Override
  public void close() {
    socket.stopListening();
    shared.threads().shutdownNow();
    socket.close();
  }
}
