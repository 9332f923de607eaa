package dev.headway.loadgen.client;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.ResetScope;
import dev.headway.loadgen.client.Exchange.Status;
import dev.headway.loadgen.dataset.Prompt;
import dev.headway.routing.timing.HostClock;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An engine in this process, which its own thread drives; the load of a server without the server.
 * Requests are submitted by one thread, so that the one that keeps the schedule makes no prompts.
 * Their answers have no text. The engine is not closed.
 */
public final class EngineTarget implements Target {

  private static final long PATIENCE_S = 10;

  private final Engine engine;
  private final boolean ignoresEos;
  private final ExecutorService submitter =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("headway-bench-submit").factory());
  private final Set<RequestHandle> underWay = ConcurrentHashMap.newKeySet();

  /**
   * Sends to an engine.
   *
   * @param engine started
   * @param ignoresEos whether requests go on to their length
   */
  public EngineTarget(Engine engine, boolean ignoresEos) {
    this.engine = engine;
    this.ignoresEos = ignoresEos;
  }

  @Override
  public String name() {
    return "engine in this process";
  }

  @Override
  public void send(Call call, Exchange exchange) {
    try {
      submitter.execute(() -> submit(call, exchange));
    } catch (RejectedExecutionException e) {
      exchange.failed(Status.ABORTED, HostClock.nanoTime(), "the client is closed");
    }
  }

  private void submit(Call call, Exchange exchange) {
    try {
      final Request request = request(call);
      exchange.sent(HostClock.nanoTime());
      final RequestHandle handle = engine.submit(request, new Answer(exchange));
      underWay.add(handle);
      if (handle.isDone()) {
        underWay.remove(handle);
      } else {
        handle
            .outcome()
            .thenAccept(outcome -> underWay.remove(handle)); // also if it has ended meanwhile
      }
    } catch (IllegalArgumentException e) {
      exchange.failed(Status.ERROR, HostClock.nanoTime(), String.valueOf(e.getMessage()));
    }
  }

  private Request request(Call call) {
    if (!(call.prompt().get() instanceof Prompt.Tokens tokens)) {
      throw new IllegalArgumentException("an engine takes numbers of tokens, not text");
    }
    final StopRule stop = StopRule.maxTokens(call.maxTokens());
    final Request.Builder builder =
        Request.builder(call.id(), tokens.ids())
            .stopRule(ignoresEos ? stop.ignoringEos() : stop)
            .priority(call.priority());
    return (call.tenant() == null ? builder : builder.tenant(call.tenant())).build();
  }

  /** On the engine's thread, which a rejection alone is not on. */
  private static final class Answer implements TokenListener {
    private final Exchange exchange;

    Answer(Exchange exchange) {
      this.exchange = exchange;
    }

    @Override
    public void onToken(int index, int tokenId) {
      final long nowNs = HostClock.nanoTime();
      if (index == 0) {
        exchange.head(nowNs);
      }
      exchange.chunk(nowNs, "");
    }

    @Override
    public void onDone(RequestOutcome outcome) {
      final long nowNs = HostClock.nanoTime();
      switch (outcome) {
        case RequestOutcome.Rejected rejected ->
            exchange.failed(Status.ERROR, nowNs, rejected.message());
        case RequestOutcome.Finished finished -> {
          exchange.usage(-1, -1, finished.outputTokens());
          exchange.finishReason(finished.reason().label());
          if (isAnswered(finished.reason())) {
            exchange.done(nowNs);
          } else {
            final boolean aborted = finished.reason() == FinishReason.ABORTED;
            exchange.failed(
                aborted ? Status.ABORTED : Status.ERROR,
                nowNs,
                "the engine ended it: reason=" + finished.reason().label());
          }
        }
      }
    }

    private static boolean isAnswered(FinishReason reason) {
      return reason == FinishReason.STOP
          || reason == FinishReason.LENGTH
          || reason == FinishReason.REPETITION;
    }
  }

  @Override
  public boolean resetCache() {
    try {
      return engine
          .resetPrefixCache(ResetScope.IDLE_ONLY)
          .toCompletableFuture()
          .get(PATIENCE_S, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public Map<String, Double> counters() {
    final EngineStats stats = engine.stats();
    final Map<String, Double> counters = new TreeMap<>();
    counters.put("finished", (double) stats.finished());
    counters.put("rejected", (double) stats.rejected());
    counters.put("preemptions", (double) stats.scheduler().preemptions());
    counters.put("prefix_queried_tokens", (double) stats.scheduler().prefixQueriedTokens());
    counters.put("prefix_hit_tokens", (double) stats.scheduler().prefixHitTokens());
    counters.put("steps", (double) stats.steps());
    counters.put("steps_failed", (double) stats.stepsFailed());
    return counters;
  }

  @Override
  public void abort() {
    underWay.forEach(RequestHandle::cancel);
  }

  @Override
  public void close() {
    submitter.shutdown();
    abort();
  }
}
