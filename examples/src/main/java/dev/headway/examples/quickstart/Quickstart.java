package dev.headway.examples.quickstart;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.SystemNanoClock;

/**
 * An engine embedded in a program: build, start, submit, receive tokens, close.
 *
 * <p>The executor here takes as long as a model would and makes tokens up; a server puts its own
 * {@link Executor} in that place and changes nothing else.
 */
public final class Quickstart {
  private Quickstart() {}

  /** Generates 16 tokens and prints them as they come. */
  public static void main(String[] arguments) throws InterruptedException {
    // @start region="embed"
    NanoClock clock = new SystemNanoClock();
    KvCacheShape kvCache = KvCacheShape.builder().blockSize(16).blocks(4_096).build();
    ExecutorShape shape =
        ExecutorShape.builder().kvCache(kvCache).maxNumSeqs(64).vocabularySize(128_256).build();
    Executor executor =
        new SimulatedExecutor(shape, LinearLatencyModel.LLAMA_3_1_8B_ON_H100, clock, 42);

    try (Engine engine = HeadwayEngine.builder(executor).clock(clock).build()) {
      engine.start(Thread.ofPlatform().name("headway").factory());

      Request request = Request.builder("hello", 9906, 1917, 0).maxTokens(16).build();
      TokenListener printer =
          new TokenListener() {
            @Override
            public void onToken(int index, int tokenId) {
              System.out.println("token " + index + ": " + tokenId);
            }
          };

      RequestHandle handle = engine.submit(request, printer); // from any thread; never blocks
      System.out.println(handle.await());
    } // close() ends what is still alive: no handle is left undone
    // @end
  }
}
