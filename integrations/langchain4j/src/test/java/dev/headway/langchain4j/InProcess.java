package dev.headway.langchain4j;

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
import dev.headway.serving.chat.ChatTemplate;
import dev.headway.serving.tokenizer.ByteTokenizer;
import dev.headway.serving.tool.ToolParser;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;

/** An engine that runs, and models on it. */
final class InProcess implements AutoCloseable {

  static final String NAME = "tested";

  final Engine engine;
  final EngineTimes times;
  final ServedModel model;

  private InProcess(Engine engine, EngineTimes times, ServedModel model) {
    this.engine = engine;
    this.times = times;
    this.model = model;
  }

  /** What differs from test to test. */
  static final class Setup {
    int maxNumSeqs = 16;
    int maxModelLen = 4_096;
    int maxQueued;
    ChatTemplate template = BuiltInTemplate.CHATML;

    InProcess start(Executor executor) {
      final EngineTimes times = new EngineTimes();
      final Engine engine =
          HeadwayEngine.builder(executor)
              .config(
                  SchedulerConfig.builder(
                          SchedulerLimits.builder()
                              .maxNumSeqs(maxNumSeqs)
                              .maxNumBatchedTokens(2_048)
                              .maxModelLen(maxModelLen)
                              .build())
                      .queueLimits(new QueueLimits(maxQueued, 0))
                      .build())
              .probe(times)
              .build();
      engine.start(task -> Thread.ofPlatform().daemon().name("engine-under-test").unstarted(task));
      return new InProcess(
          engine,
          times,
          new ServedModel(
              NAME,
              new ByteTokenizer(),
              template,
              new int[] {ByteTokenizer.EOS},
              ByteTokenizer.VOCABULARY_SIZE,
              maxModelLen));
    }
  }

  /** Answers by a script, which gets the request and the text of its prompt. */
  static InProcess scripted(BiFunction<Request, String, String> script) {
    return new Setup().start(TextExecutor.scripted(script, 4_096, 64));
  }

  static InProcess always(String answer) {
    return scripted((request, prompt) -> answer);
  }

  /** A model with weights of a seed: any text comes out, or what a grammar leaves of it. */
  static Executor random(long seed) {
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

  HeadwayChatModel.Builder chat() {
    return HeadwayChatModel.builder()
        .engine(engine)
        .model(model)
        .engineTimes(times)
        .toolParser(ToolParser.HERMES);
  }

  HeadwayStreamingChatModel.Builder streaming() {
    return HeadwayStreamingChatModel.builder()
        .engine(engine)
        .model(model)
        .engineTimes(times)
        .toolParser(ToolParser.HERMES);
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
