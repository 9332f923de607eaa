package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;

/** Hands everything on to another connector; a test overrides what goes wrong. */
class ForwardingConnector implements KvConnector {

  private final KvConnector other;

  ForwardingConnector(KvConnector other) {
    this.other = other;
  }

  @Override
  public KvRole role() {
    return other.role();
  }

  @Override
  public void lookup(RequestView request, int localTokens, ExternalTokens answer) {
    other.lookup(request, localTokens, answer);
  }

  @Override
  public void admitted(RequestView request, KvSequence blocks, int externalTokens) {
    other.admitted(request, blocks, externalTokens);
  }

  @Override
  public BlockRelease requestFinished(
      RequestView request, KvSequence blocks, int computedTokens, FinishReason reason) {
    return other.requestFinished(request, blocks, computedTokens, reason);
  }
}
