package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** GGUF files, whole ones and ones that are wrong in one way each. */
class GgufTest {

  private static final String NORM = "output_norm.weight";
  private static final String Q = "blk.1.attn_q.weight";

  @TempDir Path directory;
  private Path path;

  @BeforeEach
  void nameTheFile() {
    path = directory.resolve("tiny.gguf");
  }

  @ParameterizedTest
  @EnumSource(GgufModel.class)
  void shouldReadBackWhatTheConverterWrites(GgufModel type) throws IOException {
    for (ModelFamily family : List.of(ModelFamily.LLAMA, ModelFamily.QWEN2, ModelFamily.QWEN3)) {
      for (OutputHead head : OutputHead.values()) {
        final Model written = Model.random(GgufModel.config(family, head), 7, WeightType.F16);
        type.write(written, path);

        try (Model read = Model.load(path)) {
          assertThat(read.config()).isEqualTo(written.config());
          assertThat(Model.readConfig(path)).isEqualTo(written.config());
          for (TensorSpec tensor : ModelLayout.of(read.config())) {
            assertNear(type, written, read, tensor);
          }
        }
      }
    }
  }

  private static void assertNear(GgufModel type, Model written, Model read, TensorSpec tensor) {
    final float[] expected = floats(written, tensor);
    final float[] actual = floats(read, tensor);
    final boolean isPlain = tensor.shape().size() == 1 || type.ordinal() <= 2;
    assertThat(read.weights().quantized(tensor.name()).isPresent()).isNotEqualTo(isPlain);
    if (!type.isOfWeights() && !isPlain) {
      assertThat(actual).isNotEqualTo(new float[actual.length]);
      return;
    }
    final float bound =
        isPlain && type != GgufModel.BF16 ? 0 : type == GgufModel.Q4_0 ? 0.6f : 0.02f;
    float farthest = 0;
    for (int i = 0; i < expected.length; i++) {
      farthest = Math.max(farthest, Math.abs(actual[i] - expected[i]));
    }
    assertThat(farthest).as(tensor.name()).isLessThanOrEqualTo(bound);
  }

  /** Elements in the middle of a row whose place in the file is another. */
  @Test
  void shouldReadPiecesOfTurnedRows() throws IOException {
    final Model written =
        Model.random(GgufModel.config(ModelFamily.LLAMA, OutputHead.OWN), 7, WeightType.F32);
    GgufModel.F32.write(written, path);
    final String q = ModelLayout.inLayer(1, ModelLayout.Q_PROJ);
    final float[] expected = new float[600];
    written.weights().read(q, 1_000, expected, 3, 590);

    try (Model read = Model.load(path)) {
      final float[] actual = new float[600];
      read.weights().read(q, 1_000, actual, 3, 590);

      assertThat(actual).isEqualTo(expected);
    }
  }

  @Test
  void shouldDivideFrequenciesByTheFactorsInTheFile() throws IOException {
    final ByteBuffer factors = ByteBuffer.allocate(4 * 16).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 16; i++) {
      factors.putFloat(1 + i / 2f);
    }
    write(file -> file.tensor("rope_freqs.weight", 0, factors.array(), 16));

    final float[] plain = GgufModel.config(ModelFamily.LLAMA, OutputHead.TIED).inverseFrequencies();
    final ModelConfig config = Model.readConfig(path);
    assertThat(config.rope().magnitude()).isEqualTo(1);
    for (int i = 0; i < 16; i++) {
      final float expected = plain[i] / (1 + i / 2f);
      assertThat(config.inverseFrequencies()[i])
          .isCloseTo(expected, within(Math.ulp(expected) * 2));
      assertThat(config.withMaxPositions(7).inverseFrequencies()[i])
          .isEqualTo(config.inverseFrequencies()[i]);
    }
  }

  @Test
  void shouldReadLinearScalingAndOtherEnds() throws IOException {
    write(
        file ->
            file.put("llama.rope.scaling.type", "linear")
                .put("llama.rope.scaling.factor", 4f)
                .put("llama.rope.dimension_count", 32)
                .put("llama.vocab_size", 97)
                .put("tokenizer.ggml.eot_token_id", 9));

    assertThat(Model.readConfig(path).rope().scaling()).isEqualTo(new RopeScaling.Linear(4));
    assertThat(Model.readConfig(path).eosTokenIds()).containsExactly(2, 9);
  }

  @Test
  void shouldFindTheOneFileOfAFolder() throws IOException {
    write(file -> {});
    Model.load(directory).close();
    assertThat(Model.hasWeights(directory)).isTrue();
    Files.copy(path, directory.resolve("other.GGUF"));

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessage(
            directory
                + ": folder must hold one .gguf file: files=[other.GGUF, tiny.gguf]; name one of"
                + " them in place of the folder");

    ModelWriter.write(Model.random(TestModels.tiny(ModelFamily.LLAMA), 1), directory);
    assertThat(Model.readConfig(directory)).isEqualTo(TestModels.tiny(ModelFamily.LLAMA));
  }

  static List<Arguments> files() {
    return List.of(
        wrong(
            "no architecture",
            f -> f.remove("general.architecture"),
            null,
            "general.architecture must be given"),
        wrong(
            "another architecture",
            f -> f.put("general.architecture", "gemma3"),
            null,
            "general.architecture must be llama, qwen2 or qwen3: general.architecture=gemma3"),
        wrong(
            "experts",
            f -> f.put("llama.expert_count", 8),
            null,
            "llama.expert_count must be absent, since it is not supported: llama.expert_count=8"),
        wrong(
            "parts",
            f -> f.put("split.count", 3),
            null,
            "split.count must be 1, since files in parts are not supported: split.count=3"),
        wrong(
            "yarn",
            f -> f.put("llama.rope.scaling.type", "yarn"),
            null,
            "llama.rope.scaling.type must be none or linear: llama.rope.scaling.type=yarn"),
        wrong(
            "a part of a head turned",
            f -> f.put("llama.rope.dimension_count", 16),
            null,
            "llama.rope.dimension_count must be the size of a head, 32:"
                + " llama.rope.dimension_count=16"),
        wrong(
            "a size that is text",
            f -> f.put("llama.block_count", "two"),
            null,
            "llama.block_count must be an integer: llama.block_count=two"),
        wrong(
            "a size below zero",
            f -> f.put("llama.block_count", -1),
            null,
            "llama.block_count must be in [0, 2^31): llama.block_count=4294967295"),
        wrong(
            "no layers",
            f -> f.put("llama.block_count", 0),
            null,
            "num_hidden_layers must be >= 1: num_hidden_layers=0"),
        wrong(
            "no epsilon",
            f -> f.remove("llama.attention.layer_norm_rms_epsilon"),
            null,
            "llama.attention.layer_norm_rms_epsilon must be given"),
        wrong("no heads", f -> f.put("llama.attention.head_count", 0), null, "heads must be"),
        wrong(
            "an end outside the vocabulary",
            f -> f.put("tokenizer.ggml.eos_token_id", 97),
            null,
            "eos_token_id must be in [0, vocab_size): eos_token_id=97, vocab_size=97"),
        wrong(
            "an alignment of 24",
            f -> f.put("general.alignment", 24),
            null,
            "general.alignment must be a power of two of at most 2^20: general.alignment=24"),
        wrong(
            "no embedding",
            f -> f.remove("token_embd.weight"),
            "token_embd.weight",
            "tensor is missing"),
        wrong("a tensor missing", f -> f.remove(Q), Q, "tensor is missing"),
        wrong(
            "a tensor too many",
            f -> f.tensor("blk.0.attn_q.bias", 0, new byte[4], 1),
            "blk.0.attn_q.bias",
            "tensor is not expected in a model of architecture llama: unexpected tensors=1"),
        wrong(
            "another shape",
            f -> f.tensor(NORM, 0, new byte[512], 128),
            NORM,
            "shape must be that of the metadata: rows=1, columns=128, expected=[1, 256]"),
        wrong(
            "a type that is not read",
            f -> f.tensor(NORM, 10, new byte[84], 256),
            NORM,
            "type must be F32, F16, BF16, Q4_0, Q8_0, Q4_K, Q5_K or Q6_K: type=Q2_K"),
        wrong(
            "half a block",
            f -> f.tensor(NORM, 12, new byte[144], 255),
            NORM,
            "rows must be of whole blocks: columns=255, elements of a block of Q4_K=256"),
        wrong(
            "a dimension of 0",
            f -> f.tensor(NORM, 0, new byte[0], 0),
            NORM,
            "dimensions must be in [1, 2^31): dimension=0"),
        wrong(
            "dimensions that overflow",
            f -> f.tensor(NORM, 0, new byte[4], 1, 1 << 30, 1 << 30, 1 << 30),
            NORM,
            "dimensions are too large"),
        wrong(
            "five dimensions",
            f -> f.tensor(NORM, 0, new byte[4], 1, 1, 1, 1, 1),
            NORM,
            "n_dimensions must be in [1, 4]: n_dimensions=5"),
        wrong(
            "a tensor behind the file",
            f ->
                f.tensors()
                    .put(NORM, new GgufBytes.Tensor(0, new long[] {256}, new byte[0], 1L << 40)),
            NORM,
            "tensor must lie inside the file, which may be truncated: offset=1"),
        wrong(
            "a tensor before the file",
            f ->
                f.tensors()
                    .put(NORM, new GgufBytes.Tensor(0, new long[] {256}, new byte[0], -1L << 60)),
            NORM,
            "tensor must lie inside the file, which may be truncated: offset="),
        wrong(
            "factors of another size",
            f -> f.tensor("rope_freqs.weight", 0, new byte[32], 8),
            "rope_freqs.weight",
            "must be F32 of a factor for each pair of a head: type=F32, columns=8, rows=1,"
                + " pairs=16"),
        wrong(
            "factors of zero",
            f -> f.tensor("rope_freqs.weight", 0, new byte[64], 16),
            null,
            "short_factor"));
  }

  private static Arguments wrong(
      String what, Consumer<GgufBytes> change, String tensor, String reason) {
    return Arguments.of(what, change, tensor, reason);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("files")
  void shouldRefuseAFileWith(String what, Consumer<GgufBytes> change, String tensor, String reason)
      throws IOException {
    write(change);

    assertThatThrownBy(() -> Model.load(path))
        .isInstanceOfSatisfying(
            ModelFormatException.class,
            refusal -> {
              assertThat(refusal.file()).isEqualTo(path);
              assertThat(refusal.tensor().orElse(null)).isEqualTo(tensor);
              assertThat(refusal.reason()).startsWith(reason);
            });
  }

  static List<Arguments> headers() {
    return List.of(
        Arguments.of("no file", 0, 0L, "file must begin with GGUF"),
        Arguments.of("another magic", 0, 0x46554746L, "file must begin with GGUF"),
        Arguments.of("another version", 4, 1L, "version must be 2 or 3: version=1"),
        Arguments.of(
            "more tensors than bytes",
            8,
            1L << 60,
            "tensor_count must fit the file, which may be truncated: tensor_count="),
        Arguments.of(
            "fewer tensors than none",
            8,
            -1L,
            "tensor_count must fit the file, which may be truncated:"
                + " tensor_count=18446744073709551615"),
        Arguments.of("more fields than bytes", 16, 1L << 60, "metadata_kv_count must fit the file"),
        Arguments.of("a key longer than the file", 24, 1L << 40, "length of a string must fit"),
        Arguments.of(
            "a type that is none", 24 + 8 + 20, 13L, "type of a value must be in [0, 12]"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("headers")
  void shouldRefuseAHeaderWith(String what, int at, long value, String reason) throws IOException {
    write(file -> {});
    final byte[] bytes = Files.readAllBytes(path);
    final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (at == 8 || at == 16 || at == 24) {
      buffer.putLong(at, value);
    } else {
      buffer.putInt(at, (int) value);
    }
    Files.write(path, what.equals("no file") ? new byte[0] : bytes);

    assertThatThrownBy(() -> Model.load(path))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageStartingWith(path + ": " + reason);
  }

  /** Cut anywhere or changed anywhere in its header, it loads or is refused by one exception. */
  @Test
  void shouldLoadOrRefuseWhateverTheBytes() throws IOException {
    write(file -> {});
    final byte[] right = Files.readAllBytes(path);
    final long seed = System.nanoTime();
    final Random random = new Random(seed);
    int refused = 0;
    for (int i = 0; i < 500; i++) {
      final byte[] bytes =
          i % 4 == 0 ? Arrays.copyOf(right, random.nextInt(right.length)) : right.clone();
      for (int changes = random.nextInt(4); changes > 0 && i % 4 > 0; changes--) {
        bytes[random.nextInt(3_000)] = (byte) random.nextInt(256);
      }
      Files.write(path, bytes);
      try {
        Model.load(path).close();
      } catch (ModelFormatException e) {
        refused++;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed=" + seed + ", case=" + i, e);
      }
    }
    assertThat(refused).as("refused, seed=%d", seed).isBetween(125, 499);
  }

  private void write(Consumer<GgufBytes> change) throws IOException {
    final GgufBytes file =
        GgufModel.F16.of(
            Model.random(GgufModel.config(ModelFamily.LLAMA, OutputHead.TIED), 7, WeightType.F16));
    change.accept(file);
    Files.write(path, file.bytes());
  }

  private static float[] floats(Model model, TensorSpec tensor) {
    final float[] values = new float[(int) tensor.elements()];
    model.weights().read(tensor.name(), 0, values, 0, values.length);
    return values;
  }
}
