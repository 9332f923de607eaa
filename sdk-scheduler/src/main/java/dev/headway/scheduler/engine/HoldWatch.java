package dev.headway.scheduler.engine;

import dev.headway.api.request.Hold;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports that a hold of a request is over, on the thread that completes it. The stage of the hold
 * may outlive the request: it keeps this, not the request.
 */
final class HoldWatch implements BiConsumer<Object, Throwable> {

  private final Hold hold;
  private final LiveRequests owner;
  private volatile @Nullable LiveRequest live;

  HoldWatch(Hold hold, LiveRequests owner, LiveRequest live) {
    this.hold = hold;
    this.owner = owner;
    this.live = live;
  }

  Hold hold() {
    return hold;
  }

  /** The request is held by this no longer, or has ended. */
  void forget() {
    live = null;
  }

  /** Whether the request is held by this. */
  boolean isPending() {
    return live != null;
  }

  @Override
  public void accept(@Nullable Object result, @Nullable Throwable failure) {
    final LiveRequest held = live;
    if (held != null) {
      owner.holdIsOver(held, this, failure);
    }
  }
}
