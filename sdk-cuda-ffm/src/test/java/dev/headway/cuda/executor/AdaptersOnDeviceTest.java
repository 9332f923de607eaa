package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.StepOutput;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.LoraFolder;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.model.WeightType;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.FakePlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests of two adapters and of none, in one step: each gets what the reference gives it. */
@OnCudaDriver
class AdaptersOnDeviceTest {
  private static final LoraAdapter POET = new LoraAdapter(1, "poet");
  private static final LoraAdapter CRITIC = new LoraAdapter(7, "critic");
  private static final int MAX_MODEL_LEN = 128;

  @TempDir private Path poet;
  @TempDir private Path critic;
  @TempDir private Path folder;

  @BeforeEach
  void workOnlyWhenSomebodyWaits() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
  }

  static Stream<TinyModel> models() {
    return Stream.concat(Families.withoutWindows().stream(), Families.withWindows().stream());
  }

  @ParameterizedTest
  @MethodSource("models")
  void shouldMakeTheLogitsOfTheReference(TinyModel tiny) throws IOException {
    final Model model = Model.random(tiny.config(), TestSeed.VALUE);
    final Map<LoraAdapter, LoraWeights> adapters = write(model.config());
    final int[] prompt = new Random(TestSeed.VALUE).ints(70, 0, 97).toArray();
    final List<Request> requests = new ArrayList<>();
    for (int length : new int[] {1, 9, 70}) {
      for (LoraAdapter adapter : Arrays.asList(null, POET, CRITIC)) {
        requests.add(request(requests.size(), Arrays.copyOf(prompt, length), adapter));
      }
    }

    final Generation together = generate(model, 1, CudaGraphs.ENABLED, requests);
    final List<Request> one = List.of(requests.get(7));
    final Generation alone = generate(model, 2, CudaGraphs.DISABLED, one);

    final ReferenceCheck check = follow("together", model, adapters, requests, together);
    check.follow("alone", one, alone);
    assertThat(check.worstLogprobError).as("%s", check).isLessThan(ReferenceCheck.LOGPROB_ERROR);
    assertThat(together.logprobs().get(6).getFirst())
        .isNotEqualTo(together.logprobs().get(7).getFirst())
        .isNotEqualTo(together.logprobs().get(8).getFirst());
    assertThat(together.logprobs().get(7).getFirst())
        .isNotEqualTo(together.logprobs().get(8).getFirst());
  }

  /** Beside rows of any adapter a row has the same bits, launched and replayed. */
  @Test
  void shouldGiveARequestTheSameBitsWhateverAdaptersTheOthersHave() throws IOException {
    final Model model = Model.random(TinyModel.QWEN2.config(), TestSeed.VALUE);
    write(model.config());
    final List<Request> first = List.of(named(0, POET), named(1, null), named(2, CRITIC));
    final List<Request> second = List.of(named(0, POET), named(1, CRITIC), named(2, null));

    for (CudaGraphs graphs : CudaGraphs.values()) {
      final Generation one = generate(model, 1, graphs, first);
      final Generation other = generate(model, 2, graphs, second);

      assertThat(one.tokens().getFirst()).isEqualTo(other.tokens().getFirst());
      assertThat(one.logprobs().getFirst()).isEqualTo(other.logprobs().getFirst());
      assertThat(one.logprobs().get(1)).isNotEqualTo(other.logprobs().get(1));
      assertThat(one.logprobs().get(2)).isNotEqualTo(other.logprobs().get(2));
    }
  }

  /** An adapter of a few matrices only, beside one of all. */
  @Test
  void shouldLeaveWhatAnAdapterDoesNotChange() throws IOException {
    final Model model = Model.random(TinyModel.LLAMA.config(), TestSeed.VALUE);
    write(model.config());
    LoraFolder.write(
        poet,
        model.config(),
        9,
        3,
        0.5,
        name -> name.contains("k_proj") || name.contains("layers.1.mlp.up_proj"));
    final Map<LoraAdapter, LoraWeights> adapters = read(model.config());
    final List<Request> requests =
        List.of(named(0, POET), named(1, null), named(2, CRITIC), named(3, POET));

    final Generation actual = generate(model, 1, CudaGraphs.ENABLED, requests);

    follow("some", model, adapters, requests, actual);
  }

  @Test
  void shouldAddToProductsOfEightBitWeights() throws IOException {
    QuantizedModel.FP8_STATIC.write(
        Model.random(TestModels.tiny(ModelFamily.QWEN3), 5, WeightType.F32), folder);
    try (Model model = Model.load(folder)) {
      final Map<LoraAdapter, LoraWeights> adapters = write(model.config());
      final List<Request> requests = List.of(named(0, POET), named(1, null), named(2, CRITIC));

      final Generation actual = generate(model, 2, CudaGraphs.ENABLED, requests);

      follow("codes", model, adapters, requests, actual);
    }
  }

  @Test
  void shouldRefuseAnAdapterThatItDoesNotHaveAndNoOtherEntry()
      throws IOException, InterruptedException {
    final Model model = Model.random(TinyModel.LLAMA.config(), 5);
    write(model.config());
    final CudaExecutorBuilder builder = builder(model).kvBlocks(300);

    assertThatThrownBy(() -> builder.adapter(new LoraAdapter(2, "poet"), poet))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("adapters must have ids and names of their own: ");
    final StepOutput output = new StepOutput();
    try (CudaExecutor executor = builder.build()) {
      final FakePlan plan =
          new FakePlan()
              .entry(named(0, POET), 0, 3, 3, 4)
              .entry(named(1, new LoraAdapter(2, "other")), 0, 3, 5, 6);
      output.begin(plan.stepId(), plan.size());
      executor.submit(plan);
      assertThat(executor.await(output, TimeUnit.SECONDS.toNanos(60))).isTrue();
    }

    assertThat(output.failure(0)).isNull();
    assertThat(output.failure(1))
        .hasMessageStartingWith(
            "the executor must have the request's adapter: adapter=LoraAdapter[id=2, name=other],"
                + " adapters=[")
        .hasMessageEndingWith("], request='r1'");
  }

  @Test
  @EmulatorOnly("the device must have little memory")
  void shouldTakeTheMemoryOfAdaptersFromTheCache() throws IOException {
    final Model model = Model.random(TinyModel.LLAMA.config(), 3);
    write(model.config());
    new Emulator.Device().totalBytes(64L << 20).install();
    try {
      final int blocks;
      try (CudaExecutor without = plain(model).build()) {
        blocks = without.shape().kvCache().numBlocks();
        assertThat(without.attributes()).doesNotContainKey("adapter_bytes");
      }
      try (CudaExecutor with = builder(model).build()) {
        final long bytes = Long.parseLong(with.attributes().get("adapter_bytes"));
        final long bytesPerBlock = with.shape().kvCache().bytesPerBlock().orElseThrow();

        assertThat((blocks - with.shape().kvCache().numBlocks()) * bytesPerBlock)
            .isBetween(bytes, bytes + (100L << 10));
      }
    } finally {
      new Emulator.Device().install();
    }
  }

  private static Request named(int index, @Nullable LoraAdapter adapter) {
    return request(index, new Random(index).ints(6 + index, 0, 97).toArray(), adapter);
  }

  private static Request request(int index, int[] prompt, @Nullable LoraAdapter adapter) {
    final Request.Builder request =
        Request.builder("r" + index, prompt)
            .maxTokens(5)
            .sampling(SamplingParams.GREEDY.toBuilder().logprobs(20).build());
    return (adapter == null ? request : request.lora(adapter)).build();
  }

  private static ReferenceCheck follow(
      String what,
      Model model,
      Map<LoraAdapter, LoraWeights> adapters,
      List<Request> requests,
      Generation actual) {
    final ReferenceCheck check =
        new ReferenceCheck(model.withMaxPositions(MAX_MODEL_LEN), adapters);
    check.follow(what + ", seed=" + TestSeed.VALUE, requests, actual);
    assertThat(check.ties).as("%s", check).isLessThanOrEqualTo(2 + check.tokens / 15);
    assertThat(check.worstLogprobError).as("%s", check).isLessThan(ReferenceCheck.LOGPROB_ERROR);
    return check;
  }

  private Map<LoraAdapter, LoraWeights> write(ModelConfig config) throws IOException {
    LoraFolder.write(poet, config, 9, 3, 0.5);
    LoraFolder.write(critic, config, 10, 11, 0.25);
    return read(config);
  }

  private Map<LoraAdapter, LoraWeights> read(ModelConfig config) {
    return Map.of(POET, LoraWeights.load(poet, config), CRITIC, LoraWeights.load(critic, config));
  }

  private Generation generate(
      Model model, int stepsInFlight, CudaGraphs graphs, List<Request> requests) {
    final CudaExecutor executor =
        builder(model).kvBlocks(300).stepsInFlight(stepsInFlight).graphs(graphs).build();
    final SchedulerConfig config =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(9)
                    .maxNumBatchedTokens(100)
                    .maxModelLen(MAX_MODEL_LEN)
                    .build())
            .pipeline(stepsInFlight == 2 ? PipelineOptions.ASYNC : PipelineOptions.DEFAULT)
            .build();
    return Generation.of(executor, config, requests);
  }

  private CudaExecutorBuilder builder(Model model) {
    return plain(model).adapter(POET, poet).adapter(CRITIC, critic);
  }

  private static CudaExecutorBuilder plain(Model model) {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .blockSize(4)
        .maxNumSeqs(9)
        .maxNumBatchedTokens(128)
        .maxModelLen(MAX_MODEL_LEN);
  }
}
