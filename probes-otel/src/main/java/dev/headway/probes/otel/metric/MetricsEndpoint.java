package dev.headway.probes.otel.metric;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Serves {@code /metrics} over HTTP, from the JDK's own server.
 *
 * <p>Answered by two daemon threads; a scrape disturbs neither the engine nor the records. There is
 * no authentication and no encryption: it listens on the loopback address unless another is set,
 * and its figures name no request and no tenant.
 */
public final class MetricsEndpoint implements AutoCloseable {

  private static final String PATH = "/metrics";
  private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final int THREADS = 2;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int NO_BODY = -1;

  private final HttpServer server;
  private final ExecutorService threads;

  private MetricsEndpoint(HttpServer server, ExecutorService threads) {
    this.server = server;
    this.threads = threads;
  }

  /**
   * Listens on the loopback address.
   *
   * @param port in [0, 65535]; 0 takes any that is free
   * @throws IOException if the port is taken
   */
  public static MetricsEndpoint open(Metrics metrics, int port) throws IOException {
    return open(metrics, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /**
   * Listens on an address.
   *
   * @throws IOException if that is not possible
   */
  public static MetricsEndpoint open(Metrics metrics, InetSocketAddress address)
      throws IOException {
    final HttpServer server;
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new IOException("metrics address must be free: address=" + address, e);
    }
    final ExecutorService threads =
        Executors.newFixedThreadPool(
            THREADS, Thread.ofPlatform().daemon().name("headway-metrics-", 0).factory());
    server.setExecutor(threads);
    server.createContext("/", exchange -> answer(exchange, metrics));
    server.start();
    return new MetricsEndpoint(server, threads);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  /** Stops at once; a scrape under way is cut. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private static void answer(HttpExchange exchange, Metrics metrics) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        exchange.sendResponseHeaders(NOT_FOUND, NO_BODY);
        return;
      }
      final boolean isHead = exchange.getRequestMethod().equals("HEAD");
      if (!isHead && !exchange.getRequestMethod().equals("GET")) {
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        exchange.sendResponseHeaders(METHOD_NOT_ALLOWED, NO_BODY);
        return;
      }
      final byte[] body = metrics.text().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", CONTENT_TYPE);
      exchange.sendResponseHeaders(OK, isHead ? NO_BODY : body.length);
      if (!isHead) {
        exchange.getResponseBody().write(body);
      }
    }
  }
}
