package dev.headway.scheduler.engine;

import dev.headway.api.config.QueueLimits;
import dev.headway.api.request.RejectReason;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Number of live requests and of prompt tokens waiting to be computed, bounded by {@link
 * QueueLimits}. Any thread; a request is counted from its submission on, so that a burst cannot
 * exceed the limits before the engine thread takes it in.
 */
final class Backlog {

  private volatile int maxNumQueuedReqs;
  private volatile long maxNumQueuedTokens;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicLong tokens = new AtomicLong();

  /** Those that may be evicted; null if newcomers are rejected. */
  private final @Nullable WorstWaiters waiters;

  Backlog(QueueLimits limits, FullQueuePolicy policy) {
    waiters = policy == FullQueuePolicy.EVICT_WORST ? new WorstWaiters() : null;
    limit(limits);
  }

  /** Other limits for requests that are submitted from now on. */
  void limit(QueueLimits changed) {
    maxNumQueuedReqs = changed.maxNumQueuedReqs();
    maxNumQueuedTokens = changed.maxNumQueuedTokens();
  }

  /** Counts a request, or returns why there is no room for it. */
  RequestRules.@Nullable Refusal add(LiveRequest live) {
    final int maxRequests = maxNumQueuedReqs;
    final long maxTokens = maxNumQueuedTokens;
    final int alive = requests.incrementAndGet();
    final boolean isFull = maxRequests > 0 && alive > maxRequests;
    if (isFull && waiters == null) {
      requests.decrementAndGet();
      return full(live, alive - 1, maxRequests);
    }
    final int prompt = live.request.promptTokens();
    final long waiting = tokens.addAndGet(prompt);
    if (maxTokens > 0 && waiting > maxTokens) {
      tokens.addAndGet(-prompt);
      requests.decrementAndGet();
      return new RequestRules.Refusal(
          RejectReason.QUEUED_TOKENS,
          "prompt tokens waiting must be <= maxNumQueuedTokens: id="
              + live.id()
              + ", promptTokens="
              + prompt
              + ", queuedTokens="
              + (waiting - prompt)
              + ", maxNumQueuedTokens="
              + maxTokens
              + "; retry later");
    }
    if (isFull && !takesPlace(live)) {
      tokens.addAndGet(-prompt);
      requests.decrementAndGet();
      return full(live, alive - 1, maxRequests);
    }
    live.inBacklog = true;
    if (waiters != null) {
      waiters.add(live);
    }
    return null;
  }

  private static RequestRules.Refusal full(LiveRequest live, int alive, int most) {
    return new RequestRules.Refusal(
        RejectReason.QUEUE_FULL,
        "requests waiting or running must be < maxNumQueuedReqs: id="
            + live.id()
            + ", queuedReqs="
            + alive
            + ", maxNumQueuedReqs="
            + most
            + "; retry later");
  }

  /** Whether another is evicted, whose end is on its way to the engine thread. */
  private boolean takesPlace(LiveRequest newcomer) {
    final LiveRequest worst = waiters == null ? null : waiters.giveWayTo(newcomer);
    if (worst != null) {
      requests.decrementAndGet();
      worst.evict();
    }
    return worst != null;
  }

  /** The request is admitted: it cannot be evicted any more. Engine thread. */
  void admitted(LiveRequest live) {
    if (waiters != null) {
      waiters.remove(live);
    }
  }

  /** The request's prompt is computed. Engine thread. */
  void prefilled(LiveRequest live) {
    if (!live.isPrefilled) {
      live.isPrefilled = true;
      tokens.addAndGet(-live.request.promptTokens());
    }
  }

  /** The request has ended, or was refused after all. */
  void remove(LiveRequest live) {
    if (waiters != null) {
      waiters.remove(live);
    }
    if (live.inBacklog) {
      live.inBacklog = false;
      prefilled(live);
      if (!live.gaveWay) {
        requests.decrementAndGet();
      }
    }
  }
}
