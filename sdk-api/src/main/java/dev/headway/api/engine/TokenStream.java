package dev.headway.api.engine;

import dev.headway.api.request.Request;
import dev.headway.api.step.TokenLogprobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Tokens to pull, of one request or of several that make up one answer, from a buffer with a bound.
 *
 * {@snippet :
 * try (TokenStream stream = TokenStream.submit(engine, request, 1_024)) {
 *   for (TokenStream.Token token : stream) {
 *     print(token.tokenId());
 *   }
 *   return stream.handles().getFirst().await();
 * }
 * }
 *
 * <p>The engine thread never waits for the consumer: a token that finds the buffer full is lost,
 * and the requests of the stream are cancelled, which frees their KV blocks ({@link
 * #isOverflowed}). It may wait for a lock while the consumer is in the buffer, and allocates an
 * event and a node for each token.
 *
 * <p>{@link #next}, {@link #isDone} and the iterator are for one consuming thread, which must not
 * be the engine thread; everything else is for any thread. Closing a stream cancels what has not
 * ended.
 */
public final class TokenStream implements Iterable<TokenStream.Token>, AutoCloseable {

  /** What comes out of the buffer. */
  public sealed interface Event {
    /** Which of the requests it is of, from 0, in the order of their submission. */
    int request();
  }

  /**
   * A token.
   *
   * @param request which of the requests it is of, from 0
   * @param tokenId the token
   * @param atNs when the engine had it, of the engine's clock
   * @param logprobs null unless the request asks for them and the executor reports them
   */
  public record Token(int request, int tokenId, long atNs, @Nullable TokenLogprobs logprobs)
      implements Event {}

  /**
   * The last event of a request.
   *
   * @param request which of the requests has ended, from 0
   * @param outcome what became of it
   */
  public record End(int request, RequestOutcome outcome) implements Event {}

  private final Engine engine;
  private final int maxUnreadTokens;
  private final BlockingQueue<Event> events;
  private final AtomicInteger unreadTokens = new AtomicInteger(); // of the events, without ends
  private final List<RequestHandle> handles = new CopyOnWriteArrayList<>();
  private volatile boolean overflowed;
  private int endsTaken;

  private TokenStream(Engine engine, int requests, int maxUnreadTokens) {
    if (requests < 1 || maxUnreadTokens < 1) {
      throw new IllegalArgumentException(
          "a stream must have >= 1 requests and maxUnreadTokens >= 1: requests="
              + requests
              + ", maxUnreadTokens="
              + maxUnreadTokens);
    }
    this.engine = engine;
    this.maxUnreadTokens = maxUnreadTokens;
    this.events = new LinkedBlockingQueue<>(maxUnreadTokens + requests); // the ends have room
  }

  /**
   * Submits a request. Never blocks; a request that is refused has ended at once.
   *
   * @param maxUnreadTokens tokens that may wait for the consumer, >= 1
   */
  public static TokenStream submit(Engine engine, Request request, int maxUnreadTokens) {
    return submit(engine, List.of(request), maxUnreadTokens, engine.clock().nanoTime());
  }

  /**
   * Submits several requests, or none: if one is refused, those before it are cancelled and those
   * after it not submitted. Never blocks.
   *
   * @param maxUnreadTokens tokens that may wait for the consumer, over all requests, >= 1
   * @param arrivalNs when they arrived, of the engine's clock
   * @throws IllegalArgumentException if there are no requests, or the engine throws it
   */
  public static TokenStream submit(
      Engine engine, List<Request> requests, int maxUnreadTokens, long arrivalNs) {
    final TokenStream stream = new TokenStream(engine, requests.size(), maxUnreadTokens);
    return stream.submitAll(requests, (index, listener) -> listener, arrivalNs);
  }

  /**
   * The same for groups of samples, whose prompts are computed once each. Requests are counted over
   * all groups, in order.
   *
   * @throws IllegalArgumentException if there are no groups, or the engine throws it
   */
  public static TokenStream submitGroups(
      Engine engine, List<SampledGroup> groups, int maxUnreadTokens, long arrivalNs) {
    final List<Request> requests = new ArrayList<>();
    final List<UnaryOperator<TokenListener>> wirings = new ArrayList<>();
    for (SampledGroup group : groups) {
      for (int index = 0; index < group.requests().size(); index++) {
        final int ofGroup = index;
        requests.add(group.requests().get(index));
        wirings.add(listener -> group.listener(ofGroup, listener));
      }
    }
    final TokenStream stream = new TokenStream(engine, requests.size(), maxUnreadTokens);
    return stream.submitAll(
        requests, (index, listener) -> wirings.get(index).apply(listener), arrivalNs);
  }

  private TokenStream submitAll(List<Request> requests, Wiring wiring, long arrivalNs) {
    try {
      for (int i = 0; i < requests.size() && refusal().isEmpty(); i++) {
        handles.add(engine.submit(requests.get(i), wiring.of(i, listener(i)), arrivalNs));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    if (overflowed || refusal().isPresent()) {
      close(); // the listener could not cancel what it did not have yet
    }
    return this;
  }

  /** What stands between the engine and the stream. */
  private interface Wiring {
    TokenListener of(int index, TokenListener listener);
  }

  private TokenListener listener(int request) {
    return new TokenListener() {
      private @Nullable TokenLogprobs logprobs;

      @Override
      public void onLogprobs(int index, int tokenId, TokenLogprobs reported) {
        logprobs = reported;
      }

      @Override
      public void onToken(int index, int tokenId) {
        final Token token = new Token(request, tokenId, engine.clock().nanoTime(), logprobs);
        logprobs = null;
        if (!overflowed && unreadTokens.get() < maxUnreadTokens) {
          unreadTokens.incrementAndGet();
          events.add(token);
        } else if (!overflowed) {
          overflowed = true;
          close();
        }
      }

      @Override
      public void onDone(RequestOutcome outcome) {
        events.add(new End(request, outcome));
      }
    };
  }

  /** The requests submitted, in order. */
  public List<RequestHandle> handles() {
    return List.copyOf(handles);
  }

  /** Why the engine refused a request, if it did. */
  public Optional<RequestOutcome.Rejected> refusal() {
    if (!handles.isEmpty()
        && handles.getLast().isDone()
        && handles.getLast().outcome().toCompletableFuture().join()
            instanceof RequestOutcome.Rejected refused) {
      return Optional.of(refused);
    }
    return Optional.empty();
  }

  /**
   * Waits for the next event.
   *
   * @param timeout longest wait, of real time; zero for none
   * @return null if there was none in that time, or {@link #isDone}
   * @throws InterruptedException if the consumer is interrupted while waiting; nothing is cancelled
   */
  public @Nullable Event next(Duration timeout) throws InterruptedException {
    return isDone()
        ? null
        : taken(events.poll(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS));
  }

  private @Nullable Event taken(@Nullable Event event) {
    if (event instanceof Token) {
      unreadTokens.decrementAndGet();
    } else if (event instanceof End) {
      endsTaken++;
    }
    return event;
  }

  /** Whether the consumer has taken the end of every request submitted. */
  public boolean isDone() {
    return endsTaken == handles.size();
  }

  /** Events that wait for the consumer, ends included. */
  public int unread() {
    return events.size();
  }

  /** Whether tokens were lost, and the requests cancelled, because the buffer was full. */
  public boolean isOverflowed() {
    return overflowed;
  }

  /**
   * Iterates over the tokens of all requests, each once however often it is called, and waits for
   * them. It ends when all requests have ended, however they did: their outcomes are in {@link
   * #handles}. A thread that is interrupted while it waits cancels them and gets a {@link
   * CancellationException}; a consumer that was too slow gets an {@link IllegalStateException} in
   * place of the tokens lost.
   */
  @Override
  public Iterator<Token> iterator() {
    return new Iterator<>() {
      private @Nullable Token token;

      @Override
      public boolean hasNext() {
        while (token == null && !isDone()) {
          token = await() instanceof Token next ? next : null;
        }
        if (token == null && overflowed) {
          throw new IllegalStateException(
              "tokens must be read in time, or they are lost and the request is cancelled: id="
                  + handles.getFirst().id()
                  + ", maxUnreadTokens="
                  + maxUnreadTokens);
        }
        return token != null;
      }

      @Override
      public Token next() {
        if (!hasNext()) {
          throw new NoSuchElementException("every request has ended: requests=" + handles.size());
        }
        final Token next = Objects.requireNonNull(token);
        token = null;
        return next;
      }
    };
  }

  private @Nullable Event await() {
    try {
      return taken(events.take());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
      final CancellationException cancelled =
          new CancellationException(
              "interrupted while waiting for a token: id=" + handles.getFirst().id());
      cancelled.initCause(e);
      throw cancelled;
    }
  }

  /** Cancels what has not ended; what was buffered can still be taken. */
  @Override
  public void close() {
    handles.forEach(RequestHandle::cancel);
  }
}
