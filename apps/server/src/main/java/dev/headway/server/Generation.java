package dev.headway.server;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.request.Request;
import dev.headway.api.step.TokenLogprobs;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one HTTP request makes the engine do: one or more requests, whose tokens come out of one
 * queue. {@link #next} and {@link #close} are for the thread that answers the client; the listeners
 * are called by the engine thread, which never waits for room: the queue has some or the request
 * ends. It may wait for a lock, while the other thread is in the queue, and allocates the event and
 * a node for each token.
 *
 * <p>A client that does not read leaves its tokens in the queue. When that is full the request is
 * cancelled, which frees its KV blocks: a slow reader costs itself its answer and nobody anything
 * else.
 */
final class Generation implements AutoCloseable {

  /** What comes out of the queue. */
  sealed interface Event permits Token, End {
    /** Which of the requests, from 0. */
    int choice();
  }

  /**
   * A token.
   *
   * @param atNs when the engine had it, of its clock
   * @param logprobs null unless asked for
   */
  record Token(int choice, int tokenId, long atNs, @Nullable TokenLogprobs logprobs)
      implements Event {}

  /** The last event of a choice. */
  record End(int choice, RequestOutcome outcome) implements Event {}

  private final Engine engine;
  private final int maxUnread;
  private final BlockingQueue<Event> events;
  private final List<RequestHandle> handles = new CopyOnWriteArrayList<>();
  private volatile boolean overflowed;

  private Generation(Engine engine, int choices, int maxUnread) {
    this.engine = engine;
    this.maxUnread = maxUnread;
    this.events = new LinkedBlockingQueue<>(maxUnread + choices); // the ends always have room
  }

  /**
   * Submits all requests, or none: if one is refused, the others are cancelled.
   *
   * @param maxUnread tokens that may wait for the client, over all requests
   * @param arrivalNs when they arrived, of the engine's clock
   * @throws ApiException if the engine refuses
   */
  static Generation submit(Engine engine, List<Request> requests, int maxUnread, long arrivalNs) {
    final Generation generation = new Generation(engine, requests.size(), maxUnread);
    for (int choice = 0; choice < requests.size(); choice++) {
      final RequestHandle handle =
          engine.submit(requests.get(choice), generation.listener(choice), arrivalNs);
      generation.handles.add(handle);
      if (generation.overflowed) {
        generation.close(); // the listener could not cancel what it did not know yet
      }
      if (handle.isDone()
          && handle.outcome().toCompletableFuture().join()
              instanceof RequestOutcome.Rejected refused) {
        generation.close();
        throw ApiException.refused(refused);
      }
    }
    return generation;
  }

  private TokenListener listener(int choice) {
    return new TokenListener() {
      private @Nullable TokenLogprobs logprobs;

      @Override
      public void onLogprobs(int index, int tokenId, TokenLogprobs told) {
        logprobs = told;
      }

      @Override
      public void onToken(int index, int tokenId) {
        final Token token = new Token(choice, tokenId, engine.clock().nanoTime(), logprobs);
        logprobs = null;
        if (!overflowed && events.size() < maxUnread) {
          events.add(token);
        } else if (!overflowed) {
          overflowed = true;
          close();
        }
      }

      @Override
      public void onDone(RequestOutcome outcome) {
        events.add(new End(choice, outcome));
      }
    };
  }

  /** Waits for the next event; null if there is none for so long. */
  @Nullable Event next(Duration longest) throws InterruptedException {
    return events.poll(longest.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** One choice is complete, by a stop string; its last event still comes. */
  void stop(int choice) {
    handles.get(choice).stop();
  }

  /** Whether tokens were lost because nobody took them. */
  boolean isOverflowed() {
    return overflowed;
  }

  /** Cancels what has not ended. Any thread. */
  @Override
  public void close() {
    handles.forEach(RequestHandle::cancel);
  }
}
