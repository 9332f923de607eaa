package dev.headway.server;

import dev.headway.http.server.ServerExchange;
import java.io.IOException;
import tools.jackson.databind.JsonNode;

/** Bodies of requests and answers. Any thread. */
final class Http {

  private static final String JSON = "application/json; charset=utf-8";

  private Http() {}

  /** Answers with JSON. */
  static void send(ServerExchange exchange, int status, JsonNode body) throws IOException {
    send(exchange, status, JSON, Json.bytes(body));
  }

  static void send(ServerExchange exchange, int status, String contentType, byte[] body)
      throws IOException {
    exchange.setHeader("Content-Type", contentType);
    exchange.send(status, body);
  }

  /** Answers with an error. */
  static void send(ServerExchange exchange, ApiException failure) throws IOException {
    if (failure.retryAfterSeconds >= 0) {
      exchange.setHeader("Retry-After", Integer.toString(failure.retryAfterSeconds));
    }
    if (failure.status == 413 || failure.status == 503) {
      exchange.setHeader("Connection", "close");
    }
    send(exchange, failure.status, Json.error(failure));
  }
}
