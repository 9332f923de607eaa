package dev.headway.simulation.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelSpecReaderTest {

  @TempDir private Path folder;

  /** Parameters as the models' cards have them, in billions; KV bytes are 2 * layers * heads ... */
  @ParameterizedTest
  @CsvSource({
    "LLAMA_3_1_8B, 8.03, 131072",
    "LLAMA_3_1_70B, 70.55, 327680",
    "QWEN3_14B, 14.77, 163840",
    "QWEN3_30B_A3B, 30.53, 98304",
    "MIXTRAL_8X7B, 46.70, 131072",
    "DEEPSEEK_V3, 671.03, 70272",
    "DEEPSEEK_V2_LITE, 15.71, 31104",
    "LLAMA_4_SCOUT, 107.77, 196608",
  })
  void shouldHaveTheParametersAndTheKvOfTheModel(
      ModelConfigs config, double billions, long kvBytesPerToken) throws IOException {
    final ModelSpec model = read(config.json());

    assertThat(model.parameters() / 1e9).isCloseTo(billions, within(0.01));
    assertThat(model.kvBytesPerToken()).isEqualTo(kvBytesPerToken);
  }

  @Test
  void shouldTakeTheWidthOfAHeadFromItsFieldWhereThereIsOne() throws IOException {
    final ModelSpec model = read(ModelConfigs.QWEN3_30B_A3B.json());

    assertThat(model.attention()).isEqualTo(new AttentionSpec.Grouped(32, 4, 128));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"quant_method\": \"fp8\", \"fmt\": \"e4m3\"} | FP8",
        "{\"quant_method\": \"awq\", \"bits\": 4} | INT4",
        "{\"quant_method\": \"gptq\", \"bits\": 8} | INT8",
        "{\"quant_method\": \"mxfp4\"} | FP4",
        "{\"quant_method\": \"compressed-tensors\", \"format\": \"float-quantized\","
            + " \"config_groups\": {\"group_0\": {\"weights\": {\"num_bits\": 8}}}} | FP8",
        "{\"quant_method\": \"compressed-tensors\", \"format\": \"int-quantized\","
            + " \"config_groups\": {\"group_0\": {\"weights\": {\"num_bits\": 8}}}} | INT8",
        "{\"quant_method\": \"modelopt\", \"quant_algo\": \"FP8\"} | FP8",
        "{\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\"} | FP4",
      })
  void shouldTakeTheFormatOfTheWeightsFromTheQuantisation(String quantization, WeightFormat weights)
      throws IOException {
    final ModelSpec model =
        read(ModelConfigs.LLAMA_3_1_8B.with("\"quantization_config\": " + quantization));

    assertThat(model.weights()).isEqualTo(weights);
    assertThat(model.activations()).isEqualTo(WeightFormat.BF16);
  }

  @Test
  void shouldReadWindowsByLayer() throws IOException {
    final ModelSpec listed =
        read(
            ModelConfigs.LLAMA_3_1_8B.with(
                "\"sliding_window\": 1024, \"layer_types\": [\"sliding_attention\","
                    + " \"full_attention\"]"));
    final ModelSpec pattern =
        read(
            ModelConfigs.LLAMA_3_1_8B.with(
                "\"sliding_window\": 512, \"sliding_window_pattern\": 6"));
    final ModelSpec above =
        read(ModelConfigs.LLAMA_3_1_8B.with("\"sliding_window\": 256, \"max_window_layers\": 30"));
    final ModelSpec off =
        read(
            ModelConfigs.LLAMA_3_1_8B.with(
                "\"sliding_window\": 256, \"use_sliding_window\": false"));

    assertThat(new int[] {listed.windowTokens(0), listed.windowTokens(1)}).containsExactly(1024, 0);
    assertThat(new int[] {pattern.windowTokens(4), pattern.windowTokens(5)})
        .containsExactly(512, 0);
    assertThat(new int[] {above.windowTokens(29), above.windowTokens(30)}).containsExactly(0, 256);
    assertThat(off.windowTokens(0)).isZero();
  }

  @Test
  void shouldReadTheTextModelOfAMultimodalOne() throws IOException {
    final ModelSpec model =
        read("{\"text_config\": " + ModelConfigs.LLAMA_3_1_8B.json() + ", \"vision_config\": {}}");

    assertThat(model.layers()).isEqualTo(32);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"hidden_size\": 8} | num_hidden_layers or n_layer is missing",
        "{\"num_hidden_layers\": \"two\"} | num_hidden_layers must be a whole number: \"two\"",
        "{\"num_hidden_layers\": 2, | cannot be read",
      })
  void shouldNameTheFileAndTheFieldThatIsWrong(String json, String message) throws IOException {
    assertThatThrownBy(() -> read(json))
        .isInstanceOf(ModelSpecException.class)
        .hasMessageContaining("config.json: ")
        .hasMessageContaining(message);
  }

  private ModelSpec read(String json) throws IOException {
    Files.writeString(folder.resolve("config.json"), json);
    return ModelSpecReader.read(folder);
  }
}
