package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Quantised checkpoints, whole ones and ones that are wrong in one way each. */
class QuantizedModelTest {

  private static final String Q = ModelLayout.inLayer(1, ModelLayout.Q_PROJ);
  private static final String Q_SCALE = "model.layers.1.self_attn.q_proj.weight_scale";

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(QuantizedModel.class)
  void shouldReadWeightsWithinTheErrorOfTheFormat(QuantizedModel quantized) throws IOException {
    for (TinyModel tiny : TinyModel.values()) {
      if (tiny.config().family().stacksExperts()) {
        continue; // has a format of its own: GptOssTest
      }
      final Model written = Model.random(tiny.config(), 7, WeightType.F32);
      quantized.write(written, directory);

      try (Model read = Model.load(directory)) {
        assertThat(read.config()).isEqualTo(tiny.config());
        assertThat(read.weights().notRead()).isEmpty();
        for (TensorSpec tensor : ModelLayout.of(tiny.config())) {
          assertNear(written, read, tensor);
        }
      }
    }
  }

  /** Rows of a matrix that is a part of one in the file do not begin where its scales do. */
  @ParameterizedTest
  @CsvSource({
    "FP8_BLOCKS, LLAMA, 16, 16",
    "FP8_BLOCKS, PHI3, 16, 8",
    "FP8_WIDE_BLOCKS, PHI3, 32, 8",
    "FP8_STATIC, LLAMA, 16, 40",
    "TENSORS_BLOCKS, PHI3, 8, 8",
    "TENSORS_DYNAMIC, PHI3, 1, 1",
    "TENSORS_PACKED, LLAMA, 1, 1"
  })
  void shouldKnowHowManyRowsShareTheirScales(
      QuantizedModel quantized, ModelFamily family, int keys, int up) throws IOException {
    quantized.write(Model.random(TestModels.tiny(family), 7), directory);
    try (Model model = Model.load(directory)) {
      assertRowsPerScale(model, ModelLayout.K_PROJ, keys);
      assertRowsPerScale(model, ModelLayout.UP_PROJ, up);
    }
  }

  private static void assertRowsPerScale(Model model, String name, int expected) {
    final QuantizedMatrix matrix =
        model.weights().quantized(ModelLayout.inLayer(2, name)).orElseThrow();
    assertThat(matrix.rowsPerScale()).as(name).isEqualTo(expected);
    for (int row = 0; row < matrix.rows(); row++) {
      for (int group = 0; group < matrix.groups(); group++) {
        assertThat(matrix.scale(row, group))
            .as("%s, row=%d", name, row)
            .isEqualTo(matrix.scale(row / expected * expected, group));
      }
    }
  }

  /**
   * Eight-bit floats are within half a step of 1/8, of 2^-9 of the scale below, and scales may be
   * rounded too; integers within half a scale.
   */
  private static void assertNear(Model written, Model read, TensorSpec tensor) {
    final float[] expected = floats(written, tensor.name(), (int) tensor.elements());
    final float[] actual = floats(read, tensor.name(), (int) tensor.elements());
    final boolean quantized = tensor.name().matches(".*layers.*_proj.weight");
    assertThat(read.weights().quantized(tensor.name()).isPresent())
        .as(tensor.name())
        .isEqualTo(quantized);
    if (!quantized) {
      assertThat(actual).as(tensor.name()).isEqualTo(expected);
      return;
    }
    final QuantizedMatrix matrix = read.weights().quantized(tensor.name()).orElseThrow();
    for (int i = 0; i < expected.length; i++) {
      final float scale = matrix.scale(i / matrix.columns(), matrix.group(i % matrix.columns()));
      final float bound =
          matrix.code() == QuantizedMatrix.Code.E4M3
              ? Math.max(Math.abs(expected[i]) / 16, scale * 0x1p-9f) * 1.01f
              : scale * 0.501f;
      assertThat(Math.abs(actual[i] - expected[i]))
          .as("%s, element %d", tensor.name(), i)
          .isLessThanOrEqualTo(bound);
    }
  }

  @ParameterizedTest
  @EnumSource(QuantizedModel.class)
  void shouldGiveTheCodesAndScalesThatMakeTheWeights(QuantizedModel quantized) throws IOException {
    quantized.write(Model.random(TestModels.tiny(ModelFamily.PHI3), 7), directory);
    try (Model model = Model.load(directory);
        Arena arena = Arena.ofConfined()) {
      for (String name : new String[] {ModelLayout.K_PROJ, ModelLayout.UP_PROJ}) { // behind others
        final String tensor = ModelLayout.inLayer(2, name);
        final QuantizedMatrix matrix = model.weights().quantized(tensor).orElseThrow();
        final int elements = matrix.rows() * matrix.columns();
        final MemorySegment codes = arena.allocate(elements);
        matrix.readCodes(0, codes, elements);
        final float[] weights = floats(model, tensor, elements);
        final float[] piece = new float[20];
        model.weights().read(tensor, 30, piece, 3, 17);

        assertThat(matrix.columns()).isEqualTo(24);
        for (int i = 0; i < elements; i++) {
          final byte code = codes.get(ValueLayout.JAVA_BYTE, i);
          assertThat(matrix.code().value(code) * matrix.scale(i / 24, matrix.group(i % 24)))
              .isEqualTo(weights[i]);
        }
        for (int i = 0; i < 17; i++) {
          assertThat(piece[3 + i]).isEqualTo(weights[30 + i]);
        }
        assertThatThrownBy(() -> matrix.readCodes(elements - 4, codes, 5))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "",
      value = {
        "FP8_BLOCKS, PerGroup[columns=7]",
        "FP8_STATIC, Static[scale=0.02]",
        "FP8_DYNAMIC, PerToken[]",
        "TENSORS_STATIC, Static[scale=0.02]",
        "TENSORS_DYNAMIC, PerToken[]",
        "TENSORS_BLOCKS, PerGroup[columns=8]",
        "AWQ, None[]",
        "GPTQ, None[]",
        "TENSORS_PACKED, None[]"
      })
  void shouldSayHowInputsAreRounded(QuantizedModel quantized, String inputs) throws IOException {
    quantized.write(Model.random(TestModels.tiny(ModelFamily.LLAMA), 7), directory);

    try (Model model = Model.load(directory)) {
      assertThat(model.weights().quantized(Q).orElseThrow().inputs()).hasToString(inputs);
    }
  }

  @Test
  void shouldLeaveInputsThatNobodyRounds() throws IOException {
    write(
        QuantizedModel.TENSORS_DYNAMIC,
        "\"input_activations\": \\{[^}]*\\}",
        "\"input_activations\": null");

    try (Model model = Model.load(directory)) {
      assertThat(model.weights().quantized(Q).orElseThrow().inputs())
          .isEqualTo(new InputQuantization.None());
    }
  }

  @Test
  void shouldReadLayersThatWereNotQuantisedAsTheyAre() throws IOException {
    final Model written = Model.random(TestModels.tiny(ModelFamily.LLAMA), 7, WeightType.F32);
    write(QuantizedModel.TENSORS_DYNAMIC, "re:.*lm_head\"", "re:.*lm_head\", \"re:.*q_proj$\"");
    final SafetensorsBytes file = new SafetensorsBytes();
    try (Model all = loadIgnoringNothing()) {
      for (FileTensor tensor : FileTensor.of(written.config())) {
        addAsStored(file, all, written, tensor);
      }
    }
    file.write(directory.resolve("model.safetensors"));

    try (Model model = Model.load(directory)) {
      assertThat(model.weights().quantized(Q)).isEmpty();
      assertThat(floats(model, Q, 32 * 24)).isEqualTo(floats(written, Q, 32 * 24));
      assertThat(model.weights().quantized(Q.replace("q_proj", "k_proj"))).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = QuantizedModel.class,
      names = {"FP8_BLOCKS", "AWQ", "GPTQ"})
  void shouldReadALayerThatIsNotListedAsItsDtypeSays(QuantizedModel quantized) throws IOException {
    final Model written = Model.random(TestModels.tiny(ModelFamily.LLAMA), 7, WeightType.F32);
    quantized.write(written, directory);
    quantized.tensors(written, Q).write(directory.resolve("model.safetensors"));

    try (Model model = Model.load(directory)) {
      assertThat(model.weights().quantized(Q)).isEmpty();
      assertThat(floats(model, Q, 32 * 24)).isEqualTo(floats(written, Q, 32 * 24));
      assertThat(model.weights().quantized(Q.replace("q_proj", "k_proj"))).isPresent();
    }
  }

  private Model loadIgnoringNothing() throws IOException {
    final Path other = Files.createDirectories(directory.resolve("other"));
    QuantizedModel.TENSORS_DYNAMIC.write(
        Model.random(TestModels.tiny(ModelFamily.LLAMA), 7, WeightType.F32), other);
    return Model.load(other);
  }

  private static void addAsStored(
      SafetensorsBytes file, Model quantized, Model plain, FileTensor tensor) {
    final String name = tensor.name();
    final QuantizedMatrix matrix = quantized.weights().quantized(name).orElse(null);
    if (matrix == null || name.contains("q_proj")) {
      file.addFloats(
          name, WeightType.F32, tensor.shape(), floats(plain, name, (int) tensor.elements()));
      return;
    }
    final byte[] codes = new byte[(int) tensor.elements()];
    matrix.readCodes(0, MemorySegment.ofArray(codes), codes.length);
    final float[] scales = new float[matrix.rows()];
    for (int row = 0; row < scales.length; row++) {
      scales[row] = matrix.scale(row, 0);
    }
    file.add(name, "F8_E4M3", tensor.shape(), codes);
    file.addFloats(name + "_scale", WeightType.F32, List.of(scales.length, 1), scales);
  }

  @Test
  void shouldReadTheScalesOfKeysAndValuesBesideQuantisedWeights() throws IOException {
    write(
        QuantizedModel.TENSORS_STATIC,
        "\"kv_cache_scheme\": null",
        "\"kv_cache_scheme\": {\"num_bits\": 8, \"type\": \"float\"}");
    final SafetensorsBytes file =
        QuantizedModel.TENSORS_STATIC.tensors(
            Model.random(TestModels.tiny(ModelFamily.LLAMA), 7, WeightType.F32));
    file.addFloats("model.layers.0.self_attn.k_scale", WeightType.F32, List.of(1), 2);
    file.addFloats("model.layers.0.self_attn.v_scale", WeightType.F32, List.of(1), 3);
    file.write(directory.resolve("model.safetensors"));

    try (Model model = Model.load(directory)) {
      assertThat(model.weights().notRead()).isEmpty();
      assertThat(model.weights().eightBitKv())
          .isEqualTo(new EightBitKv(true, "", Map.of(0, new KvScale(2, 3))));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "FP8_BLOCKS | \"fp8\" | \"nf4\" | quantization_config.quant_method must be fp8,"
            + " compressed-tensors, awq, gptq or mxfp4: quantization_config.quant_method=\"nf4\"",
        "FP8_BLOCKS | \"quant_method\" | \"method\" | quantization_config.quant_method must be"
            + " given",
        "FP8_BLOCKS | \"e4m3\" | \"e5m2\" | quantization_config.fmt must be \"e4m3\":"
            + " quantization_config.fmt=\"e5m2\"",
        "FP8_BLOCKS | \"fmt\" | \"scale_fmt\" | quantization_config.scale_fmt is not supported:"
            + " quantization_config.scale_fmt=\"e4m3\"",
        "FP8_BLOCKS | \\[16, 7\\] | [16, 0] | quantization_config.weight_block_size must be two"
            + " integers >= 1: quantization_config.weight_block_size=[16,0]",
        "FP8_BLOCKS | \"dynamic\" | \"static\" | quantization_config.activation_scheme must be"
            + " dynamic where weight_block_size is given:"
            + " quantization_config.activation_scheme=\"static\"",
        "FP8_STATIC | \"static\" | \"often\" | quantization_config.activation_scheme must be static"
            + " or dynamic: quantization_config.activation_scheme=\"often\"",
        "FP8_BLOCKS | \\[\"lm_head\", | [1, | quantization_config.modules_to_not_convert must be a"
            + " list of strings: quantization_config.modules_to_not_convert=[1,\"model.norm\"]",
        "TENSORS_STATIC | float-quantized | nvfp4-pack-quantized | quantization_config.format must"
            + " be float-quantized, naive-quantized or pack-quantized:"
            + " quantization_config.format=\"nvfp4-pack-quantized\"",
        "TENSORS_STATIC | \"compressed\", | \"frozen\", | quantization_config.quantization_status"
            + " must be \"compressed\": quantization_config.quantization_status=\"frozen\"",
        "TENSORS_STATIC | \"kv_cache_scheme\" | \"kv_scheme\": 1, \"kv_cache_scheme\" |"
            + " quantization_config.kv_scheme is not supported: quantization_config.kv_scheme=1",
        "TENSORS_STATIC | \"config_groups\" | \"transform_config\" |"
            + " quantization_config.transform_config must be empty",
        "TENSORS_STATIC | \"Linear\" | \"Embedding\" |"
            + " quantization_config.config_groups.group_0.targets must be Linear, names of layers,"
            + " or expressions behind re:"
            + ": quantization_config.config_groups.group_0.targets=[\"Embedding\"]",
        "TENSORS_STATIC | output_activations\": null | output_activations\": {} |"
            + " quantization_config.config_groups.group_0.output_activations is not supported:",
        "TENSORS_STATIC | \"actorder\": null | \"actorder\": true |"
            + " quantization_config.config_groups.group_0.weights.actorder must be null:",
        "TENSORS_STATIC | \"weights\": .\"num_bits\": 8 | \"weights\": {\"num_bits\": 4 |"
            + " quantization_config.config_groups.group_0.weights.num_bits must be 8:",
        "TENSORS_STATIC | \"float\" | \"int\" |"
            + " quantization_config.config_groups.group_0.weights.type must be float:",
        "TENSORS_DYNAMIC | \"channel\" | \"tensor_group\" |"
            + " quantization_config.config_groups.group_0.weights.strategy must be tensor, channel"
            + " or block:",
        "TENSORS_DYNAMIC | \"token\" | \"tensor\" |"
            + " quantization_config.config_groups.group_0.input_activations.strategy must be token,"
            + " or group with a group_size, where dynamic is true:",
        "AWQ | \"gemm\" | \"gemv\" | quantization_config.version must be gemm:"
            + " quantization_config.version=\"gemv\"",
        "AWQ | \"bits\": 4 | \"bits\": 3 | quantization_config.bits must be 4:"
            + " quantization_config.bits=3",
        "AWQ | \"zero_point\": true | \"zero_point\": false | quantization_config.zero_point must"
            + " be true: quantization_config.zero_point=false",
        "GPTQ | \"bits\": 4 | \"bits\": 3 | quantization_config.bits must be 4 or 8:"
            + " quantization_config.bits=3",
        "GPTQ | \"group_size\": 8 | \"group_size\": 0 | quantization_config.group_size must be -1,"
            + " or an integer >= 1: quantization_config.group_size=0",
        "GPTQ | : \"gptq\", \"damp | : \"marlin\", \"damp | quantization_config.checkpoint_format"
            + " must be gptq or gptq_v2: quantization_config.checkpoint_format=\"marlin\"",
        "GPTQ | \"sym\": true | \"dynamic\": {} | quantization_config.dynamic is not supported:"
            + " quantization_config.dynamic={}",
        "TENSORS_PACKED | \"num_bits\": 4 | \"num_bits\": 3 |"
            + " quantization_config.config_groups.group_0.weights.num_bits must be 4 or 8:",
        "TENSORS_PACKED | \"group\", | \"tensor\", |"
            + " quantization_config.config_groups.group_0.weights.strategy must be channel or group:",
        "TENSORS_PACKED | \"input_activations\": null | \"input_activations\": {} |"
            + " quantization_config.config_groups.group_0.input_activations must be null with"
            + " integers:",
        "TENSORS_DYNAMIC | re:.\\*lm_head | re:(a+)+b | quantization_config.ignore must be"
            + " names of layers, or expressions of names"
      })
  void shouldRefuseAConfigByName(QuantizedModel quantized, String right, String wrong, String why)
      throws IOException {
    write(quantized, right, wrong);

    for (Runnable read :
        new Runnable[] {() -> Model.load(directory), () -> Model.readConfig(directory)}) {
      assertThatThrownBy(read::run)
          .isInstanceOf(ModelFormatException.class)
          .hasMessageStartingWith(directory.resolve("config.json") + ": " + why);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TENSORS_DYNAMIC | \"Linear\" | \"re:.*layers.0.*\" | model.layers.1.self_attn.q_proj.weight"
            + " | dtype must be F32, F16 or BF16, since quantization_config of config.json does not"
            + " say that it is quantised: dtype=F8_E4M3",
        "FP8_DYNAMIC | null | [8, 8] | model.layers.0.self_attn.q_proj.weight_scale_inv | tensor is"
            + " missing, which quantization_config of config.json asks for",
        "FP8_BLOCKS | \\[16, 7\\] | [16, 9] | model.layers.0.self_attn.q_proj.weight_scale_inv | shape"
            + " must be that of config.json and its quantization_config: shape=[2, 4],"
            + " expected=[2, 3]",
        "FP8_DYNAMIC | \"dynamic\" | \"static\" | model.layers.0.self_attn.q_proj.input_scale |"
            + " tensor is missing, which quantization_config of config.json asks for",
        "FP8_STATIC | \"static\" | \"dynamic\" | model.layers.0.mlp.down_proj.input_scale | tensor"
            + " is not expected in LlamaForCausalLM of this config: unexpected tensors=21",
        "FP8_BLOCKS | \"lm_head\" | \"model.layers.1\" | model.layers.1.self_attn.q_proj.weight |"
            + " dtype must be F32, F16 or BF16, since",
        "AWQ | \"group_size\": 8 | \"group_size\": 16 | model.layers.0.self_attn.q_proj.qweight |"
            + " sizes must be multiples of the group's and of the integers in a word: rows=32,"
            + " columns=24, group_size=16, bits=4",
        "AWQ | \"group_size\": 8 | \"group_size\": 12 | model.layers.0.self_attn.q_proj.qzeros |"
            + " shape must be that of config.json and its quantization_config: shape=[3, 4],"
            + " expected=[2, 4]",
        "GPTQ | \"bits\": 4 | \"bits\": 8 | model.layers.0.self_attn.q_proj.qweight | shape must be"
            + " that of config.json and its quantization_config: shape=[3, 32], expected=[6, 32]",
        "GPTQ_REORDERED | \"desc_act\": true | \"desc_act\": false |"
            + " model.layers.0.self_attn.q_proj.g_idx | groups must be adjacent where"
            + " quantization_config does not reorder inputs",
        "GPTQ_8_BITS | \"sym\": true | \"checkpoint_format\": \"gptq_v2\" |"
            + " model.layers.0.self_attn.q_proj.qzeros | zero points of 8 bits must be 128: zero"
            + " point=127",
        "TENSORS_PACKED | \"symmetric\": true | \"symmetric\": false |"
            + " model.layers.0.self_attn.q_proj.weight_zero_point | tensor is missing",
        "TENSORS_DYNAMIC | \"re:.\\*lm_head\" | \"other\" | lm_head.weight | dtype must be F8_E4M3"
            + " as quantization_config of config.json says: dtype=F32"
      })
  void shouldRefuseTensorsThatAreNotAsTheConfigSays(
      QuantizedModel quantized, String right, String wrong, String tensor, String reason)
      throws IOException {
    write(quantized, right, wrong);

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("tensor '" + tensor + "': " + reason);
  }

  @ParameterizedTest
  @CsvSource({"NaN", "Infinity", "-1"})
  void shouldRefuseAScaleThatIsNoScale(float scale) throws IOException {
    final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), 7);
    QuantizedModel.TENSORS_DYNAMIC.write(model, directory);
    final Path file = directory.resolve("model.safetensors");
    spoilLast(file, Q_SCALE, scale);

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessage(
            file
                + ": tensor '"
                + Q_SCALE
                + "': scales must be finite and >= 0: index=31, scale="
                + scale);
  }

  @Test
  void shouldRefuseAZeroPointThatReadersDisagreeAbout() throws IOException {
    QuantizedModel.GPTQ.write(Model.random(TestModels.tiny(ModelFamily.LLAMA), 7), directory);
    final Path file = directory.resolve("model.safetensors");
    spoilLast(file, "model.layers.1.self_attn.q_proj.qzeros", Float.intBitsToFloat(0xf7777777));

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessage(
            file
                + ": tensor 'model.layers.1.self_attn.q_proj.qzeros': zero points must be below 16:"
                + " the format gptq stores 15 for 16 and for 0; gptq_v2 does not");
  }

  @Test
  void shouldRefuseAnInputScaleOfZero() throws IOException {
    QuantizedModel.FP8_STATIC.write(Model.random(TestModels.tiny(ModelFamily.LLAMA), 7), directory);
    final Path file = directory.resolve("model.safetensors");
    spoilLast(file, "model.layers.1.self_attn.q_proj.input_scale", 0);

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageEndingWith("q_proj.input_scale': scale of inputs must be above zero: scale=0.0");
  }

  private static void spoilLast(Path path, String tensor, float value) throws IOException {
    final byte[] bytes = Files.readAllBytes(path);
    final long end;
    final boolean isWide;
    try (Arena arena = Arena.ofConfined()) {
      final SafetensorsHeader.Entry entry = SafetensorsFile.open(path, arena).entries().get(tensor);
      isWide = entry.dtype().endsWith("32");
      end = bytes.length - dataBytes(path, arena) + entry.end();
    }
    final MemorySegment segment = MemorySegment.ofArray(bytes);
    if (isWide) {
      segment.set(WeightType.FLOAT, end - 4, value);
    } else {
      segment.set(WeightType.SHORT, end - 2, BFloat16.toBits(value));
    }
    Files.write(path, bytes);
  }

  private static long dataBytes(Path path, Arena arena) {
    return SafetensorsFile.open(path, arena).entries().values().stream()
        .mapToLong(SafetensorsHeader.Entry::end)
        .max()
        .orElseThrow();
  }

  private void write(QuantizedModel quantized, String right, String wrong) throws IOException {
    quantized.write(
        Model.random(TestModels.tiny(ModelFamily.LLAMA), 7, WeightType.F32),
        directory,
        config -> {
          final String changed = config.replaceFirst(right, Matcher.quoteReplacement(wrong));
          assertThat(changed).as("changed").isNotEqualTo(config);
          return changed;
        });
  }

  private static float[] floats(Model model, String tensor, int elements) {
    final float[] values = new float[elements];
    model.weights().read(tensor, 0, values, 0, elements);
    return values;
  }
}
