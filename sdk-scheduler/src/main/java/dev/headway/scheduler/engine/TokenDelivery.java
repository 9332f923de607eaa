package dev.headway.scheduler.engine;

import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.TokenLogprobs;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Notifies the listener of a request of several tokens at a time: of the first at once, then of
 * each {@code interval} together, of the rest at the end. Engine thread only.
 */
final class TokenDelivery {

  /** Of an output that is held back. */
  private record Kept(int index, TokenLogprobs logprobs) {}

  private final LiveRequest live;
  private final int interval;
  private final LiveRequests owner;
  private final Deque<Kept> kept = new ArrayDeque<>();

  /** Outputs, of the turn, that the listener knows. */
  private int delivered;

  TokenDelivery(LiveRequest live, int interval, LiveRequests owner) {
    this.live = live;
    this.interval = interval;
    this.owner = owner;
  }

  /** Keeps the log-probabilities of outputs from {@code first} on until they are delivered. */
  void keepLogprobs(int first, int count, StepOutput output, int entry) {
    for (int i = 0; i < count; i++) {
      final TokenLogprobs logprobs = output.logprobs(entry, i);
      if (logprobs != null) {
        kept.add(new Kept(first + i, logprobs));
      }
    }
  }

  /** Outputs were appended. */
  void arrived(RequestView request) {
    if (delivered == 0 || request.outputTokens() - delivered >= interval) {
      deliver(request);
    }
  }

  /** Delivers what was held back. */
  void deliver(RequestView request) {
    try {
      while (delivered < request.outputTokens() && !live.hasEnded() && !live.hasFailed()) {
        final int index = delivered++;
        final int tokenId = request.tokenId(request.promptTokens() + index);
        final Kept next = kept.peek();
        if (next != null && next.index() == index) {
          kept.remove();
          live.listener.onLogprobs(index, tokenId, next.logprobs());
        }
        live.listener.onToken(index, tokenId);
      }
    } catch (Throwable t) {
      owner.onListenerFailed(live, t);
    }
  }

  /** A turn of a session has ended: the next one's outputs count from 0. */
  void turnEnded(RequestView request) {
    deliver(request);
    delivered = 0;
    kept.clear();
  }
}
