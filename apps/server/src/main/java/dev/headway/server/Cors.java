package dev.headway.server;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
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
  void mark(HttpExchange exchange) {
    final String origin = exchange.getRequestHeaders().getFirst("Origin");
    if (origins.isEmpty() || origin == null) {
      return;
    }
    final Headers answer = exchange.getResponseHeaders();
    if (origins.contains(ANY)) {
      answer.set("Access-Control-Allow-Origin", ANY);
    } else {
      answer.set("Vary", "Origin"); // caches must not give the answer for one to another
      if (!origins.contains(origin)) {
        return;
      }
      answer.set("Access-Control-Allow-Origin", origin);
    }
    answer.set("Access-Control-Expose-Headers", "Retry-After");
  }

  /** Whether a browser asks if it may ask; it sends neither a body nor a key with that. */
  boolean isPreflight(HttpExchange exchange) {
    return !origins.isEmpty()
        && exchange.getRequestMethod().equals("OPTIONS")
        && exchange.getRequestHeaders().containsKey("Access-Control-Request-Method");
  }

  /** Allows what this server serves, with whatever headers; those of a marked answer count. */
  void allow(HttpExchange exchange) {
    final Headers answer = exchange.getResponseHeaders();
    answer.set("Access-Control-Allow-Methods", "GET, POST");
    final String headers = exchange.getRequestHeaders().getFirst("Access-Control-Request-Headers");
    if (headers != null) {
      answer.set("Access-Control-Allow-Headers", headers);
    }
    answer.set("Access-Control-Max-Age", PREFLIGHT_AGE_S);
  }
}
