package dev.headway.router.proxy;

import dev.headway.http.HttpFailure;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
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

  /** The answer to what did not arrive as it must, or found no room. */
  static Failure of(HttpFailure failure) {
    return new Failure(
        HttpResponseStatus.valueOf(failure.status()),
        failure.code(),
        String.valueOf(failure.getMessage()));
  }

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

  /** The whole answer. */
  DefaultFullHttpResponse answer(ByteBufAllocator buffers) {
    final DefaultFullHttpResponse answer =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, status, ByteBufUtil.writeUtf8(buffers, json().toString()));
    answer
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
        .set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes());
    if (isPassing()) {
      answer.headers().set(HttpHeaderNames.RETRY_AFTER, 1);
    }
    return answer;
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
