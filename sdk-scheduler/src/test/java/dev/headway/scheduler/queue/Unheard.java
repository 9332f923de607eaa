package dev.headway.scheduler.queue;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.OutputListener;

/** Listens to a request that only waits. */
final class Unheard implements OutputListener {

  static final OutputListener NONE = new Unheard();

  private Unheard() {}

  @Override
  public void onTokens(RequestView request, int count, long nowNs) {}

  @Override
  public void onFinished(
      RequestView request, FinishReason reason, long stopTokenId, Throwable cause, long nowNs) {}
}
