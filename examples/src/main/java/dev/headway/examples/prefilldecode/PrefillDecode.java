package dev.headway.examples.prefilldecode;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.Model;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/** Runs both engines in this process: {@code PrefillDecode MODEL_FOLDER}. */
public final class PrefillDecode {

  private static final int BLOCK_SIZE = 16;

  private PrefillDecode() {}

  /** Computes a prompt on one engine and prints what the other makes of it. */
  public static void main(String[] args) throws IOException, InterruptedException {
    try (Model model = Model.load(Path.of(args[0]))) {
      System.out.println(run(model, new int[] {1, 403, 407, 261, 378}, 20));
    }
  }

  static RequestOutcome run(Model model, int[] prompt, int maxTokens)
      throws IOException, InterruptedException {
    NanoClock clock = new SystemNanoClock();
    // @start region="engines"
    Executor prefillExecutor = executor(model, clock);
    PrefillConnector sends =
        new PrefillConnector(blocksOf(prefillExecutor), BLOCK_SIZE, Duration.ofSeconds(30), clock);
    Executor decodeExecutor = executor(model, clock);
    DecodeConnector fetches = new DecodeConnector(blocksOf(decodeExecutor), BLOCK_SIZE);

    try (Engine prefill =
            HeadwayEngine.builder(prefillExecutor).clock(clock).kvConnector(sends).build();
        Engine decode =
            HeadwayEngine.builder(decodeExecutor).clock(clock).kvConnector(fetches).build()) {
      prefill.start(Thread.ofPlatform().name("prefill").factory());
      decode.start(Thread.ofPlatform().name("decode").factory());

      PrefillDecodeRouter router = new PrefillDecodeRouter(prefill, decode, sends.address());
      return router.generate("hello", prompt, maxTokens, SamplingParams.GREEDY);
    }
    // @end
  }

  private static Executor executor(Model model, NanoClock clock) {
    return ReferenceExecutor.builder(model, clock).blockSize(BLOCK_SIZE).numBlocks(64).build();
  }

  private static KvBlockAccess blocksOf(Executor executor) {
    return Objects.requireNonNull(executor.kvBlockAccess(), "its blocks must be reachable");
  }
}
