package dev.headway.benchmarks;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.model.RopeConfig;
import dev.headway.executor.model.RopeScaling;
import dev.headway.executor.model.WeightType;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.executor.vector.VectorExecutor;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Tokens per second of the executors that need no device, behind the engine, greedy, with random
 * weights: speed does not depend on what they are. Run alone: {@code scripts/bench.sh
 * CpuExecutorBenchmark}.
 *
 * <p>A decode is 32 steps after prompts of 16 tokens; the prompts are not counted. A prefill is a
 * prompt of 511 tokens and the first output. The score is the time of either; {@code tokens /
 * busyNs} is the rate.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
    value = 1,
    jvmArgsPrepend = {"--add-modules=jdk.incubator.vector", "-Xmx6g"})
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class CpuExecutorBenchmark {

  private static final int STEPS = 32;
  private static final int PROMPT_TOKENS = 16;
  private static final int MAX_MODEL_LEN = 512;
  private static final long SEED = 1;

  /** Who computes. */
  @Param({"vector", "reference"})
  String executor = "vector";

  /** Whose shape the model has. */
  @Param({"tinystories-656k", "qwen2.5-0.5b"})
  String model = "tinystories-656k";

  /** What is measured. */
  @Param({"decode-1", "decode-8", "prefill-512"})
  String work = "decode-1";

  private final Random random = new Random(SEED);
  private @Nullable Engine engine;
  private int vocabularySize;
  private int requests;

  /** What was made in how much time. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Rate {
    /** Tokens computed by the measured steps. */
    public long tokens;

    /** Their time, in nanoseconds. */
    public long busyNs;
  }

  /** Makes the model and the engine. */
  @Setup(Level.Trial)
  public void open() {
    final SystemNanoClock clock = new SystemNanoClock();
    final Model source = model();
    vocabularySize = source.config().vocabularySize();
    engine =
        HeadwayEngine.builder(executor(source, clock))
            .clock(clock)
            .config(
                SchedulerConfig.builder(
                        SchedulerLimits.builder()
                            .maxNumSeqs(8)
                            .maxNumBatchedTokens(MAX_MODEL_LEN)
                            .maxModelLen(MAX_MODEL_LEN)
                            .build())
                    .prefixCache(PrefixCacheOptions.disabled())
                    .build())
            .build();
  }

  private Executor executor(Model source, SystemNanoClock clock) {
    final int blocks = 1 + 8 * MAX_MODEL_LEN / SchedulerLoop.BLOCK_SIZE;
    return switch (executor) {
      case "vector" ->
          VectorExecutor.builder(source, clock)
              .blockSize(SchedulerLoop.BLOCK_SIZE)
              .numBlocks(blocks)
              .build();
      case "reference" ->
          ReferenceExecutor.builder(source, clock)
              .blockSize(SchedulerLoop.BLOCK_SIZE)
              .numBlocks(blocks)
              .build();
      default -> throw new IllegalArgumentException("executor=" + executor);
    };
  }

  private Model model() {
    return switch (model) {
      case "tinystories-656k" ->
          Model.random(
              config(ModelFamily.LLAMA, 2_048, 128, 384, 2, new AttentionShape(8, 4, 16)),
              SEED,
              WeightType.F32);
      case "qwen2.5-0.5b" ->
          Model.random(
              config(ModelFamily.QWEN2, 151_936, 896, 4_864, 24, new AttentionShape(14, 2, 64)),
              SEED,
              WeightType.BF16);
      default -> throw new IllegalArgumentException("model=" + model);
    };
  }

  private static ModelConfig config(
      ModelFamily family, int vocabulary, int hidden, int inner, int layers, AttentionShape heads) {
    final RopeConfig rope = new RopeConfig(10_000, new RopeScaling.None());
    return ModelConfig.builder(family)
        .vocabularySize(vocabulary)
        .hiddenSize(hidden)
        .intermediateSize(inner)
        .layers(layers)
        .attention(heads)
        .rope(rope)
        .rmsNormEps(1e-6f)
        .maxPositions(MAX_MODEL_LEN)
        .outputHead(OutputHead.TIED)
        .build();
  }

  /** Submits the requests and takes those of a decode through their prompts. */
  @Setup(Level.Invocation)
  public void prepare() {
    switch (work) {
      case "decode-1" -> submit(1, PROMPT_TOKENS, 1 + STEPS);
      case "decode-8" -> submit(8, PROMPT_TOKENS, 1 + STEPS);
      case "prefill-512" -> submit(1, MAX_MODEL_LEN - 1, 1);
      default -> throw new IllegalArgumentException("work=" + work);
    }
    if (work.startsWith("decode")) {
      engine().step(); // all prompts fit one step
    }
  }

  private void submit(int count, int promptTokens, int outputs) {
    for (int i = 0; i < count; i++) {
      final int[] prompt = random.ints(promptTokens, 0, vocabularySize).toArray();
      engine()
          .submit(
              Request.builder("r" + requests++, prompt)
                  .maxTokens(outputs)
                  .sampling(SamplingParams.GREEDY)
                  .build());
    }
  }

  private Engine engine() {
    if (engine == null) {
      throw new IllegalStateException("not open");
    }
    return engine;
  }

  /** Runs all requests to their ends. */
  @Benchmark
  public void run(Rate rate) {
    final Engine running = engine();
    final long beginNs = System.nanoTime();
    while (running.step()) {}
    rate.busyNs += System.nanoTime() - beginNs;
    rate.tokens +=
        switch (work) {
          case "decode-1" -> STEPS;
          case "decode-8" -> 8 * STEPS;
          default -> MAX_MODEL_LEN - 1;
        };
  }

  /** Ends the engine, which closes its executor. */
  @TearDown(Level.Trial)
  public void close() {
    engine().close();
  }
}
