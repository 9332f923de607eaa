package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.driver.CudaLibrary;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.SkipReason;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.RopeConfig;
import dev.headway.executor.model.RopeScaling;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.reference.Golden;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.executor.reference.StepExperts;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.scheduler.time.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A model on the device answers what it answers in plain Java with the same rounding. */
@OnCudaDriver
class CudaExecutorTest {

  private static final int MAX_MODEL_LEN = 128;

  /**
   * Of 96 tokens of the golden prompts. 7 lead by less than 1.2 % of the logits' root mean square,
   * which the roundings of tensor cores can turn; the fake driver adds as the reference does.
   */
  private static final int MAX_TIES = Emulator.isActive() ? 3 : 6;

  @BeforeEach
  void workOnlyWhenSomebodyWaits() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldContinueTheGoldenPromptsAsTheReference(int stepsInFlight) {
    try (Model model = Model.load(TestModels.stories260K())) {
      final List<Request> requests = new ArrayList<>();
      for (Golden golden : Golden.read(TestModels.stories260K())) {
        requests.add(greedy("golden-" + requests.size(), 24, golden.promptIds()));
      }

      final Generation actual =
          Generation.of(
              builder(model).stepsInFlight(stepsInFlight).build(),
              config(stepsInFlight, 32),
              requests);

      final ReferenceCheck check = new ReferenceCheck(model);
      check.follow("stories260K", requests, actual);
      assertThat(check.ties).as("%s", check).isLessThanOrEqualTo(MAX_TIES);
    }
  }

  /** Whose steps of three rows are replayed with a row of padding. */
  @ParameterizedTest
  @CsvSource({
    "MIXTRAL, ENABLED",
    "QWEN3_MOE, ENABLED",
    "GLM4_MOE, ENABLED",
    "GLM4_MOE, DISABLED",
    "GPT_OSS, ENABLED"
  })
  void shouldCountTheExpertsThatTheReferenceCounts(ModelFamily family, CudaGraphs graphs) {
    final Model routed = Model.random(TestModels.tiny(family), 11);
    final int vocabulary = routed.config().vocabularySize();

    final List<Long> counts =
        StepExperts.ofRequests(builder(routed).graphs(graphs).build(), vocabulary, 11);

    assertThat(counts)
        .hasSizeGreaterThan(4)
        .isEqualTo(
            StepExperts.ofRequests(
                ReferenceExecutor.builder(routed, new VirtualClock())
                    .precision(Precision.BFLOAT16)
                    .blockSize(4)
                    .numBlocks(40)
                    .build(),
                vocabulary,
                11));
  }

  /** Products of two rows and more by the library, those of one by our own kernels. */
  @Test
  void shouldContinueTheGoldenPromptsOnCublasLt() {
    final String chosen = System.getProperty(BlasLt.PROPERTY);
    if (Emulator.isActive()) { // which has one of its own
      System.setProperty(BlasLt.PROPERTY, CudaLibrary.library().name());
    }
    try (Model model = Model.load(TestModels.stories260K())) {
      final List<Request> requests = new ArrayList<>();
      for (Golden golden : Golden.read(TestModels.stories260K())) {
        requests.add(greedy("golden-" + requests.size(), 24, golden.promptIds()));
      }
      final int plannedBefore = Emulator.isActive() ? Emulator.plannedProducts() : 0;
      final CudaExecutor executor = builder(model).build();
      final String products = String.valueOf(executor.attributes().get("products"));
      if (!Emulator.isActive() && !products.startsWith("cuBLASLt: ")) {
        executor.close();
        SkipReason.needsHere(false, products);
      }
      assertThat(products).startsWith("cuBLASLt: ");

      final Generation actual = Generation.of(executor, config(1, 32), requests);

      final ReferenceCheck check = new ReferenceCheck(model);
      check.follow("stories260K", requests, actual);
      assertThat(check.ties).as("%s", check).isLessThanOrEqualTo(MAX_TIES);
      if (Emulator.isActive()) {
        // 2, 4, 8, 16, 32, 48, ... 128 rows of three shapes, whose columns suit it, and up to 16 of
        // logits
        assertThat(Emulator.plannedProducts() - plannedBefore).isEqualTo(11 * 3 + 4);
      }
    } finally {
      choose(chosen);
    }
  }

  private static void choose(@Nullable String library) {
    if (library == null) {
      System.clearProperty(BlasLt.PROPERTY);
    } else {
      System.setProperty(BlasLt.PROPERTY, library);
    }
  }

  /** A bias and the residual in one product, beside those that have one of them. */
  @Test
  @EmulatorOnly("it has a library of products of its own, and counts what that planned")
  void shouldAddBiasesOnCublasLt() {
    System.setProperty(BlasLt.PROPERTY, CudaLibrary.library().name());
    try {
      final int plannedBefore = Emulator.plannedProducts();

      assertLogits(TinyModel.LLAMA_WITH_BIASES.config());

      assertThat(Emulator.plannedProducts()).isGreaterThan(plannedBefore);
    } finally {
      System.clearProperty(BlasLt.PROPERTY);
    }
  }

  @Test
  void shouldSayWhatDoesTheProducts() {
    final String chosen = System.getProperty(BlasLt.PROPERTY);
    System.setProperty(BlasLt.PROPERTY, "libcublasLt-of-no-toolkit.so");
    try (Model model = Model.load(TestModels.stories260K());
        CudaExecutor executor = builder(model).build()) {
      assertThat(executor.attributes())
          .containsEntry(
              "products",
              "own kernels, no cuBLASLt: cannot load libcublasLt-of-no-toolkit.so: the system's"
                  + " loader does not find it")
          .containsKeys("hardware", "kernels", "graphs", "batch_sizes", "product_rows");
    } finally {
      choose(chosen);
    }
  }

  @Test
  void shouldRefuseAHostTierOfWindows() {
    final Model model = Model.random(TinyModel.QWEN2_WITH_WINDOWS.config(), TestSeed.VALUE);

    assertThatThrownBy(() -> builder(model).maxModelLen(64).hostBlocks(3).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("hostBlocks must be 0 for a model with sliding windows");
  }

  @ParameterizedTest
  @EnumSource(TinyModel.class)
  void shouldMakeTheLogitsOfTheReference(TinyModel tiny) {
    assertLogits(tiny.config());
  }

  @ParameterizedTest
  @EnumSource(TinyModel.class)
  void shouldContinueGreedilyAsTheReference(TinyModel tiny) {
    final long seed = TestSeed.VALUE;
    final Model model = Model.random(tiny.config(), seed);
    final Random random = new Random(seed);
    final List<Request> requests = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      final int[] prompt = random.ints(1 + random.nextInt(60), 0, 97).toArray();
      requests.add(greedy("r" + i, 8, prompt));
    }

    final Generation actual = Generation.of(builder(model).build(), config(1, 32), requests);

    final ReferenceCheck check = new ReferenceCheck(model);
    check.follow("seed=" + seed, requests, actual);
    assertThat(check.ties).as("%s, seed=%d", check, seed).isLessThanOrEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 96, 256})
  void shouldMakeTheLogitsOfTheReferenceWithHeadsOf(int headDim) {
    assertLogits(
        TestModels.withAttention(
            TestModels.tiny(ModelFamily.LLAMA), new AttentionShape(4, 2, headDim)));
  }

  /** The heads of Gemma 3: scores are divided by the root of another number than 256. */
  @Test
  void shouldMakeTheLogitsOfTheReferenceWithTheHeadsOfGemma() {
    assertLogits(
        TinyModel.GEMMA3_WITH_WINDOWS.config().toBuilder()
            .attention(new AttentionShape(4, 1, 256))
            .queryScalar(168)
            .build());
  }

  /** The model is longer than the context of its training, and is run as if it were not. */
  @Test
  void shouldTakeTheFactorsOfLongRopeThatAreMadeForItsLongestContext() {
    final ModelConfig config =
        TestModels.withRope(
            TestModels.tiny(ModelFamily.PHI3),
            new RopeConfig(
                10_000,
                new RopeScaling.LongRope(
                    List.of(1., 1., 1.25, 1.5), List.of(1., 4., 9.5, 12.), 1.5, MAX_MODEL_LEN)));

    assertThat(config.maxPositions()).isGreaterThan(MAX_MODEL_LEN);
    assertThat(config.withMaxPositions(MAX_MODEL_LEN).inverseFrequencies())
        .isNotEqualTo(config.inverseFrequencies());
    assertLogits(config);
  }

  private static void assertLogits(ModelConfig config) {
    final long seed = TestSeed.VALUE;
    final Model model = Model.random(config, seed);
    final Random random = new Random(seed);
    final List<Request> requests = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      final int[] prompt = random.ints(1 + random.nextInt(70), 0, 97).toArray();
      requests.add(
          Request.builder("r" + i, prompt)
              .maxTokens(3)
              .sampling(SamplingParams.builder().logprobs(97).build())
              .build());
    }

    final Generation actual = Generation.of(builder(model).build(), config(1, 100), requests);

    final ReferenceCheck check = new ReferenceCheck(model.withMaxPositions(MAX_MODEL_LEN));
    check.follow("seed=" + seed, requests, actual);
    assertThat(check.worstLogprobError)
        .as("%s, seed=%d", check, seed)
        .isLessThan(ReferenceCheck.LOGPROB_ERROR);
  }

  /** The last 240 rows of the longer one need 704 records where there are 520: two launches. */
  @Test
  void shouldShareTheKeysOfChunksOnLongContexts() {
    final long seed = TestSeed.VALUE;
    final int maxModelLen = 512;
    final ModelConfig tiny = TestModels.tiny(ModelFamily.LLAMA);
    final Model model =
        Model.random(
            // of several layers: what a row attends to is seen by later rows of the next layer
            tiny.toBuilder().maxPositions(maxModelLen).eosTokenIds(List.of()).build(), seed);
    final Random random = new Random(seed);
    final List<Request> requests = new ArrayList<>();
    for (int length : new int[] {500, 275}) {
      requests.add(
          Request.builder("r" + length, random.ints(length, 0, 97).toArray())
              .maxTokens(2)
              .sampling(SamplingParams.builder().logprobs(97).build())
              .build());
    }
    final CudaExecutor executor =
        builder(model).kvBlocks(210).maxNumBatchedTokens(260).maxModelLen(maxModelLen).build();
    final SchedulerConfig limits =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(9)
                    .maxNumBatchedTokens(260)
                    .maxModelLen(maxModelLen)
                    .build())
            .build();

    final Generation actual = Generation.of(executor, limits, requests);

    final ReferenceCheck check = new ReferenceCheck(model);
    check.follow("seed=" + seed, requests, actual);
    assertThat(check.worstLogprobError)
        .as("%s, seed=%d", check, seed)
        .isLessThan(ReferenceCheck.LOGPROB_ERROR);
  }

  @Test
  void shouldReplayWhatItLaunches() {
    final long seed = TestSeed.VALUE;
    final Model model = Model.random(TestModels.tiny(ModelFamily.QWEN3), seed);
    final List<Request> requests = mixed(seed, 9);

    final Generation launched =
        Generation.of(builder(model).graphs(CudaGraphs.DISABLED).build(), config(1, 40), requests);
    final Generation replayed = Generation.of(builder(model).build(), config(1, 40), requests);
    final Generation ahead =
        Generation.of(builder(model).stepsInFlight(2).build(), config(2, 40), requests);

    final ReferenceCheck check = new ReferenceCheck(model);
    check.follow("launched, seed=" + seed, requests, launched);
    check.follow("replayed, seed=" + seed, requests, replayed);
    check.follow("ahead, seed=" + seed, requests, ahead);
    for (int i = 0; i < requests.size(); i++) {
      assertThat(replayed.tokens().get(i))
          .as("request %d, seed=%d", i, seed)
          .isEqualTo(launched.tokens().get(i));
    }
    assertThat(replayed.logprobs()).as("seed=%d", seed).isEqualTo(launched.logprobs());
  }

  @Test
  void shouldNotDependOnChunks() {
    final long seed = TestSeed.VALUE;
    final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), seed);
    final List<Request> requests = mixed(seed, 4);

    final Generation whole = Generation.of(builder(model).build(), config(1, 128), requests);
    final Generation chunks = Generation.of(builder(model).build(), config(1, 8), requests);

    final ReferenceCheck check = new ReferenceCheck(model);
    check.follow("whole, seed=" + seed, requests, whole);
    check.follow("chunks, seed=" + seed, requests, chunks);
    assertThat(check.ties).as("%s, seed=%d", check, seed).isLessThan(check.tokens / 10);
  }

  /** These parameters asking for that many log-probabilities, none if negative. */
  private static SamplingParams withLogprobs(SamplingParams params, int count) {
    return count < 0 ? params : params.toBuilder().logprobs(count).build();
  }

  /** Prompts of 1 to 40 tokens, greedy and drawn, with and without penalties. */
  private static List<Request> mixed(long seed, int count) {
    final Random random = new Random(seed);
    final List<Request> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      final int[] prompt = random.ints(1 + random.nextInt(40), 0, 97).toArray();
      final SamplingParams drawn =
          SamplingParams.builder()
              .temperature(0.8f)
              .topP(0.95f)
              .topK(40)
              .minP(0.01f)
              .repetitionPenalty(i % 2 == 0 ? 1 : 1.2f)
              .frequencyPenalty(i % 3 == 0 ? 0 : 0.3f)
              .seed(seed + i)
              .build();
      requests.add(
          Request.builder("r" + i, prompt)
              .maxTokens(4 + random.nextInt(8))
              .sampling(withLogprobs(i % 4 == 0 ? SamplingParams.GREEDY : drawn, i % 3 - 1))
              .build());
    }
    return requests;
  }

  private static Request greedy(String id, int outputs, int... prompt) {
    return Request.builder(id, prompt).maxTokens(outputs).sampling(SamplingParams.GREEDY).build();
  }

  private static CudaExecutorBuilder builder(Model model) {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .blockSize(4)
        .kvBlocks(300)
        .maxNumSeqs(9)
        .maxNumBatchedTokens(128)
        .maxModelLen(MAX_MODEL_LEN);
  }

  private static SchedulerConfig config(int stepsInFlight, int budget) {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(Math.min(9, budget))
                .maxNumBatchedTokens(budget)
                .maxModelLen(MAX_MODEL_LEN)
                .build())
        .pipeline(stepsInFlight == 2 ? PipelineOptions.ASYNC : PipelineOptions.DEFAULT)
        .build();
  }
}
