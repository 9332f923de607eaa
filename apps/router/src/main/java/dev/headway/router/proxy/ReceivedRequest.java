package dev.headway.router.proxy;

import dev.headway.http.BodyBudget;
import io.netty.handler.codec.http.FullHttpRequest;

/**
 * A whole request, and what its body holds of the memory for bodies. Its event loop only.
 *
 * @param http what the client sent; owned by the holder of this
 */
record ReceivedRequest(FullHttpRequest http, BodyBudget.Claim claim) {

  /** Gives its memory back; once. */
  void release() {
    http.release();
    claim.close();
  }
}
