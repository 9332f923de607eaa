package dev.headway.server;

import dev.headway.http.server.ServerExchange;
import java.util.List;

/**
 * Which pages a browser lets read the answers (the fetch standard's cross-origin protocol). A
 * server without any says nothing, and browsers keep its answers from pages of other origins. Any
 * thread.
 *
 * @param origins as browsers write them, {@code https://host:port}; {@code *} is any
 */
public record Cors(List<String> origins) {

  private static final String ANY = "*";
  private static final String PREFLIGHT_AGE_S = "600";

  static final Cors NONE = new Cors(List.of());

  public Cors {
    origins = List.copyOf(origins);
  }

  /** Marks the answer to a page that may read it. */
  void mark(ServerExchange exchange) {
    final String origin = exchange.header("Origin");
    if (origins.isEmpty() || origin == null) {
      return;
    }
    if (origins.contains(ANY)) {
      exchange.setHeader("Access-Control-Allow-Origin", ANY);
    } else {
      exchange.setHeader("Vary", "Origin"); // caches must not give the answer for one to another
      if (!origins.contains(origin)) {
        return;
      }
      exchange.setHeader("Access-Control-Allow-Origin", origin);
    }
    exchange.setHeader("Access-Control-Expose-Headers", "Retry-After");
  }

  /** Whether a browser asks if it may ask; it sends neither a body nor a key with that. */
  boolean isPreflight(ServerExchange exchange) {
    return !origins.isEmpty()
        && exchange.method().equals("OPTIONS")
        && exchange.header("Access-Control-Request-Method") != null;
  }

  /** Allows what this server serves, with whatever headers; those of a marked answer count. */
  void allow(ServerExchange exchange) {
    exchange.setHeader("Access-Control-Allow-Methods", "GET, POST");
    final String headers = exchange.header("Access-Control-Request-Headers");
    if (headers != null) {
      exchange.setHeader("Access-Control-Allow-Headers", headers);
    }
    exchange.setHeader("Access-Control-Max-Age", PREFLIGHT_AGE_S);
  }
}
