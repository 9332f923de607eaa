package dev.headway.http.server;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.function.BooleanSupplier;

/**
 * Answers as bytes, one to {@code HEAD} without a body, whatever its length says; and what heads
 * say beside their own headers (RFC 9112).
 */
final class AnswerEncoder extends HttpResponseEncoder {

  private final BooleanSupplier isToHead;

  AnswerEncoder(BooleanSupplier isToHead) {
    this.isToHead = isToHead;
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpResponse answer) {
    return isToHead.getAsBoolean() || super.isContentAlwaysEmpty(answer);
  }

  /** Whether answers of this status have no body. */
  static boolean isWithoutBody(HttpResponseStatus status) {
    return status.equals(HttpResponseStatus.NO_CONTENT)
        || status.equals(HttpResponseStatus.NOT_MODIFIED);
  }

  /**
   * Says whether the connection stays.
   *
   * @param isOld whether the request was HTTP/1.0
   */
  static void sayConnection(HttpHeaders answer, boolean keepsAlive, boolean isOld) {
    if (!keepsAlive) {
      answer.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (isOld) {
      answer.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
  }
}
