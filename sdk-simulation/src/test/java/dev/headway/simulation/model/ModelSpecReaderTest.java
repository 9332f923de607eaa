package dev.headway.simulation.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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
    "GPT_OSS_20B, 20.91, 49152",
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
        "{\"quant_method\": \"mxfp4\"} | BF16",
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

  /**
   * 24 layers of 32 experts of 3 x 2,880 x 2,880 numbers in 4.25 bits are 10,152,345,600 bytes; of
   * attention 24 x 2,880 x 64 x (2 x 64 + 2 x 8), of routers 24 x 2,880 x 32 and of embedding and
   * head 2 x 201,088 x 2,880 numbers of two bytes. The published file has 13,761,264,768 bytes,
   * biases and norms among them.
   */
  @Test
  void shouldTakeTheExpertsOfGptOssAloneAsFourBits() throws IOException {
    final ModelSpec model = read(ModelConfigs.GPT_OSS_20B.json());
    final long rest = 637_009_920L + 2_211_840 + 1_158_266_880;

    assertThat(model.expertWeights()).isEqualTo(WeightFormat.FP4);
    assertThat(model.weights()).isEqualTo(WeightFormat.BF16);
    assertThat(model.weightBytes()).isEqualTo(10_152_345_600L + 2 * rest);
    assertThat((double) model.weightBytes()).isCloseTo(13_761_264_768.0, withinPercentage(0.2));
    final ForwardPass pass = ForwardPass.of(model, Parallelism.NONE);
    assertThat(pass.weightBytes()).isEqualTo(model.weightBytes());
    assertThat(pass.matMuls()).extracting(MatMul::format).containsOnly(WeightFormat.BF16);
  }

  @Test
  void shouldAlternateTheWindowsOfGptOssFromTheFirstLayerOn() throws IOException {
    final String json = ModelConfigs.GPT_OSS_20B.json();
    final ModelSpec usual = read(json);
    final ModelSpec unsaid = read(json.replace("\"sliding_window\": 128, ", ""));
    final ModelSpec other = read(json.replace("\"sliding_window\": 128", "\"sliding_window\": 64"));
    final ModelSpec none =
        read(json.replace("\"sliding_window\": 128", "\"sliding_window\": null"));
    final ModelSpec listed =
        read(
            ModelConfigs.GPT_OSS_20B.with(
                "\"layer_types\": [\"full_attention\", \"sliding_attention\"]"));

    assertThat(windows(usual, 3)).containsExactly(128, 0, 128);
    assertThat(usual.windowTokens(23)).isZero();
    assertThat(windows(unsaid, 3)).containsExactly(128, 0, 128);
    assertThat(windows(other, 3)).containsExactly(64, 0, 64);
    assertThat(windows(none, 3)).containsExactly(0, 0, 0);
    assertThat(windows(listed, 2)).containsExactly(0, 128);
  }

  private static int[] windows(ModelSpec model, int layers) {
    return IntStream.range(0, layers).map(model::windowTokens).toArray();
  }

  /** By hand: all experts of a token beside the shared ones, or a layer without experts. */
  @ParameterizedTest
  @CsvSource({
    "LLAMA_3_1_8B, 14336",
    "QWEN3_30B_A3B, 6144",
    "MIXTRAL_8X7B, 28672",
    "DEEPSEEK_V2_LITE, 11264",
    "LLAMA_4_SCOUT, 16384",
    "GPT_OSS_20B, 11520",
  })
  void shouldKnowWhatATokenHasInItsWidestFeedForward(ModelConfigs config, long width)
      throws IOException {
    assertThat(read(config.json()).widestFeedForward()).isEqualTo(width);
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

  /** What vLLM keeps them in where nothing else is asked for. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"quant_method\": \"compressed-tensors\", \"kv_cache_scheme\": {\"num_bits\": 8, \"type\":"
            + " \"float\", \"strategy\": \"tensor\", \"dynamic\": false} | FP8",
        "\"quant_method\": \"compressed-tensors\", \"kv_cache_scheme\": {\"num_bits\": 8, \"type\":"
            + " \"int\"} | INT8",
        "\"quant_method\": \"compressed-tensors\", \"kv_cache_scheme\": null | BF16",
        "\"quant_method\": \"modelopt\", \"quant_algo\": \"FP8\", \"kv_cache_quant_algo\": \"FP8\""
            + " | FP8",
        "\"quant_method\": \"fp8\" | BF16",
      })
  void shouldTakeTheFormatOfKeysAndValuesFromTheQuantisation(String quantization, WeightFormat kept)
      throws IOException {
    final ModelSpec model =
        read(ModelConfigs.LLAMA_3_1_8B.with("\"quantization_config\": {" + quantization + "}"));

    assertThat(model.kvCache()).isEqualTo(kept);
    assertThat(model.kvBytesPerToken()).isEqualTo(kept == WeightFormat.BF16 ? 131_072 : 65_536);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"kv_cache_scheme\": {\"num_bits\": 4} | kv_cache_scheme.num_bits must be 8",
        "\"kv_cache_quant_algo\": \"NVFP4\" | kv_cache_quant_algo must be FP8",
      })
  void shouldRefuseKeysAndValuesThatItCannotCount(String scheme, String message) {
    assertThatThrownBy(
            () ->
                read(
                    ModelConfigs.LLAMA_3_1_8B.with(
                        "\"quantization_config\": {\"quant_method\": \"modelopt\", "
                            + scheme
                            + "}")))
        .isInstanceOf(ModelSpecException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @EnumSource(ModelConfigs.class)
  void shouldChangeNothingButTheKeysAndValues(ModelConfigs config) throws IOException {
    final ModelSpec usual = read(config.json());
    final ModelSpec other = usual.withKvCache(WeightFormat.INT8);

    assertThat(other.kvCache()).isEqualTo(WeightFormat.INT8);
    assertThat(other).usingRecursiveComparison().ignoringFields("kvCache").isEqualTo(usual);
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
