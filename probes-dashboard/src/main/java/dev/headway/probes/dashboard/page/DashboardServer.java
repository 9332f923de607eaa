package dev.headway.probes.dashboard.page;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Serves a dashboard over HTTP, from the JDK's own server. No authentication and no encryption: it
 * listens on the loopback address unless another is given. It shows ids of requests and names of
 * tenants, no prompts.
 */
public final class DashboardServer implements AutoCloseable {

  private static final int NOT_FOUND = 404;

  private final DashboardPages pages;
  private final HttpServer server;
  private final ExecutorService threads;

  private DashboardServer(DashboardPages pages, HttpServer server, ExecutorService threads) {
    this.pages = pages;
    this.server = server;
    this.threads = threads;
  }

  /**
   * Listens.
   *
   * @param address port 0 takes any that is free
   * @throws IOException if the address is taken
   */
  public static DashboardServer open(DashboardPages pages, InetSocketAddress address)
      throws IOException {
    final HttpServer server;
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new IOException("the dashboard's address must be free: address=" + address, e);
    }
    final ExecutorService threads =
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("headway-dashboard-", 0).factory());
    server.setExecutor(threads);
    server.createContext("/", exchange -> answer(exchange, pages));
    server.start();
    return new DashboardServer(pages, server, threads);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public void close() {
    pages.close();
    server.stop(0);
    threads.shutdownNow();
  }

  private static void answer(HttpExchange exchange, DashboardPages pages) throws IOException {
    try (exchange) {
      if (DashboardPages.serves(exchange.getRequestURI().getPath())) {
        pages.handle(exchange);
      } else {
        exchange.sendResponseHeaders(NOT_FOUND, -1);
      }
    }
  }
}
