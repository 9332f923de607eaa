package dev.headway.router.proxy;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.util.function.BooleanSupplier;

/** Answers as bytes; one to {@code HEAD} has no body, whatever its length says. */
final class AnswerEncoder extends HttpResponseEncoder {

  private final BooleanSupplier isToHead;

  AnswerEncoder(BooleanSupplier isToHead) {
    this.isToHead = isToHead;
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpResponse answer) {
    return isToHead.getAsBoolean() || super.isContentAlwaysEmpty(answer);
  }
}
