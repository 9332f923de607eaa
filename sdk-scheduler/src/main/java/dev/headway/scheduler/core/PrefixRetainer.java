package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.OutputListener;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/** Looks a prefix up for the caller, not to compute it. Engine thread. */
final class PrefixRetainer implements OutputListener {

  private static final PrefixRetainer NOT_HEARD = new PrefixRetainer();

  private PrefixRetainer() {}

  /** See {@link dev.headway.api.schedule.Scheduler#retainPrefix}. */
  static int retain(KvCacheManager kv, Request prefix, KvCacheRetention retention, long nowNs) {
    final KvSequence sequence = kv.open(new RequestState(prefix, NOT_HEARD, -1, nowNs, nowNs));
    try {
      final int tokens = kv.lookup(sequence);
      kv.retain(sequence, retention);
      return tokens;
    } finally {
      kv.close(sequence);
    }
  }

  @Override
  public void onTokens(RequestView request, int count, long nowNs) {
    throw new IllegalStateException("a prefix that is looked up must not be computed");
  }

  @Override
  public void onFinished(
      RequestView request,
      FinishReason reason,
      long stopTokenId,
      @Nullable Throwable cause,
      long nowNs) {
    throw new IllegalStateException("a prefix that is looked up must not be computed");
  }
}
