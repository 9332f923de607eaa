package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ModelTest {

  private static final String Q = ModelLayout.inLayer(1, ModelLayout.Q_PROJ);

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(TinyModel.class)
  void shouldReadBackWhatItWrites(TinyModel tiny) throws IOException {
    final ModelConfig config = tiny.config();
    for (WeightType type : WeightType.values()) {
      final Model written = Model.random(config, 7, type);
      ModelWriter.write(written, directory);

      try (Model read = Model.load(directory)) {
        assertThat(read.config()).isEqualTo(config);
        for (TensorSpec tensor : ModelLayout.of(config)) {
          assertThat(read.weights().type(tensor.name())).isEqualTo(type);
          assertThat(floats(read, tensor))
              .as("%s as %s", tensor.name(), type)
              .isEqualTo(floats(written, tensor));
          assertThat(bf16(read, tensor)).isEqualTo(bf16(written, tensor));
        }
        assertThat(piece(read)).as("piece as %s", type).isEqualTo(piece(written));
      }
    }
  }

  @Test
  void shouldKeepTheScalingOfTheRotaryEmbedding() throws IOException {
    final ModelConfig tiny = TestModels.tiny(ModelFamily.LLAMA);
    for (RopeScaling scaling :
        List.of(
            new RopeScaling.Linear(2),
            new RopeScaling.Llama3(8, 1, 4, 64),
            new RopeScaling.Yarn(2, 1.5, 16, 2, false, 128),
            new RopeScaling.LongRope(
                List.of(1., 2., 3., 4.), List.of(2., 4., 6., 8.), Math.sqrt(1.5), 16))) {
      final ModelConfig config = TestModels.withRope(tiny, new RopeConfig(10_000, scaling));
      ModelWriter.write(Model.random(config, 7), directory);

      assertThat(Model.readConfig(directory)).isEqualTo(config);
    }
  }

  @Test
  void shouldStoreTheMatricesOfPhi3AsTransformersDoes() throws IOException {
    final ModelConfig config = TestModels.tiny(ModelFamily.PHI3);
    final Model model = Model.random(config, 7);
    ModelWriter.write(model, directory);

    try (Arena arena = Arena.ofConfined()) {
      final SafetensorsFile file =
          SafetensorsFile.open(directory.resolve("model.safetensors"), arena);
      assertThat(rows(file, "model.layers.2.self_attn.qkv_proj.weight", 64, 24))
          .isEqualTo(
              joined(
                  model,
                  new TensorSpec("model.layers.2.self_attn.q_proj.weight", 32, 24),
                  new TensorSpec("model.layers.2.self_attn.k_proj.weight", 16, 24),
                  new TensorSpec("model.layers.2.self_attn.v_proj.weight", 16, 24)));
      assertThat(rows(file, "model.layers.0.mlp.gate_up_proj.weight", 80, 24))
          .isEqualTo(
              joined(
                  model,
                  new TensorSpec("model.layers.0.mlp.gate_proj.weight", 40, 24),
                  new TensorSpec("model.layers.0.mlp.up_proj.weight", 40, 24)));
      assertThat(file.entries())
          .hasSize(2 + 1 + 6 * config.layers())
          .containsKeys("model.layers.1.self_attn.o_proj.weight", "model.norm.weight");
    }
  }

  private static short[] rows(SafetensorsFile file, String name, int rows, int columns) {
    assertThat(file.entries().get(name).shape()).containsExactly(rows, columns);
    return file.bytes(file.entries().get(name)).toArray(WeightType.SHORT);
  }

  private static short[] joined(Model model, TensorSpec... parts) {
    final short[] joined =
        new short[(int) Arrays.stream(parts).mapToLong(TensorSpec::elements).sum()];
    int at = 0;
    for (TensorSpec part : parts) {
      final short[] values = bf16(model, part);
      System.arraycopy(values, 0, joined, at, values.length);
      at += values.length;
    }
    return joined;
  }

  @Test
  void shouldNameAFusedMatrixThatIsMissingOrHasAnotherShape() throws IOException {
    ModelWriter.write(Model.random(TestModels.tiny(ModelFamily.LLAMA), 7), directory);
    final Path config = directory.resolve("config.json");
    final String llama = Files.readString(config);
    Files.writeString(config, llama.replace("LlamaForCausalLM", "Phi3ForCausalLM"));

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageEndingWith(
            "tensor 'model.layers.0.self_attn.qkv_proj.weight': tensor is missing");

    ModelWriter.write(Model.random(TestModels.tiny(ModelFamily.PHI3), 7), directory);
    Files.writeString(
        config,
        Files.readString(config)
            .replace("\"num_key_value_heads\" : 2", "\"num_key_value_heads\" : 4"));

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageEndingWith(
            "tensor 'model.layers.0.self_attn.qkv_proj.weight': shape must be that of config.json:"
                + " shape=[64, 24], expected=[96, 24]");
  }

  @Test
  void shouldLimitAModelToShorterContextsOnly() {
    final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), 7);

    assertThat(model.withMaxPositions(100).config().maxPositions()).isEqualTo(100);
    assertThatThrownBy(() -> model.withMaxPositions(257))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a context must be within the model's max_position_embeddings: longest=257,"
                + " max_position_embeddings=256");
  }

  @Test
  void shouldNameTheBiasThatAFileLacksOrHasTooMuch() throws IOException {
    final Path config = directory.resolve("config.json");
    ModelWriter.write(Model.random(TinyModel.LLAMA.config(), 7), directory);
    final String without = Files.readString(config);
    Files.writeString(
        config, without.replace("\"attention_bias\" : false", "\"attention_bias\" : true"));

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageEndingWith("tensor 'model.layers.0.self_attn.q_proj.bias': tensor is missing");

    ModelWriter.write(Model.random(TinyModel.LLAMA_WITH_BIASES.config(), 7), directory);
    Files.writeString(config, without);

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageEndingWith(
            "tensor 'model.layers.0.mlp.down_proj.bias': tensor is not expected in"
                + " LlamaForCausalLM of this config: unexpected tensors=21");
  }

  @Test
  void shouldRefuseBiasesThatNoConfigOfTheFamilyHas() {
    final ModelConfig tiny = TestModels.tiny(ModelFamily.QWEN2);

    assertThatThrownBy(() -> TinyModel.with(tiny, new ProjectionBiases(true, true, false)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "biases must be those that a config.json of Qwen2ForCausalLM can ask for:"
                + " biases=ProjectionBiases[qkv=true, output=true, feedForward=false]");
  }

  @Test
  void shouldRoundToBfloat16WhileReadingPieces() {
    final TensorSpec tensor = new TensorSpec(Q, 32, 24);
    final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), 3, WeightType.F32);
    final float[] whole = floats(model, tensor);

    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment piece = arena.allocate(10);
      model.weights().readBf16(Q, 101, piece, 5);
      for (int i = 0; i < 5; i++) {
        assertThat(piece.get(WeightType.SHORT, 2L * i)).isEqualTo(BFloat16.toBits(whole[101 + i]));
      }
      assertThatThrownBy(() -> model.weights().readBf16(Q, 32 * 24 - 4, piece, 5))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> model.weights().readBf16(Q, 0, piece, 6))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void shouldMakeWeightsThatDependOnSeedTensorAndIndex() {
    final ModelConfig config = TestModels.tiny(ModelFamily.LLAMA);
    final TensorSpec q = new TensorSpec(Q, 32, 24);
    final TensorSpec o = new TensorSpec(ModelLayout.inLayer(1, ModelLayout.O_PROJ), 24, 32);
    final float[] weights = floats(Model.random(config, 1), q);

    assertThat(floats(Model.random(config, 1), q)).isEqualTo(weights);
    assertThat(floats(Model.random(config, 2), q)).isNotEqualTo(weights);
    assertThat(floats(Model.random(config, 1), o)).isNotEqualTo(weights);
    double squares = 0;
    for (float weight : weights) {
      squares += (double) weight * weight;
    }
    assertThat(squares / weights.length).isCloseTo(1 / 24., within(0.005));
  }

  @Test
  void shouldRefuseATensorThatTheModelHasNot() {
    final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), 1);

    assertThatThrownBy(() -> model.weights().type("other"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the model must have the tensor: tensor='other'");
  }

  @Test
  void shouldNotReadAfterClose() throws IOException {
    ModelWriter.write(Model.random(TestModels.tiny(ModelFamily.LLAMA), 1), directory);
    final Model model = Model.load(directory);
    model.close();
    model.close();

    assertThatThrownBy(() -> model.weights().read(Q, 0, new float[1], 0, 1))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldLoadShardsThatAnIndexNames() throws IOException {
    final Path shards = shards();

    try (Model sharded = Model.load(shards);
        Model single = Model.load(directory)) {
      for (TensorSpec tensor : ModelLayout.of(single.config())) {
        assertThat(floats(sharded, tensor)).isEqualTo(floats(single, tensor));
      }
    }
  }

  @Test
  void shouldRefuseAnIndexThatIsWrong() throws IOException {
    final Path shards = shards();
    final Path index = shards.resolve("model.safetensors.index.json");
    final String right = Files.readString(index);

    refusesIndex(index, "{}", "weight_map must be given");
    refusesIndex(index, right.replace("one.safetensors", "../one.safetensors"), "of the folder");
    refusesIndex(index, right.replace("one.safetensors", "none.safetensors"), "file must exist");
    refusesIndex(
        index,
        right.replace("\"model.norm.weight\"", "\"model.other\""),
        "tensor 'model.other': file must hold what model.safetensors.index.json says it does");
    refusesIndex(
        index,
        right.replace("\"model.norm.weight\":\"one.safetensors\",", ""),
        "tensor 'model.norm.weight': tensor must be in the weight_map");
  }

  private void refusesIndex(Path index, String text, String reason) throws IOException {
    Files.writeString(index, text);
    assertThatThrownBy(() -> Model.load(index.getParent()))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(reason);
  }

  /** One file named by an index is a sharded model too. */
  private Path shards() throws IOException {
    final ModelConfig config = TestModels.tiny(ModelFamily.LLAMA);
    ModelWriter.write(Model.random(config, 5), directory);
    final Path shards = Files.createDirectory(directory.resolve("shards"));
    Files.copy(directory.resolve("config.json"), shards.resolve("config.json"));
    Files.copy(directory.resolve("model.safetensors"), shards.resolve("one.safetensors"));
    final StringBuilder map = new StringBuilder();
    for (TensorSpec tensor : ModelLayout.of(config)) {
      map.append(map.isEmpty() ? "" : ",");
      map.append('"').append(tensor.name()).append("\":\"one.safetensors\"");
    }
    Files.writeString(
        shards.resolve("model.safetensors.index.json"), "{\"weight_map\":{" + map + "}}");
    return shards;
  }

  private static float[] floats(Model model, TensorSpec tensor) {
    final float[] values = new float[(int) tensor.elements()];
    model.weights().read(tensor.name(), 0, values, 0, values.length);
    return values;
  }

  /** Elements 101 to 105 of a matrix, behind two others. */
  private static float[] piece(Model model) {
    final float[] values = new float[7];
    model.weights().read(Q, 101, values, 2, 5);
    return values;
  }

  private static short[] bf16(Model model, TensorSpec tensor) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment bytes = arena.allocate(2 * tensor.elements());
      model.weights().readBf16(tensor.name(), 0, bytes, tensor.elements());
      return bytes.toArray(WeightType.SHORT);
    }
  }
}
