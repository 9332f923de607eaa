package dev.headway.server;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Bodies of requests and answers. Any thread. */
final class Http {

  private static final String JSON = "application/json; charset=utf-8";

  private Http() {}

  /** Answers with JSON. */
  static void send(HttpExchange exchange, int status, JsonNode body) throws IOException {
    send(exchange, status, JSON, Json.bytes(body));
  }

  static void send(HttpExchange exchange, int status, String contentType, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", contentType);
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.getResponseBody().close();
  }

  /** Answers 204. */
  static void sendNothing(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(204, -1);
  }

  /** Answers with an error. */
  static void send(HttpExchange exchange, ApiException failure) throws IOException {
    if (failure.retryAfterSeconds >= 0) {
      exchange.getResponseHeaders().set("Retry-After", Integer.toString(failure.retryAfterSeconds));
    }
    if (failure.status == 413 || failure.status == 503) {
      exchange.getResponseHeaders().set("Connection", "close");
    }
    send(exchange, failure.status, Json.error(failure));
  }

  /** The first value of a header, or null. */
  static @Nullable String header(HttpExchange exchange, String name) {
    return exchange.getRequestHeaders().getFirst(name);
  }
}
