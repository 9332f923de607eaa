package dev.headway.router.proxy;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import org.jspecify.annotations.Nullable;

/** Requests that the router answers itself. Called on event loops; must not block. */
public interface LocalRoutes {

  /** Whether a client must have a key for it. */
  boolean needsKey(FullHttpRequest request);

  /** The answer; null if the request is for a worker. The request stays the caller's. */
  @Nullable FullHttpResponse answer(FullHttpRequest request);
}
