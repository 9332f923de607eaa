package dev.headway.server;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Bodies of requests and answers. Any thread. */
public final class Http {

  private static final String JSON = "application/json; charset=utf-8";
  private static final String BEARER = "Bearer ";

  private Http() {}

  /**
   * Sets what the JDK's server reads when its classes are loaded, unless the user has: no Nagle
   * delay between tokens, an end to requests that never finish, a bound on connections.
   */
  public static void configure() {
    setUnlessSet("sun.net.httpserver.nodelay", "true");
    setUnlessSet("sun.net.httpserver.maxReqTime", "30"); // seconds, whatever its page says
    setUnlessSet("jdk.httpserver.maxConnections", "4096");
  }

  private static void setUnlessSet(String name, String value) {
    if (System.getProperty(name) == null) {
      System.setProperty(name, value);
    }
  }

  /**
   * Reads the whole body.
   *
   * @throws ApiException if it is longer than allowed; the rest is not read
   */
  static byte[] body(HttpExchange exchange, int maxBytes) throws IOException {
    final byte[] body = exchange.getRequestBody().readNBytes(maxBytes + 1);
    if (body.length > maxBytes) {
      throw ApiException.of(
          413, "body_too_large", "the body must not be longer than maxBodyBytes=" + maxBytes);
    }
    return body;
  }

  /** Whether the request carries the key; compared in constant time. */
  static boolean hasKey(HttpExchange exchange, String key) {
    final String header = exchange.getRequestHeaders().getFirst("Authorization");
    return header != null
        && header.startsWith(BEARER)
        && MessageDigest.isEqual(
            header.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8),
            key.getBytes(StandardCharsets.UTF_8));
  }

  /** Answers with JSON. */
  static void send(HttpExchange exchange, WriteGuard guard, int status, JsonNode body)
      throws IOException {
    send(exchange, guard, status, JSON, Json.bytes(body));
  }

  static void send(
      HttpExchange exchange, WriteGuard guard, int status, String contentType, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", contentType);
    guard.write(
        () -> {
          exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.getResponseBody().close();
        });
  }

  /** Answers 204. */
  static void sendNothing(HttpExchange exchange, WriteGuard guard) throws IOException {
    guard.write(() -> exchange.sendResponseHeaders(204, -1));
  }

  /** Answers with an error. */
  static void send(HttpExchange exchange, WriteGuard guard, ApiException failure)
      throws IOException {
    if (failure.retryAfterSeconds >= 0) {
      exchange.getResponseHeaders().set("Retry-After", Integer.toString(failure.retryAfterSeconds));
    }
    if (failure.status == 413 || failure.status == 503) {
      exchange.getResponseHeaders().set("Connection", "close");
    }
    send(exchange, guard, failure.status, Json.error(failure));
  }

  /** The first value of a header, or null. */
  static @Nullable String header(HttpExchange exchange, String name) {
    return exchange.getRequestHeaders().getFirst(name);
  }
}
