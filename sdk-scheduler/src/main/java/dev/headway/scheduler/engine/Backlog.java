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

  private volatile QueueLimits limits;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicLong tokens = new AtomicLong();

  Backlog(QueueLimits limits) {
    this.limits = limits;
  }

  /** Other limits for requests that are submitted from now on. */
  void limit(QueueLimits changed) {
    limits = changed;
  }

  /** Counts a request, or returns why there is no room for it. */
  RequestRules.@Nullable Refusal add(LiveRequest live) {
    final QueueLimits now = limits;
    final int maxRequests = now.maxNumQueuedReqs();
    final long maxTokens = now.maxNumQueuedTokens();
    final int alive = requests.incrementAndGet();
    if (maxRequests > 0 && alive > maxRequests) {
      requests.decrementAndGet();
      return new RequestRules.Refusal(
          RejectReason.QUEUE_FULL,
          "requests waiting or running must be < maxNumQueuedReqs: id="
              + live.id()
              + ", queuedReqs="
              + (alive - 1)
              + ", maxNumQueuedReqs="
              + maxRequests
              + "; retry later");
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
    live.inBacklog = true;
    return null;
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
    if (live.inBacklog) {
      live.inBacklog = false;
      prefilled(live);
      requests.decrementAndGet();
    }
  }
}
