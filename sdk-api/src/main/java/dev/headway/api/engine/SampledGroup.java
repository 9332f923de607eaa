package dev.headway.api.engine;

import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.TokenLogprobs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Several samples of one prompt ({@code n} of OpenAI's protocol), as requests of an engine that
 * belong together: {@code id-0} to {@code id-(n-1)}, by which records tell who does, with seeds
 * that count up from that of the sampling parameters. A group of one is the request alone.
 *
 * <p>The prompt is computed once: the first request computes it, and the others are held until it
 * has its first token. Then they find the prompt's full blocks in the prefix cache, held by the
 * first, and compute the tokens behind those, fewer than a block and at least one. Should the first
 * end without a token, the next takes its place. Without prefix caching in the engine nothing can
 * be shared: submit such requests one by one. Those with {@link PrefixReuse#SKIPPED} are not held.
 *
 * <p>Each request ends, and can be cancelled, for itself; {@link TokenStream#close} ends all.
 * Listeners of a group must be those of {@link #listener}. Any thread; a group is submitted once.
 *
 * <p>Source: vLLM's {@code ParentRequest}, which submits as many requests and lets each compute
 * what of the prompt is not cached when it is admitted.
 *
 * {@snippet :
 * SampledGroup group =
 *     SampledGroup.of("answer", 4, sampling, id -> Request.builder(id, prompt).maxTokens(100));
 * try (TokenStream stream = TokenStream.submitGroups(engine, List.of(group), 1_024, nowNs)) {
 *   stream.forEach(token -> print(token.request(), token.tokenId()));
 * }
 * }
 */
public final class SampledGroup {

  private final List<Request> requests;

  /** What holds each of the others, in order; empty if none is held. */
  private final List<CompletableFuture<Void>> holds;

  // guarded by this

  /** The request that computes the prompt. */
  private int first;

  private boolean isPromptComputed;
  private final boolean[] ended;

  private SampledGroup(List<Request> requests, List<CompletableFuture<Void>> holds) {
    this.requests = List.copyOf(requests);
    this.holds = List.copyOf(holds);
    this.ended = new boolean[requests.size()];
  }

  /**
   * Makes a group; nothing is submitted.
   *
   * @param id name of the group
   * @param n requests, >= 1
   * @param sampling of the first request; the others count its seed up
   * @param child makes a request of an id, with everything but its sampling parameters, which are
   *     set here; called {@code n} times
   * @throws IllegalArgumentException if {@code n} is out of range, or a request is not valid
   */
  public static SampledGroup of(
      String id, int n, SamplingParams sampling, Function<String, Request.Builder> child) {
    if (n < 1) {
      throw new IllegalArgumentException("n must be >= 1: id=" + id + ", n=" + n);
    }
    final Request first = child.apply(n == 1 ? id : id + "-0").sampling(sampling).build();
    final List<Request> requests = new ArrayList<>(List.of(first));
    final List<CompletableFuture<Void>> holds = new ArrayList<>();
    for (int index = 1; index < n; index++) {
      final Request.Builder builder =
          child
              .apply(id + "-" + index)
              .sampling(sampling.toBuilder().seed(sampling.seed() + index).build());
      if (first.prefixReuse() != PrefixReuse.SKIPPED) {
        final CompletableFuture<Void> computed = new CompletableFuture<>();
        holds.add(computed);
        builder.hold(Hold.until(HoldReason.EXTERNAL, computed));
      }
      requests.add(builder.build());
    }
    return new SampledGroup(requests, holds);
  }

  /** The requests, to be submitted in this order. */
  public List<Request> requests() {
    return requests;
  }

  /**
   * The listener to submit a request of the group with.
   *
   * @param index of the request, in [0, n)
   * @param listener is notified of everything
   */
  public TokenListener listener(int index, TokenListener listener) {
    return holds.isEmpty() ? listener : new Follower(index, listener);
  }

  /**
   * Submits the requests in order; see {@link Engine#submit}. One that is refused has ended at once
   * and does not keep the others from being submitted.
   *
   * @param listener makes the listener of a request, by its index
   */
  public List<RequestHandle> submit(Engine engine, IntFunction<TokenListener> listener) {
    final List<RequestHandle> handles = new ArrayList<>();
    for (int index = 0; index < requests.size(); index++) {
      handles.add(engine.submit(requests.get(index), listener(index, listener.apply(index))));
    }
    return handles;
  }

  /** A request has a token, so its prompt is computed. */
  private void computed() {
    synchronized (this) {
      if (isPromptComputed) {
        return;
      }
      isPromptComputed = true;
    }
    holds.forEach(held -> held.complete(null));
  }

  private void ended(int index) {
    final int next;
    synchronized (this) {
      ended[index] = true;
      if (isPromptComputed || index != first) {
        return;
      }
      while (first < ended.length && ended[first]) {
        first++;
      }
      next = first;
    }
    if (next < requests.size()) {
      holds.get(next - 1).complete(null);
    }
  }

  /** Tells the group of what it waits for. */
  private final class Follower implements TokenListener {

    private final int index;
    private final TokenListener listener;

    Follower(int index, TokenListener listener) {
      this.index = index;
      this.listener = listener;
    }

    @Override
    public void onLogprobs(int position, int tokenId, TokenLogprobs logprobs) {
      listener.onLogprobs(position, tokenId, logprobs);
    }

    @Override
    public void onToken(int position, int tokenId) {
      if (position == 0) {
        computed();
      }
      listener.onToken(position, tokenId);
    }

    @Override
    public void onTurnEnd(TurnOutcome turn) {
      listener.onTurnEnd(turn);
    }

    @Override
    public void onDone(RequestOutcome outcome) {
      ended(index);
      listener.onDone(outcome);
    }
  }
}
