package dev.headway.spring.ai;

import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.ServedModel;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.tokenizer.ByteTokenizer;
import dev.headway.serving.tool.ToolParser;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

/** An engine that runs one request at a time, and models on it. */
final class TestedEngine implements AutoCloseable {

  static final String NAME = "tested";
  private static final int MAX_MODEL_LEN = 2_048;
  private static final int MAX_QUEUED = 3;

  final Engine engine;
  final EngineTimes times = new EngineTimes();
  final ServedModel model =
      new ServedModel(
          NAME,
          new ByteTokenizer(),
          BuiltInTemplate.CHATML,
          new int[] {ByteTokenizer.EOS},
          ByteTokenizer.VOCABULARY_SIZE,
          MAX_MODEL_LEN);

  TestedEngine(Executor executor) {
    engine =
        HeadwayEngine.builder(executor)
            .config(
                SchedulerConfig.builder(
                        SchedulerLimits.builder()
                            .maxNumSeqs(1)
                            .maxNumBatchedTokens(2_048)
                            .maxModelLen(MAX_MODEL_LEN)
                            .build())
                    .queueLimits(new QueueLimits(MAX_QUEUED, 0))
                    .build())
            .probe(times)
            .build();
    engine.start(task -> Thread.ofPlatform().daemon().name("engine-under-test").unstarted(task));
  }

  /** Answers by a script, which gets the request and the text of its prompt. */
  static TestedEngine scripted(BiFunction<Request, String, String> script) {
    return new TestedEngine(TextExecutor.scripted(script, 4_096, 64));
  }

  static TestedEngine always(String answer) {
    return scripted((request, prompt) -> answer);
  }

  /** A model with weights of a seed: any text comes out, or what a grammar leaves of it. */
  static TestedEngine random(long seed) {
    final ModelConfig config =
        ModelConfig.builder(ModelFamily.LLAMA)
            .vocabularySize(ByteTokenizer.VOCABULARY_SIZE)
            .hiddenSize(32)
            .intermediateSize(64)
            .layers(1)
            .attention(new AttentionShape(2, 1, 16))
            .maxPositions(4_096)
            .outputHead(OutputHead.TIED)
            .eosTokenIds(List.of(ByteTokenizer.EOS))
            .build();
    return new TestedEngine(
        ReferenceExecutor.builder(Model.random(config, seed), new SystemNanoClock())
            .blockSize(16)
            .numBlocks(1_024)
            .maxNumSeqs(16)
            .build());
  }

  HeadwayChatModel.Builder chat() {
    return HeadwayChatModel.builder()
        .engine(engine)
        .model(model)
        .engineTimes(times)
        .toolParser(ToolParser.HERMES);
  }

  /** Waits for what another thread does. */
  static void until(BooleanSupplier condition) {
    final long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - untilNs > 0) {
        throw new AssertionError("it must hold within 30 s");
      }
      Thread.onSpinWait();
    }
  }

  /** A step that a failed test holds does not hold the next test. */
  @Override
  public void close() {
    try {
      engine.close(Duration.ofSeconds(10));
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }
}
