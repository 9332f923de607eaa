package dev.headway.http.server;

import dev.headway.http.BodyBudget;
import io.netty.handler.codec.http.FullHttpRequest;

/**
 * A whole request, and what its body holds of the memory for bodies. Its event loop only.
 *
 * @param http what the client sent; owned by the holder of this
 */
public record ReceivedRequest(FullHttpRequest http, BodyBudget.Claim claim) {

  /** Gives its memory back; once. */
  public void release() {
    http.release();
    claim.close();
  }
}
