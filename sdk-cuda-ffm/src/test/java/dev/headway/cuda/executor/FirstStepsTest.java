package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.FirstOfKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.driver.CudaLibrary;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.GptOssFolder;
import dev.headway.executor.model.LoraFolder;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.reference.Precision;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.FakePlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first request of a process meets nothing that is done for the first time. */
@OnCudaDriver
@EmulatorOnly("a driver must be asked how often it loaded, planned and recorded")
class FirstStepsTest {
  private static final int MAX_NUM_SEQS = 9;
  private static final LoraAdapter POET = new LoraAdapter(1, "poet");

  @TempDir private Path poet;
  @TempDir private Path gptOss;

  @BeforeEach
  void workOnlyWhenSomebodyWaits() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
  }

  @AfterEach
  void lookForTheLibraryAgain() {
    System.clearProperty(BlasLt.PROPERTY);
  }

  /** What a step must not do, counted since the driver was loaded. */
  private record FirstTimes(
      int recordings, int uploads, int modules, int kernels, int lookUps, int plans) {
    static FirstTimes now() {
      return new FirstTimes(
          Emulator.calls("cuGraphInstantiateWithFlags"),
          Emulator.lateUploads(),
          Emulator.calls("cuModuleLoadDataEx"),
          Emulator.lazyLoads(),
          Emulator.calls("cuModuleGetFunction"),
          Emulator.plannedProducts());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ENABLED, true, QWEN3, false",
    "ENABLED, false, QWEN3, true",
    "DISABLED, true, QWEN3, false",
    "DISABLED, false, QWEN3, true",
    "ENABLED, true, GLM4_MOE, false",
    "ENABLED, false, GEMMA3, false",
    "DISABLED, false, MIXTRAL, false",
    "ENABLED, false, GPT_OSS, false",
    "DISABLED, true, GPT_OSS, true",
    "ENABLED, true, MXFP4, true",
    "DISABLED, false, MXFP4, false"
  })
  void shouldLoadPlanAndRecordNothingInTraffic(
      CudaGraphs graphs, boolean library, String name, boolean adapts) throws IOException {
    System.setProperty(BlasLt.PROPERTY, library ? CudaLibrary.library().name() : "none.so");
    final long seed = TestSeed.VALUE;
    try (Model model = model(name, seed)) {
      final FirstTimes before = FirstTimes.now();
      final CudaExecutorBuilder builder = builder(model).kvBlocks(400).graphs(graphs);
      if (adapts) {
        LoraFolder.write(poet, model.config(), seed);
        builder.adapter(POET, poet);
      }
      final CudaExecutor executor = builder.build();
      final FirstTimes ready = FirstTimes.now();

      final Set<FirstOfKind> said = EnumSet.noneOf(FirstOfKind.class);
      Generation.of(listening(executor, said), config(), ofManyLengths(seed, adapts));

      assertThat(FirstTimes.now()).as("seed=%d", seed).isEqualTo(ready);
      assertThat(said).as("and says so").containsExactly(FirstOfKind.NOT_FIRST);
      final int sizes = graphs == CudaGraphs.ENABLED ? 5 : 0; // 1, 2, 4, 8, 9
      assertThat(ready.recordings - before.recordings).isEqualTo(sizes);
      assertThat(ready.plans - before.plans).matches(plans -> plans > 0 == library);
    }
  }

  /** Of a family, or gpt-oss as it is published. */
  private Model model(String name, long seed) throws IOException {
    if (!name.equals("MXFP4")) {
      return Model.random(TestModels.tiny(ModelFamily.valueOf(name)), seed);
    }
    new GptOssFolder(seed).write(gptOss);
    return Model.load(gptOss);
  }

  /** Products of codes with codes, by own kernels and by the library. */
  @ParameterizedTest
  @CsvSource({"true, FP8_STATIC", "true, TENSORS_DYNAMIC", "false, FP8_WIDE_BLOCKS"})
  void shouldLoadPlanAndRecordNothingInTrafficWithRoundedInputs(
      boolean library, QuantizedModel quantized) throws IOException {
    System.setProperty(BlasLt.PROPERTY, library ? CudaLibrary.library().name() : "none.so");
    new Emulator.Device().compute(9, 0).install();
    final long seed = TestSeed.VALUE;
    quantized.write(Model.random(TestModels.tiny(ModelFamily.LLAMA), seed), poet);
    try (Model model = Model.load(poet)) {
      final CudaExecutor executor =
          builder(model).kvBlocks(400).precision(Precision.QUANTIZED).build();
      final FirstTimes ready = FirstTimes.now();

      Generation.of(executor, config(), ofManyLengths(seed, false));

      assertThat(FirstTimes.now()).as("seed=%d", seed).isEqualTo(ready);
    }
  }

  /** Hears what an executor says of its steps. */
  private static Executor listening(CudaExecutor executor, Set<FirstOfKind> said) {
    return new Executor() {
      @Override
      public ExecutorShape shape() {
        return executor.shape();
      }

      @Override
      public void submit(StepPlan plan) {
        executor.submit(plan);
      }

      @Override
      public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
        final boolean isAnswered = executor.await(output, timeoutNs);
        said.add(output.firstOfKind());
        return isAnswered;
      }

      @Override
      public void close() {
        executor.close();
      }
    };
  }

  /** Steps of 1 to 9 requests, with contexts of 1 to 125 tokens, chosen in every way. */
  private static List<Request> ofManyLengths(long seed, boolean adapts) {
    final Random random = new Random(seed);
    final List<Request> requests = new ArrayList<>();
    for (int i = 0; i < MAX_NUM_SEQS; i++) {
      final int[] prompt = random.ints(1 + 15 * i, 0, 97).toArray();
      final SamplingParams drawn =
          SamplingParams.builder()
              .temperature(0.8f)
              .topP(i % 2 == 0 ? 1 : 0.9f)
              .topK(i % 4 < 2 ? 0 : 20)
              .minP(i % 8 < 4 ? 0 : 0.01f)
              .repetitionPenalty(i == 7 ? 1.2f : 1)
              .seed(seed + i)
              .build();
      final Request.Builder request =
          Request.builder("r" + i, prompt)
              .maxTokens(3 + 3 * (MAX_NUM_SEQS - i) / 2)
              .sampling(i % 3 == 0 ? SamplingParams.GREEDY : drawn);
      if (adapts && i % 2 == 0) {
        request.lora(POET);
      }
      requests.add(request.build());
    }
    return requests;
  }

  @Test
  void shouldKeepRecordingsAndKernelsWithinTheShareOfMemory() throws InterruptedException {
    final int totalKib = 48 << 10;
    new Emulator.Device().totalBytes((long) totalKib << 10).install();
    final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), 5);
    final int before = Emulator.usedKib();
    try (CudaExecutor executor = builder(model).memoryUtilization(0.75).build()) {
      final int ready = Emulator.usedKib() - before;
      run(executor, new FakePlan().entry(greedy("p", 1, 2, 3, 4, 5), 0, 5, 1, 2));
      for (int size = 1; size <= MAX_NUM_SEQS; size++) {
        final FakePlan plan = new FakePlan();
        for (int i = 0; i < size; i++) {
          plan.entry(greedy("d" + i, 1, 2, 3, 4, 5), 4, 1, 1, 2);
        }
        run(executor, plan);
      }

      assertThat(Emulator.usedKib() - before).isEqualTo(ready);
      assertThat(ready).isBetween(totalKib * 3 / 4 - 16, totalKib * 3 / 4);
      assertThat(executor.attributes())
          .containsEntry("graphs", "5 of 5 batch sizes up to 9 recorded");
    }
  }

  private static void run(CudaExecutor executor, FakePlan plan) throws InterruptedException {
    final StepOutput output = new StepOutput();
    output.begin(plan.stepId(), plan.size());
    executor.submit(plan);
    assertThat(executor.await(output, TimeUnit.SECONDS.toNanos(60))).isTrue();
    assertThat(output.hasFailures()).isFalse();
  }

  private static Request greedy(String id, int... prompt) {
    return Request.builder(id, prompt).maxTokens(4).sampling(SamplingParams.GREEDY).build();
  }

  private static CudaExecutorBuilder builder(Model model) {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .blockSize(4)
        .maxNumSeqs(MAX_NUM_SEQS)
        .maxNumBatchedTokens(200)
        .maxModelLen(160);
  }

  private static SchedulerConfig config() {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(MAX_NUM_SEQS)
                .maxNumBatchedTokens(200)
                .maxModelLen(160)
                .build())
        .build();
  }
}
