package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.driver.CudaLibrary;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.QuantizedMatrix;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.WeightType;
import dev.headway.executor.reference.Golden;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.ReferenceModel;
import dev.headway.executor.sampling.Logprobs;
import dev.headway.scheduler.time.SystemNanoClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checkpoints whose inputs are rounded to eight-bit floats, against the reference that does so. */
@OnCudaDriver
class RoundedInputsOnDeviceTest {
  private static final int MAX_MODEL_LEN = 128;

  /** Root mean square of errors: 0.04 to 0.15 where nothing is wrong. */
  private static final double MEAN_LOGPROB_ERROR = 0.2;

  @TempDir private Path directory;

  /** Errors of log-probabilities against the reference that rounds inputs, summed over models. */
  private double toRounded;

  /** The same against the reference that does not. */
  private double toUnrounded;

  @BeforeEach
  void takeADeviceThatMultipliesCodes() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
    device(9, 0);
  }

  private static void device(int major, int minor) {
    if (Emulator.isActive()) {
      new Emulator.Device().compute(major, minor).install();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = QuantizedModel.class,
      names = {"FP8_WIDE_BLOCKS", "FP8_STATIC", "FP8_DYNAMIC", "TENSORS_STATIC", "TENSORS_DYNAMIC"})
  void shouldMakeTheLogitsOfTheReference(QuantizedModel quantized) throws IOException {
    for (ModelFamily family :
        List.of(ModelFamily.LLAMA, ModelFamily.QWEN3, ModelFamily.PHI3, ModelFamily.GEMMA3)) {
      try (Model model = written(quantized, TestModels.tiny(family))) {
        follow(family.name(), model, builder(model).build());
      }
    }
    assertThat(toRounded / toUnrounded)
        .as("of the reference that rounds, and of one that does not: %s", this)
        .isLessThan(0.85);
  }

  /** Blocks of 128 x 128, several in a row. */
  @Test
  void shouldMakeTheLogitsOfTheReferenceWithSeveralGroups() throws IOException {
    try (Model model = written(QuantizedModel.FP8_WIDE_BLOCKS, wide())) {
      follow("wide", model, builder(model).build());
    }
    assertThat(toRounded / toUnrounded).as("%s", this).isLessThan(0.85);
  }

  /** A prompt of 70 tokens is the library's, whatever the scales are. */
  @ParameterizedTest
  @EnumSource(
      value = QuantizedModel.class,
      names = {"FP8_WIDE_BLOCKS", "FP8_STATIC", "TENSORS_DYNAMIC"})
  @EmulatorOnly("it has a library of products of its own, and counts what that planned")
  void shouldLetTheLibraryMultiplyManyRows(QuantizedModel quantized) throws IOException {
    System.setProperty(BlasLt.PROPERTY, CudaLibrary.library().name());
    try (Model model = written(quantized, wide())) {
      final int before = Emulator.plannedProducts();
      final CudaExecutor executor = builder(model).build();

      assertThat(executor.attributes().get("inputs"))
          .startsWith("inputs of 14 matrices in fp8_e4m3, ")
          .endsWith(
              "; machine code for compute capability 9.0; products by own kernels below 33 rows, by"
                  + " cuBLASLt from there where it has a way");
      assertThat(executor.attributes().get("products")).doesNotContain("eight-bit");
      // 48, 64, 80, 96, 112 and 128 rows of two shapes; logits of 2, 4, 8 and 16
      assertThat(Emulator.plannedProducts() - before).isEqualTo(6 * 2 + 4);
      follow("library", model, executor);
    } finally {
      System.clearProperty(BlasLt.PROPERTY);
    }
  }

  /** What the library has no way to do is done by own kernels, and the attributes say so. */
  @Test
  @EmulatorOnly("another device, and a library that does not know scales of rows")
  void shouldSayWhatTheLibraryHasNoWayToDo() throws IOException {
    System.setProperty(BlasLt.PROPERTY, CudaLibrary.library().name());
    try (Model model = written(QuantizedModel.TENSORS_DYNAMIC, wide())) {
      device(8, 9);
      final CudaExecutor onAda = builder(model).build();
      assertThat(onAda.attributes().get("inputs"))
          .isEqualTo(
              "inputs of 14 matrices in fp8_e4m3, per token; PTX, compiled by the driver; products by"
                  + " own kernels below 33 rows, by cuBLASLt from there where it has a way, which it"
                  + " has not for m=48, n=1024, k=512: status=15");
      follow("Ada", model, onAda);
      device(9, 0);
      Emulator.knowScaleModes(false);
      try (CudaExecutor older = builder(model).build()) {
        assertThat(older.attributes().get("inputs"))
            .endsWith(", which it has not for m=48, n=1024, k=512: status=7");
      }
    } finally {
      Emulator.knowScaleModes(true);
      System.clearProperty(BlasLt.PROPERTY);
    }
  }

  private static ModelConfig wide() {
    return ModelConfig.builder(ModelFamily.LLAMA)
        .vocabularySize(97)
        .hiddenSize(512)
        .intermediateSize(512)
        .layers(2)
        .attention(new AttentionShape(4, 2, 128))
        .maxPositions(MAX_MODEL_LEN)
        .build();
  }

  private Model written(QuantizedModel quantized, ModelConfig config) throws IOException {
    quantized.write(Model.random(config, TestSeed.VALUE, WeightType.F32), directory);
    return Model.load(directory);
  }

  private void follow(String what, Model model, CudaExecutor executor) {
    final Random random = new Random(TestSeed.VALUE);
    final List<Request> requests = new ArrayList<>();
    for (int length : new int[] {1, 2, 5, 30, 70}) {
      requests.add(
          Request.builder("r" + length, random.ints(length, 0, 97).toArray())
              .maxTokens(4)
              .sampling(SamplingParams.GREEDY.toBuilder().logprobs(97).build())
              .build());
    }

    final Generation actual = Generation.of(executor, config(), requests);

    final Model limited = model.withMaxPositions(MAX_MODEL_LEN);
    final ReferenceCheck check = new ReferenceCheck(limited, Precision.QUANTIZED, Map.of());
    check.follow(what + ", seed=" + TestSeed.VALUE, requests, actual);
    assertThat(check.ties).as("%s: %s", what, check).isLessThanOrEqualTo(5);
    final double rounded =
        error(new ReferenceModel(limited, Precision.QUANTIZED), requests, actual);
    assertThat(rounded).as("%s: %s", what, check).isLessThan(MEAN_LOGPROB_ERROR);
    toRounded += rounded;
    toUnrounded += error(new ReferenceModel(limited, Precision.BFLOAT16), requests, actual);
  }

  /** Root mean square of the errors of all log-probabilities. */
  private static double error(ReferenceModel reference, List<Request> requests, Generation actual) {
    double squares = 0;
    int count = 0;
    for (int i = 0; i < requests.size(); i++) {
      final int prompt = requests.get(i).promptTokens();
      final int[] outputs = actual.tokens().get(i);
      final int[] known = new int[prompt + outputs.length];
      requests.get(i).copyPromptTokenIds(0, known, 0, prompt);
      System.arraycopy(outputs, 0, known, prompt, outputs.length);
      final float[][] logits = reference.logitsFrom(prompt, known);
      for (int output = 0; output < outputs.length; output++) {
        final TokenLogprobs told = actual.logprobs().get(i).get(output);
        for (int top = 0; top < told.topIds().length; top++) {
          final double expected = Logprobs.of(logits[output], told.topIds()[top], 0).logprob();
          squares += Math.pow(expected - told.topLogprobs()[top], 2);
          count++;
        }
      }
    }
    return Math.sqrt(squares / count);
  }

  @Override
  public String toString() {
    return "toRounded=%.4f, toUnrounded=%.4f, seed=%d"
        .formatted(toRounded, toUnrounded, TestSeed.VALUE);
  }

  private static CudaExecutorBuilder builder(Model model) {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .precision(Precision.QUANTIZED)
        .blockSize(4)
        .kvBlocks(300)
        .maxNumSeqs(9)
        .maxNumBatchedTokens(128)
        .maxModelLen(MAX_MODEL_LEN);
  }

  private static SchedulerConfig config() {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(9)
                .maxNumBatchedTokens(100)
                .maxModelLen(MAX_MODEL_LEN)
                .build())
        .build();
  }

  /** What a trained model says of its own stories, each token after all before it. */
  @ParameterizedTest
  @EnumSource(
      value = QuantizedModel.class,
      names = {"FP8_WIDE_BLOCKS", "FP8_STATIC", "TENSORS_DYNAMIC"})
  void shouldKeepWhatTheModelKnows(QuantizedModel quantized) throws IOException {
    final List<Golden> texts = Perplexity.texts();
    try (Model stories = Model.load(TestModels.stories260K())) {
      quantized.write(stories, directory);
      try (Model model = Model.load(directory)) {
        final double exact = Perplexity.of(new ReferenceModel(stories, Precision.FLOAT32), texts);
        final double rounded = Perplexity.of(new ReferenceModel(model, Precision.QUANTIZED), texts);
        final double actual = Perplexity.of(builder(model).build(), config(), texts);

        assertThat(actual / exact).as("against the model").isBetween(0.98, 1.02);
        assertThat(actual / rounded).as("against the reference").isBetween(0.99, 1.01);
      }
    }
  }

  @Test
  void shouldRefuseWhatItCannotRound() throws IOException {
    final Model plain = Model.random(TestModels.tiny(ModelFamily.LLAMA), 1);
    assertRefused(
        plain,
        "precision QUANTIZED needs a checkpoint whose quantization_config rounds inputs to"
            + " eight-bit floats, and this one leaves them as they are: precision BFLOAT16 does the"
            + " same");
    try (Model narrow = written(QuantizedModel.FP8_BLOCKS, TestModels.tiny(ModelFamily.LLAMA))) {
      assertRefused(
          narrow,
          "scales must be those of rows, or of 64, 128, 256 and so on columns, for precision"
              + " QUANTIZED: tensor=model.layers.0.self_attn.q_proj.weight, columns of weights=7,"
              + " columns of inputs=7; precision BFLOAT16 leaves inputs as they are");
    }
    final ModelConfig mixture = TestModels.tiny(ModelFamily.QWEN3_MOE);
    try (Model experts = written(QuantizedModel.TENSORS_DYNAMIC, mixture)) {
      assertRefused(
          experts,
          "experts must not have their inputs rounded for precision QUANTIZED, which has no kernels"
              + " for them: tensor=model.layers.0.mlp.experts.0.gate_proj.weight; precision BFLOAT16"
              + " leaves inputs as they are");
    }
    assertThatThrownBy(() -> builder(plain).precision(Precision.FLOAT32).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "precision must be BFLOAT16 or QUANTIZED, since kernels store bfloat16:"
                + " precision=FLOAT32");
  }

  private static void assertRefused(Model model, String message) {
    assertThatThrownBy(() -> builder(model).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  @EmulatorOnly("another device")
  void shouldRefuseADeviceThatDoesNotMultiplyCodes() throws IOException {
    device(8, 6);
    try (Model model = written(QuantizedModel.FP8_STATIC, TestModels.tiny(ModelFamily.LLAMA))) {
      assertRefused(
          model,
          "precision QUANTIZED needs a device of compute capability 8.9 or newer, which multiplies"
              + " eight-bit floats; precision BFLOAT16 leaves inputs as they are: device=emulated"
              + " device,"
              + " computeCapability=8.6");
    }
    assertThat(Emulator.alive()).isZero();
  }

  @Test
  void shouldRefuseScalesOfInputsThatDifferWithinAProduct() throws IOException {
    final String key = ModelLayout.inLayer(1, ModelLayout.K_PROJ);
    try (Model model = written(QuantizedModel.FP8_STATIC, TestModels.tiny(ModelFamily.LLAMA))) {
      final Model odd = new Model(model.config(), new OtherInputs(model.weights(), key));

      assertRefused(
          odd,
          "inputs of one product must be rounded alike for precision QUANTIZED:"
              + " model.layers.1.self_attn.q_proj.weight=Static[scale=0.02],"
              + " model.layers.1.self_attn.k_proj.weight=None[]; precision BFLOAT16 leaves inputs as"
              + " they are");
    }
  }

  /** The weights of a checkpoint, one of whose matrices is not quantised. */
  private record OtherInputs(ModelWeights weights, String other) implements ModelWeights {
    @Override
    public WeightType type(String tensor) {
      return weights.type(tensor);
    }

    @Override
    public void read(String tensor, long from, float[] target, int offset, int length) {
      weights.read(tensor, from, target, offset, length);
    }

    @Override
    public Optional<QuantizedMatrix> quantized(String tensor) {
      return tensor.equals(other) ? Optional.empty() : weights.quantized(tensor);
    }

    @Override
    public void close() {}
  }

  /** Without the option nothing is rounded, and the attributes say what the checkpoint asks for. */
  @Test
  void shouldSayWhatTheCheckpointAsksForWhereItIsNotDone() throws IOException {
    try (Model model = written(QuantizedModel.FP8_STATIC, TestModels.tiny(ModelFamily.LLAMA));
        CudaExecutor executor = builder(model).precision(Precision.BFLOAT16).build()) {
      assertThat(executor.attributes())
          .containsEntry(
              "inputs",
              "bfloat16; the checkpoint asks for inputs of 21 matrices in fp8_e4m3, by a fixed"
                  + " scale");
    }
  }
}
