package dev.headway.scheduler.engine;

import dev.headway.api.request.Hold;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports that a hold of a request is over, from the thread that completes it. The stage of the
 * hold may outlive the request: it keeps this, not the request.
 */
final class HoldWatch implements BiConsumer<Object, Throwable> {

  private final Hold hold;
  private final LiveRequests owner;
  private volatile @Nullable LiveRequest live;
  private volatile @Nullable Throwable failure;

  HoldWatch(Hold hold, LiveRequests owner, LiveRequest live) {
    this.hold = hold;
    this.owner = owner;
    this.live = live;
  }

  Hold hold() {
    return hold;
  }

  /** The request that it holds; null once it is over, or the request has ended. */
  @Nullable LiveRequest live() {
    return live;
  }

  /** Why it can never be over, or null. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** It is over, or the request has ended. */
  void forget() {
    live = null;
  }

  @Override
  public void accept(@Nullable Object result, @Nullable Throwable cause) {
    if (live != null) {
      failure = cause;
      owner.holdIsOver(this);
    }
  }
}
