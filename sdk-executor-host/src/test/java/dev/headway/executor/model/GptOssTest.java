package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** gpt-oss as published: experts of MXFP4, all others in bfloat16. */
class GptOssTest {

  private static final int HIDDEN = GptOssFolder.HIDDEN;
  private static final int INNER = GptOssFolder.INNER;
  private static final int EXPERTS = GptOssFolder.EXPERTS;
  private static final String STACK = "model.layers.1.mlp.experts.";
  @TempDir Path directory;

  private final GptOssFolder folder = new GptOssFolder(5);

  @Test
  void shouldReadItsConfigAndTheDefaultsOfItsClass() throws IOException {
    Files.writeString(directory.resolve("config.json"), GptOssFolder.CONFIG);

    final ModelConfig config = Model.readConfig(directory);

    assertThat(config.experts())
        .isEqualTo(new ExpertsShape(EXPERTS, 2, INNER, TestModels.softmax(true), 0, List.of()));
    assertThat(config.windows()).isEqualTo(new LayerWindows(List.of(128, 0)));
    assertThat(config.biases()).isEqualTo(new ProjectionBiases(true, true, false));
    assertThat(config.rope().theta()).isEqualTo(150_000);
    assertThat(config.localRope()).isEqualTo(config.rope());
    assertThat(config.rmsNormEps()).isEqualTo(1e-5f);
    assertThat(config.maxPositions()).isEqualTo(256);
  }

  /** Each weight by the definition of e2m1 and e8m0, and by where transformers looks for it. */
  @Test
  void shouldReadEachWeightOfMxfp4() throws IOException {
    folder.write(directory);
    final byte[][] blocks = folder.blocks;
    final byte[][] scales = folder.scales;

    try (Model model = Model.load(directory)) {
      for (int expert = 0; expert < EXPERTS; expert++) {
        for (int row = 0; row < INNER; row++) {
          final int interleaved = expert * 2 * INNER + 2 * row;
          assertRow(
              model, expert, ModelLayout.GATE_PROJ, row, HIDDEN, blocks[0], scales[0], interleaved);
          assertRow(
              model,
              expert,
              ModelLayout.UP_PROJ,
              row,
              HIDDEN,
              blocks[0],
              scales[0],
              interleaved + 1);
        }
        for (int row = 0; row < HIDDEN; row++) {
          assertRow(
              model,
              expert,
              ModelLayout.DOWN_PROJ,
              row,
              INNER,
              blocks[1],
              scales[1],
              expert * HIDDEN + row);
        }
      }
      final Optional<QuantizedMatrix> matrix =
          model.weights().quantized(expert(0, ModelLayout.GATE_PROJ));
      assertThat(matrix.orElseThrow().bits()).isEqualTo(4);
      assertThat(model.weights().quantized(ModelLayout.inLayer(1, ModelLayout.Q_PROJ))).isEmpty();
    }
  }

  private static void assertRow(
      Model model,
      int expert,
      String matrix,
      int row,
      int columns,
      byte[] blocks,
      byte[] scales,
      int rowInFile) {
    final float[] values = new float[columns];
    model.weights().read(expert(expert, matrix), (long) row * columns, values, 0, columns);
    for (int column = 0; column < columns; column++) {
      final int at = rowInFile * columns + column;
      final int code = blocks[at / 2] >> (column % 2 == 0 ? 0 : 4) & 0xF;
      final int exponent = code >> 1 & 3;
      final double mantissa = (code & 1) / 2.0;
      final double magnitude =
          exponent == 0 ? mantissa : (1 + mantissa) * Math.pow(2, exponent - 1);
      final double scale = Math.pow(2, (scales[at / 32] & 0xFF) - 127);
      assertThat((double) values[column])
          .as("%s of expert %d, row %d, column %d", matrix, expert, row, column)
          .isEqualTo(scale * (code < 8 ? magnitude : -magnitude) + 0.0);
    }
  }

  private static String expert(int expert, String matrix) {
    return ModelLayout.inLayer(1, ModelLayout.ofExpert(expert, matrix));
  }

  @Test
  void shouldHaveTheWeightsOfAPlainFileOfTheSameModel() throws IOException {
    folder.write(directory);
    final Path plain = directory.resolve("plain");

    try (Model model = Model.load(directory)) {
      ModelWriter.write(model, plain);
      try (Model again = Model.load(plain)) {
        assertThat(again.config()).isEqualTo(model.config());
        for (TensorSpec spec : ModelLayout.of(model.config())) {
          assertThat(floats(again, spec)).as(spec.name()).isEqualTo(floats(model, spec));
        }
      }
    }
  }

  @Test
  void shouldGiveNoNumbersWhereAScaleIsNone() throws IOException {
    folder.scales[0][0] = (byte) 255;
    folder.write(directory);

    try (Model model = Model.load(directory)) {
      final float[] values = new float[33];
      model.weights().read(expert(0, ModelLayout.GATE_PROJ), 0, values, 0, 33);
      assertThat(Float.isNaN(values[31])).isTrue();
      assertThat(Float.isFinite(values[32])).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gate_up_proj_blocks | | tensor is missing",
        "gate_up_proj_scales | | tensor is missing",
        "down_proj_bias | | tensor is missing",
        "down_proj_scales | down_proj_scale | tensor is missing"
      })
  void shouldRefuseAFileWithoutATensor(String tensor, String renamed, String reason)
      throws IOException {
    assertThatThrownBy(
            () -> {
              folder.write(
                  directory, name -> name.equals(STACK + tensor) ? String.valueOf(renamed) : name);
              Model.load(directory).close();
            })
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(STACK + tensor)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"hidden_act\": \"silu\" | \"swiglu_limit\": 6.0"
            + "| swiglu_limit must be 7.0: swiglu_limit=6.0",
        "\"hidden_act\": \"silu\" | \"attention_bias\": false"
            + "| attention_bias must be true in GptOssForCausalLM: attention_bias=false",
        "rope_scaling | other | rope_scaling must be given in GptOssForCausalLM",
        "\"lm_head\" | \"model.layers.1.mlp.experts\""
            + "| modules_to_not_convert must be a list without experts",
        "\"lm_head\"] | \"lm_head\"], \"dequantize\": true | dequantize must be false",
        "\"lm_head\"] | \"lm_head\"], \"bits\": 4 | bits",
        "\"hidden_size\": 64 | \"hidden_size\": 48"
            + "| hidden_size and intermediate_size must be multiples of 32 with quant_method mxfp4:"
            + " hidden_size=48, intermediate_size=96",
        "GptOssForCausalLM | MixtralForCausalLM"
            + "| quant_method mxfp4 is for experts that GptOssForCausalLM has:"
            + " architecture=MixtralForCausalLM",
        ", \"modules_to_not_convert\" | , \"x\": 1, \"modules_to_not_convert\" | x",
      })
  void shouldRefuseWhatItDoesNotKnow(String right, String wrong, String reason) throws IOException {
    folder.write(directory);
    assertThat(GptOssFolder.CONFIG).contains(right);
    Files.writeString(directory.resolve("config.json"), GptOssFolder.CONFIG.replace(right, wrong));

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(reason);
  }

  private static float[] floats(Model model, TensorSpec spec) {
    final float[] values = new float[(int) spec.elements()];
    model.weights().read(spec.name(), 0, values, 0, values.length);
    return values;
  }
}
