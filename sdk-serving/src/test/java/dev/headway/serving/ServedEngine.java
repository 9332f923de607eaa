package dev.headway.serving;

import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.chat.ChatTemplate;
import dev.headway.serving.tokenizer.ByteTokenizer;
import java.time.Duration;
import java.util.List;

/** An engine that runs, and what models of frameworks need of it. */
public final class ServedEngine implements AutoCloseable {

  /** What the model is called. */
  public static final String NAME = "tested";

  /** The engine, started. */
  public final Engine engine;

  /** Its probe. */
  public final EngineTimes times = new EngineTimes();

  /** What it serves: a token is a byte. */
  public final ServedModel model;

  private ServedEngine(Setup setup, Executor executor) {
    final SchedulerLimits limits =
        SchedulerLimits.builder()
            .maxNumSeqs(setup.maxNumSeqs)
            .maxNumBatchedTokens(2_048)
            .maxModelLen(setup.maxModelLen)
            .build();
    engine =
        HeadwayEngine.builder(executor)
            .config(
                SchedulerConfig.builder(limits)
                    .queueLimits(new QueueLimits(setup.maxQueued, 0))
                    .build())
            .probe(times)
            .build();
    engine.start(task -> Thread.ofPlatform().daemon().name("engine-under-test").unstarted(task));
    model =
        new ServedModel(
            NAME,
            new ByteTokenizer(),
            setup.template,
            new int[] {ByteTokenizer.EOS},
            ByteTokenizer.VOCABULARY_SIZE,
            setup.maxModelLen);
  }

  /** What differs from test to test. */
  public static final class Setup {
    /** Most requests running. */
    public int maxNumSeqs = 16;

    /** Longest prompt and answer, in tokens. */
    public int maxModelLen = 4_096;

    /** Most requests before others are refused; 0 for no limit. */
    public int maxQueued;

    /** Messages to text. */
    public ChatTemplate template = BuiltInTemplate.CHATML;

    /** Starts an engine, which owns the executor. */
    public ServedEngine start(Executor executor) {
      return new ServedEngine(this, executor);
    }
  }

  /** A model with weights of a seed: any text comes out, or what a grammar leaves of it. */
  public static Executor random(long seed) {
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
    return ReferenceExecutor.builder(Model.random(config, seed), new SystemNanoClock())
        .blockSize(16)
        .numBlocks(1_024)
        .maxNumSeqs(16)
        .build();
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
