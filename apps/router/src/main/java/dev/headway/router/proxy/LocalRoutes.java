package dev.headway.router.proxy;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import org.jspecify.annotations.Nullable;

/** Requests that the router answers itself. Called on event loops; must not block. */
@FunctionalInterface
public interface LocalRoutes {

  /** The answer; null if the request is for a worker. The request stays the caller's. */
  @Nullable FullHttpResponse answer(FullHttpRequest request);
}
