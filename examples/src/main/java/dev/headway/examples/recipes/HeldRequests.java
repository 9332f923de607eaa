package dev.headway.examples.recipes;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.request.Grammar;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Requests that wait in the engine's queue for something outside it. */
public final class HeldRequests {

  private static final Duration LONGEST = Duration.ofSeconds(10);

  private HeldRequests() {}

  // @start region="held"
  /** Submits a request at once; it is admitted when its adapter is loaded. */
  public static RequestHandle submit(
      Engine engine, int[] prompt, LoraAdapter adapter, CompletableFuture<?> loading) {
    final Hold hold = Hold.until(HoldReason.ADAPTER_LOADING, loading).withTimeout(LONGEST);
    return engine.submit(
        Request.builder("adapted", prompt).maxTokens(100).lora(adapter).hold(hold).build());
  }

  // @end

  // @start region="grammar"
  /** Submits a request at once; it is admitted when its grammar is compiled, on other threads. */
  public static RequestHandle submit(
      Engine engine, int[] prompt, Supplier<Grammar> compiler, Executor threads) {
    final CompletableFuture<Grammar> compiling = CompletableFuture.supplyAsync(compiler, threads);
    return engine.submit(
        Request.builder("structured", prompt).maxTokens(100).grammar(compiling, LONGEST).build());
  }
  // @end
}
