package dev.headway.router.proxy;

import io.netty.handler.codec.http.HttpResponseStatus;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * An answer that the router gives instead of a worker, in OpenAI's shape.
 *
 * @param status of the answer
 * @param code a word for programs
 * @param message for people
 */
public record Failure(HttpResponseStatus status, String code, String message) {

  /** {@code {"error": {...}}}. */
  public ObjectNode json() {
    final ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.putObject("error")
        .put("message", message)
        .put("type", type())
        .putNull("param")
        .put("code", code);
    return json;
  }

  private String type() {
    if (status.code() == 429) {
      return "rate_limit_error";
    }
    return status.code() < 500 ? "invalid_request_error" : "server_error";
  }

  /** Whether the client may come back in a moment. */
  boolean isPassing() {
    return status.code() == 429 || status.code() == 503;
  }
}
