package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an engine on some executor made of some requests; the engine is closed at the end.
 *
 * @param tokens by request
 * @param logprobs by request
 * @param causes by request: why it ended early; null if it did not
 */
record Generation(
    List<int[]> tokens,
    List<List<TokenLogprobs>> logprobs,
    List<@Nullable Throwable> causes,
    int preemptions) {

  /** Submits all requests at once and runs them to their ends, which no failure may be. */
  static Generation of(Executor executor, SchedulerConfig config, List<Request> requests) {
    final Generation all = withFailures(executor, config, requests);
    assertThat(all.causes).containsOnlyNulls();
    return all;
  }

  /** Submits all requests at once and runs them to their ends. */
  static Generation withFailures(
      Executor executor, SchedulerConfig config, List<Request> requests) {
    final List<RequestHandle> handles = new ArrayList<>();
    final List<List<TokenLogprobs>> logprobs = new ArrayList<>();
    try (Engine engine =
        HeadwayEngine.builder(executor).clock(new SystemNanoClock()).config(config).build()) {
      for (Request request : requests) {
        final List<TokenLogprobs> heard = new ArrayList<>();
        logprobs.add(heard);
        handles.add(engine.submit(request, new Listener(heard)));
      }
      while (engine.step()) {}
    }
    final List<int[]> tokens = new ArrayList<>();
    final List<@Nullable Throwable> causes = new ArrayList<>();
    int preemptions = 0;
    for (RequestHandle handle : handles) {
      final RequestOutcome outcome = handle.outcome().toCompletableFuture().join();
      assertThat(outcome).isInstanceOf(Finished.class);
      causes.add(((Finished) outcome).cause());
      tokens.add(((Finished) outcome).outputTokenIds());
      preemptions += ((Finished) outcome).preemptions();
    }
    return new Generation(tokens, logprobs, causes, preemptions);
  }

  private record Listener(List<TokenLogprobs> heard) implements TokenListener {
    @Override
    public void onToken(int index, int tokenId) {}

    @Override
    public void onLogprobs(int index, int tokenId, TokenLogprobs answer) {
      heard.add(answer);
    }
  }
}
