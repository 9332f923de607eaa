package dev.headway.http.server;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Parts of requests that wait for the answer to an earlier one. Above a bound no more are read:
 * they are what one more reading brings at most. One thread.
 */
final class PartsAhead {

  private static final int MAX_BYTES = 64 << 10;
  private static final int MAX_PARTS = 64;

  private final Deque<HttpObject> parts = new ArrayDeque<>();
  private int bytes;

  /** Keeps a part, which this owns from now on. */
  void add(HttpObject part) {
    parts.addLast(part);
    bytes += bytes(part);
  }

  /** Whether no more must be read. */
  boolean isFull() {
    return bytes > MAX_BYTES || parts.size() > MAX_PARTS;
  }

  boolean isEmpty() {
    return parts.isEmpty();
  }

  /** The part that came first, which is the caller's now. */
  HttpObject remove() {
    final HttpObject part = parts.removeFirst();
    bytes -= bytes(part);
    return part;
  }

  void release() {
    parts.forEach(ReferenceCountUtil::release);
    parts.clear();
  }

  private static int bytes(HttpObject part) {
    return part instanceof HttpContent content ? content.content().readableBytes() : 0;
  }
}
