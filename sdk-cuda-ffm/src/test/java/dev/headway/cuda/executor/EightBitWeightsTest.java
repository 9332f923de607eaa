package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.driver.CudaLibrary;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.ExpertRouting;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelConfigBuilder;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.TensorSpec;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.WeightType;
import dev.headway.executor.reference.Golden;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.ReferenceModel;
import dev.headway.scheduler.time.SystemNanoClock;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Checkpoints of eight-bit floats, whose codes stay a byte each on the device. */
@OnCudaDriver
class EightBitWeightsTest {
  private static final int MAX_MODEL_LEN = 128;

  /** Model whose matrices are wider than a block of 128 x 128. */
  private static final String WIDE = "wide";

  /** What the code of other kernels takes, at most. */
  private static final long OTHER_KERNELS = 32L << 10;

  @TempDir private Path directory;

  @BeforeEach
  void workOnlyWhenSomebodyWaits() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
  }

  @ParameterizedTest
  @EnumSource(
      value = QuantizedModel.class,
      mode = Mode.MATCH_ANY,
      names = {"FP8_.*", "TENSORS_(STATIC|DYNAMIC|BLOCKS)"})
  void shouldMakeTheLogitsOfTheReference(QuantizedModel quantized) throws IOException {
    for (ModelFamily family :
        List.of(ModelFamily.LLAMA, ModelFamily.QWEN3, ModelFamily.PHI3, ModelFamily.GEMMA3)) {
      try (Model model = written(quantized, TestModels.tiny(family))) {
        assertThat(codes(model)).as("%s", family).isEqualTo(linearWeights(model));
        assertFollows(family.name(), model, builder(model).build());
      }
    }
  }

  /** Blocks of 128 x 128, several in a row, and the scales of experts. */
  @ParameterizedTest
  @EnumSource(
      value = QuantizedModel.class,
      names = {"FP8_WIDE_BLOCKS", "FP8_STATIC", "TENSORS_DYNAMIC"})
  void shouldMakeTheLogitsOfTheReferenceWithWideMatrices(QuantizedModel quantized)
      throws IOException {
    for (ModelFamily family :
        List.of(ModelFamily.LLAMA, ModelFamily.QWEN3_MOE, ModelFamily.GLM4_MOE)) {
      try (Model model = written(quantized, wide(family))) {
        assertThat(codes(model)).as("%s", family).isEqualTo(linearWeights(model));
        assertFollows(WIDE + " " + family, model, builder(model).build());
      }
    }
  }

  /** Experts whose groups are too narrow for tensor cores. */
  @Test
  void shouldWidenExpertsWithNarrowBlocks() throws IOException {
    try (Model model = written(QuantizedModel.FP8_BLOCKS, TestModels.tiny(ModelFamily.QWEN3_MOE))) {
      final long attention = 3L * 24 * (32 + 2 * 16 + 32);

      assertThat(codes(model)).isEqualTo(attention).isLessThan(linearWeights(model));
      assertFollows("narrow", model, builder(model).build());
    }
  }

  /** The library has no part in them. */
  @Test
  @EmulatorOnly("it has a library of products of its own")
  void shouldMultiplyCodesByOwnKernelsBesideTheLibrary() throws IOException {
    System.setProperty(BlasLt.PROPERTY, CudaLibrary.library().name());
    try (Model model = written(QuantizedModel.FP8_WIDE_BLOCKS, wide(ModelFamily.LLAMA))) {
      final CudaExecutor executor = builder(model).build();

      assertThat(executor.attributes().get("products"))
          .startsWith("cuBLASLt: ")
          .endsWith("; own kernels with eight-bit weights below 256 rows");
      assertFollows("library", model, executor);
    } finally {
      System.clearProperty(BlasLt.PROPERTY);
    }
  }

  /** 300 rows of one step, of which the library gets the matrices of codes in bf16. */
  @Test
  @EmulatorOnly("it has a library of products of its own, and counts what that planned")
  void shouldWidenCodesForTheLibraryWhereThereAreManyRows() throws IOException {
    System.setProperty(BlasLt.PROPERTY, CudaLibrary.library().name());
    final ModelConfig config = wide(ModelFamily.LLAMA).toBuilder().maxPositions(512).build();
    try (Model model = written(QuantizedModel.FP8_WIDE_BLOCKS, config)) {
      final int before = Emulator.plannedProducts();
      final CudaExecutor executor =
          builder(model).maxModelLen(512).maxNumBatchedTokens(304).build();
      final List<Request> requests =
          List.of(
              Request.builder("long", new Random(TestSeed.VALUE).ints(300, 0, 97).toArray())
                  .maxTokens(3)
                  .sampling(SamplingParams.GREEDY.toBuilder().logprobs(97).build())
                  .build());

      final Generation actual = Generation.of(executor, config(512, 304), requests);

      final ReferenceCheck check = new ReferenceCheck(model);
      check.follow("seed=" + TestSeed.VALUE, requests, actual);
      assertThat(check.worstLogprobError).as("%s", check).isLessThan(ReferenceCheck.LOGPROB_ERROR);
      // 256, 272, 288 and 304 rows of four shapes; logits of 2, 4, 8 and 16
      assertThat(Emulator.plannedProducts() - before).isEqualTo(4 * 4 + 4);
    } finally {
      System.clearProperty(BlasLt.PROPERTY);
    }
  }

  /** A byte for each weight, four for each scale, and what that leaves goes to the KV cache. */
  @Test
  @EmulatorOnly("on a device others take memory meanwhile")
  void shouldLeaveTheOtherByteToTheCache() throws IOException {
    final ModelConfig config = wide(ModelFamily.LLAMA);
    final long weights = weightBytes(Model.random(config, 3));
    final int blocks = blocks(Model.random(config, 3));
    try (Model model = written(QuantizedModel.TENSORS_DYNAMIC, config)) {
      final long linear = linearWeights(model);
      final long outputs = 2L * (128 + 2 * 64 + 256 + 2 * 384 + 256);
      final long bytesPerBlock = 4L * 2 * 2 * 64 * 2;

      assertThat(weights - weightBytes(model))
          .isBetween(linear - 4 * outputs - 8 * 256, linear - 4 * outputs);
      assertThat((double) blocks(model) - blocks)
          .isBetween(
              (double) (linear - 4 * outputs - 8 * 256 - OTHER_KERNELS) / bytesPerBlock - 1,
              (double) linear / bytesPerBlock + 1);
    }
  }

  private static int blocks(Model model) {
    new Emulator.Device().totalBytes(64L << 20).install();
    try (CudaExecutor executor =
        CudaExecutor.builder(model, new SystemNanoClock())
            .blockSize(4)
            .maxNumSeqs(9)
            .maxNumBatchedTokens(128)
            .maxModelLen(MAX_MODEL_LEN)
            .build()) {
      return executor.shape().kvCache().numBlocks();
    } finally {
      new Emulator.Device().install();
    }
  }

  private static long weightBytes(Model model) {
    return CudaExecutor.memory(model, 16).weightBytes();
  }

  /** What a trained model says of its own stories, each token after all before it. */
  @ParameterizedTest
  @EnumSource(
      value = QuantizedModel.class,
      names = {"FP8_WIDE_BLOCKS", "FP8_DYNAMIC", "TENSORS_DYNAMIC"})
  void shouldKeepWhatTheModelKnows(QuantizedModel quantized) throws IOException {
    final List<Golden> texts = Perplexity.texts();
    try (Model stories = Model.load(TestModels.stories260K())) {
      quantized.write(stories, directory);
      try (Model model = Model.load(directory)) {
        final double exact = Perplexity.of(new ReferenceModel(stories, Precision.FLOAT32), texts);
        final double weights = Perplexity.of(new ReferenceModel(model, Precision.FLOAT32), texts);
        final double actual = Perplexity.of(builder(model).build(), config(), texts);

        assertThat(actual / exact).as("against the model").isBetween(0.98, 1.02);
        assertThat(actual / weights).as("against its quantised weights").isBetween(0.99, 1.01);
      }
    }
  }

  @Test
  void shouldRefuseCodesThatAreNoNumbers() throws IOException {
    final ModelConfig config = TestModels.tiny(ModelFamily.LLAMA);
    try (Model model = written(QuantizedModel.FP8_WIDE_BLOCKS, config)) {
      final String tensor = ModelLayout.inLayer(1, ModelLayout.UP_PROJ);
      final byte[] codes = new byte[40 * 24];
      model
          .weights()
          .quantized(tensor)
          .orElseThrow()
          .readCodes(0, MemorySegment.ofArray(codes), codes.length);
      final byte[] file = Files.readAllBytes(directory.resolve("model.safetensors"));
      final int at = indexOf(file, codes);
      file[at + 7 * 24 + 5] = (byte) 0xff;
      Files.write(directory.resolve("model.safetensors"), file);
    }
    try (Model model = Model.load(directory)) {
      assertThatThrownBy(() -> builder(model).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "weights must be finite: tensor='model.layers.1.mlp.up_proj.weight', row=7, column=5,"
                  + " weight=NaN");
    }
  }

  private static int indexOf(byte[] all, byte[] part) {
    for (int at = 0; at + part.length <= all.length; at++) {
      if (Arrays.equals(all, at, at + part.length, part, 0, part.length)) {
        return at;
      }
    }
    throw new AssertionError("not there");
  }

  private Model written(QuantizedModel quantized, ModelConfig config) throws IOException {
    quantized.write(Model.random(config, TestSeed.VALUE, WeightType.F32), directory);
    return Model.load(directory);
  }

  private static ModelConfig wide(ModelFamily family) {
    final ModelConfigBuilder shape =
        ModelConfig.builder(family)
            .vocabularySize(97)
            .hiddenSize(256)
            .intermediateSize(384)
            .layers(2)
            .attention(new AttentionShape(2, 1, 64))
            .maxPositions(MAX_MODEL_LEN);
    if (family.hasExperts()) {
      final ExpertsShape tiny = TestModels.experts(family);
      final ExpertRouting routing = tiny.routing();
      shape.experts(new ExpertsShape(8, 3, 192, routing, tiny.sharedExperts(), tiny.denseLayers()));
    }
    return shape.build();
  }

  private static long codes(Model model) {
    final WeightUpload upload =
        new WeightUpload(model.weights(), 0, WeightSink.NONE, Precision.BFLOAT16);
    DeviceWeights.place(upload, model);
    return upload.codes();
  }

  /** Weights of the matrices that are quantised. */
  private static long linearWeights(Model model) {
    return ModelLayout.of(model.config()).stream()
        .filter(tensor -> model.weights().quantized(tensor.name()).isPresent())
        .mapToLong(TensorSpec::elements)
        .sum();
  }

  private static void assertFollows(String what, Model model, CudaExecutor executor) {
    final List<Request> requests = GreedyRequests.of(4, 1, 2, 5, 30, 70);

    final Generation actual = Generation.of(executor, config(), requests);

    final ReferenceCheck check = new ReferenceCheck(model.withMaxPositions(MAX_MODEL_LEN));
    check.follow(what + ", seed=" + TestSeed.VALUE, requests, actual);
    assertThat(check.ties).as("%s: %s", what, check).isLessThanOrEqualTo(3);
    assertThat(check.worstLogprobError)
        .as("%s: %s", what, check)
        .isLessThan(ReferenceCheck.LOGPROB_ERROR);
  }

  private static CudaExecutorBuilder builder(Model model) {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .blockSize(4)
        .kvBlocks(300)
        .maxNumSeqs(9)
        .maxNumBatchedTokens(128)
        .maxModelLen(MAX_MODEL_LEN);
  }

  private static SchedulerConfig config() {
    return config(MAX_MODEL_LEN, 100);
  }

  private static SchedulerConfig config(int longest, int budget) {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(9)
                .maxNumBatchedTokens(budget)
                .maxModelLen(longest)
                .build())
        .build();
  }
}
