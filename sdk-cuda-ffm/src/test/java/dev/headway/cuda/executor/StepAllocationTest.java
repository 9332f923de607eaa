package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.api.request.TokenBias;
import dev.headway.api.step.StepOutput;
import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.driver.CudaLibrary;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.GptOssFolder;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.LoraFolder;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.reference.Precision;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.FakePlan;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Warm decode steps put nothing on the heap, neither on the engine's thread nor the device's. */
@OnCudaDriver
class StepAllocationTest {

  private static final LoraAdapter POET = new LoraAdapter(1, "poet");
  private static final int MAX_MODEL_LEN = 32;
  private static final int STEPS = 20;
  private static final int ROUNDS = 125;

  /** So many rounds take a device 0.25 s, when the compilers of the JVM are still at work. */
  private static final long ROUNDS_NS = TimeUnit.SECONDS.toNanos(5);

  @TempDir private Path poet;
  @TempDir private Path folder;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @ParameterizedTest
  @CsvSource({
    "ENABLED, LLAMA, false",
    "DISABLED, LLAMA, false",
    "ENABLED, LLAMA, true",
    "DISABLED, LLAMA, true",
    "DISABLED, QWEN3_MOE, false",
    "DISABLED, QWEN2_WITH_WINDOWS, false",
    "ENABLED, GPT_OSS_WITH_WINDOWS, false",
    "DISABLED, GPT_OSS_WITH_WINDOWS, true",
    "DISABLED, MXFP4, false",
    "DISABLED, ROUNDED, false"
  })
  void shouldAllocateNothingPerStep(CudaGraphs graphs, String name, boolean adapts)
      throws InterruptedException, IOException {
    try (Model model = model(name)) {
      final Precision precision = name.equals("ROUNDED") ? Precision.QUANTIZED : Precision.BFLOAT16;
      assertAllocatesNothing(model, graphs, adapts, precision);
    }
  }

  @AfterEach
  void lookForTheLibraryAgain() {
    if (Emulator.isActive()) {
      System.clearProperty(BlasLt.PROPERTY);
    }
  }

  /** Products with biases, which the library is given anew for each. */
  @Test
  void shouldAllocateNothingPerStepOnCublasLt() throws InterruptedException, IOException {
    if (Emulator.isActive()) {
      System.setProperty(BlasLt.PROPERTY, CudaLibrary.library().name());
    }
    shouldAllocateNothingPerStep(CudaGraphs.DISABLED, "QWEN2_WITH_WINDOWS", false);
  }

  /** Of one layer, where layers are alike; with inputs to round; or gpt-oss as it is published. */
  private Model model(String name) throws IOException {
    if (name.equals("ROUNDED")) {
      if (Emulator.isActive()) {
        new Emulator.Device().compute(9, 0).install();
      }
      final Model llama = Model.random(small(TinyModel.LLAMA.config()), 3);
      QuantizedModel.FP8_STATIC.write(llama, folder);
      return Model.load(folder);
    }
    if (!name.equals("MXFP4")) {
      return Model.random(small(TinyModel.valueOf(name).config()), 3);
    }
    new GptOssFolder(3).write(folder);
    return Model.load(folder).withMaxPositions(MAX_MODEL_LEN);
  }

  private void assertAllocatesNothing(
      Model model, CudaGraphs graphs, boolean adapts, Precision precision)
      throws InterruptedException, IOException {
    final ModelConfig tiny = model.config();
    final KvLayers layers = KvLayers.of(tiny);
    final FakePlan plan = new FakePlan().groups(layers.groups());
    if (layers.areFull()) {
      plan.saves(3, 0).loads(1, 3);
    }
    plan.constraints(new FirstEntryMask(tiny.vocabularySize(), 1, 2, 3, 5, 7, 11, 30));
    for (int i = 0; i < 2; i++) {
      final SamplingParams sampling =
          SamplingParams.builder()
              .temperature(1)
              .topK(5)
              .repetitionPenalty(i == 0 ? 1 : 1.1f)
              .tokenBias(TokenBias.NONE.withBiases(Map.of(7, 2f)).withBan(3, 4).withBan(5))
              .seed(i)
              .build();
      final Request.Builder request =
          Request.builder("r" + i, 1, 2, 3)
              .stopRule(StopRule.maxTokens(9).withMinTokens(4).withStopTokenIds(6, 29))
              .sampling(sampling);
      if (adapts && i == 0) {
        request.lora(POET);
      }
      plan.entry(request.build(), 2, 1, i + 1);
    }
    final StepOutput output = new StepOutput();
    final CudaExecutorBuilder builder =
        CudaExecutor.builder(model, new SystemNanoClock())
            .precision(precision)
            .kvBlocks(4)
            .hostBlocks(layers.areFull() ? 2 : 0)
            .maxNumSeqs(2)
            .maxNumBatchedTokens(2)
            .maxModelLen(MAX_MODEL_LEN)
            .graphs(graphs);
    if (adapts) {
      LoraFolder.write(poet, tiny, 5);
      builder.adapter(POET, poet);
    }
    try (CudaExecutor executor = builder.build()) {
      final long deviceThread = deviceThread();
      final FakePlan first = new FakePlan().groups(layers.groups()).zeroed(1, 2);
      first.entry(Request.builder("first", 1).maxTokens(1).build(), 0, 1, 1);
      run(executor, first, output); // what is read must be numbers

      long least = Long.MAX_VALUE;
      final long beginNs = System.nanoTime();
      for (int round = 0;
          least > 0 && (round < ROUNDS || System.nanoTime() - beginNs < ROUNDS_NS);
          round++) {
        final long before = allocated(deviceThread);
        for (int i = 0; i < STEPS; i++) {
          run(executor, plan, output);
        }
        least = Math.min(least, allocated(deviceThread) - before);
      }

      assertThat(output.hasFailures()).isFalse();
      assertThat(least).as("bytes of %d steps on both threads", STEPS).isZero();
    }
  }

  private static ModelConfig small(ModelConfig like) {
    return like.toBuilder()
        .vocabularySize(31)
        .hiddenSize(8)
        .layers(KvLayers.of(like).groups())
        .attention(new AttentionShape(1, 1, 8))
        .build();
  }

  private static void run(CudaExecutor executor, FakePlan plan, StepOutput output)
      throws InterruptedException {
    output.begin(plan.stepId(), plan.size());
    executor.submit(plan);
    if (!executor.await(output, TimeUnit.SECONDS.toNanos(60))) {
      throw new IllegalStateException("no answer");
    }
  }

  private long allocated(long deviceThread) {
    return threads.getCurrentThreadAllocatedBytes() + threads.getThreadAllocatedBytes(deviceThread);
  }

  private static long deviceThread() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("headway-cuda-0"))
        .findAny()
        .orElseThrow()
        .threadId();
  }
}
