package dev.headway.api.engine;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitTimes;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.api.time.ClockAnchor;
import dev.headway.api.time.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An engine that only does what a test says: it gives a request the tokens and the end that the
 * test calls for, and refuses ids that were submitted before.
 */
final class ManualEngine implements Engine {

  final List<Handle> handles = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();
  private Consumer<Handle> whenSubmitted = handle -> {};
  private long nowNs;

  /** Does something with each request before its handle is returned. */
  void whenSubmitted(Consumer<Handle> action) {
    whenSubmitted = action;
  }

  void setTime(long timeNs) {
    nowNs = timeNs;
  }

  @Override
  public RequestHandle submit(Request request, TokenListener listener) {
    return submit(request, listener, nowNs);
  }

  @Override
  public RequestHandle submit(Request request, TokenListener listener, long arrivalNs) {
    if (arrivalNs > nowNs) {
      throw new IllegalArgumentException("arrivalNs must be in [0, now]: arrivalNs=" + arrivalNs);
    }
    final Handle handle = new Handle(request.id(), listener, arrivalNs);
    handles.add(handle);
    if (ids.add(request.id())) {
      whenSubmitted.accept(handle);
    } else {
      handle.end(new RequestOutcome.Rejected(request.id(), RejectReason.DUPLICATE_ID, "id in use"));
    }
    return handle;
  }

  @Override
  public EngineLimits limits() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void setLimits(EngineLimits limits) {
    throw new UnsupportedOperationException();
  }

  @Override
  public NanoClock clock() {
    return new NanoClock() {
      @Override
      public long nanoTime() {
        return nowNs;
      }

      @Override
      public void sleepUntil(long deadlineNs) {
        nowNs = Math.max(nowNs, deadlineNs);
      }

      @Override
      public ClockAnchor anchor() {
        return new ClockAnchor(0, 0, 0);
      }

      @Override
      public boolean isVirtual() {
        return true;
      }
    };
  }

  /** A request, its listener, and how often it was cancelled. */
  static final class Handle implements RequestHandle {

    private final String id;
    private final TokenListener listener;
    private final long arrivalNs;
    private final CompletableFuture<RequestOutcome> outcome = new CompletableFuture<>();
    private int tokens;
    private int cancellations;

    private Handle(String id, TokenListener listener, long arrivalNs) {
      this.id = id;
      this.listener = listener;
      this.arrivalNs = arrivalNs;
    }

    void token(int tokenId) {
      token(tokenId, null);
    }

    void token(int tokenId, @Nullable TokenLogprobs logprobs) {
      if (logprobs != null) {
        listener.onLogprobs(tokens, tokenId, logprobs);
      }
      listener.onToken(tokens++, tokenId);
    }

    RequestOutcome end(FinishReason reason) {
      return end(
          new RequestOutcome.Finished(
              id, reason, new int[tokens], 0, arrivalNs, arrivalNs, null, WaitTimes.NONE));
    }

    private RequestOutcome end(RequestOutcome value) {
      outcome.complete(value);
      listener.onDone(value);
      return value;
    }

    long arrivalNs() {
      return arrivalNs;
    }

    int cancellations() {
      return cancellations;
    }

    TokenListener listener() {
      return listener;
    }

    @Override
    public String id() {
      return id;
    }

    @Override
    public void cancel() {
      cancellations++;
    }

    @Override
    public void stop() {
      throw unused();
    }

    @Override
    public boolean isDone() {
      return outcome.isDone();
    }

    @Override
    public CompletionStage<RequestOutcome> outcome() {
      return outcome;
    }

    @Override
    public RequestOutcome await() {
      throw unused();
    }
  }

  private static UnsupportedOperationException unused() {
    return new UnsupportedOperationException("not part of this test");
  }

  @Override
  public boolean step() {
    throw unused();
  }

  @Override
  public void start(ThreadFactory threads) {
    throw unused();
  }

  @Override
  public boolean drain(Duration timeout) {
    throw unused();
  }

  @Override
  public void close() {
    throw unused();
  }

  @Override
  public boolean close(Duration timeout) {
    throw unused();
  }

  @Override
  public EngineHealth health() {
    throw unused();
  }

  @Override
  public CompletionStage<Integer> retainPrefix(Request prefix, KvCacheRetention retention) {
    throw unused();
  }

  @Override
  public CompletionStage<Boolean> resetPrefixCache(ResetScope scope) {
    throw unused();
  }

  @Override
  public void setPauseState(PauseState pauseState) {
    throw unused();
  }

  @Override
  public void report(JourneyEvent event) {
    throw unused();
  }

  @Override
  public EngineState state() {
    throw unused();
  }

  @Override
  public EngineStats stats() {
    throw unused();
  }
}
