package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Adapters as PEFT writes them, whole ones and ones that are wrong in one way each. */
class LoraWeightsTest {

  private final ModelConfig config = TestModels.tiny(ModelFamily.LLAMA);

  @TempDir Path directory;

  @Test
  void shouldHaveADeltaForEachMatrixThatTheFileChanges() throws IOException {
    LoraFolder.write(directory, config, 3);

    final LoraWeights weights = LoraWeights.load(directory, config);

    assertThat(weights.rank()).isEqualTo(3);
    assertThat(weights.layers()).isEqualTo(config.layers());
    for (LoraTarget target : LoraTarget.values()) {
      assertThat(weights.delta(1, target)).as("%s", target).isNotNull();
    }
    assertThat(weights.delta(0, LoraTarget.KEY).outputs()).isEqualTo(16);
  }

  /** The product by hand: rank 1, lora_alpha 6, of three inputs that are not zero. */
  @ParameterizedTest
  @CsvSource({"false, 6", "true, 6"})
  void shouldAddTheProductOfTheTwoMatricesTimesItsScale(boolean isRankStabilised, float scale)
      throws IOException {
    final String q = "base_model.model.model.layers.2.self_attn.q_proj";
    final SafetensorsBytes file = new SafetensorsBytes();
    final float[] down = new float[24];
    down[0] = 1;
    down[1] = -2;
    down[23] = 0.5f;
    final float[] up = new float[32];
    up[5] = 0.25f;
    file.addFloats(q + ".lora_A.weight", WeightType.BF16, List.of(1, 24), down);
    file.addFloats(q + ".lora_B.weight", WeightType.F16, List.of(32, 1), up);
    LoraFolder.write(
        directory,
        LoraFolder.CONFIG
            .replace("\"r\": 3", "\"r\": 1")
            .replace("\"use_rslora\": false", "\"use_rslora\": " + isRankStabilised),
        file);

    final LoraWeights weights = LoraWeights.load(directory, config);

    assertThat(weights.delta(1, LoraTarget.QUERY)).isNull();
    assertThat(weights.delta(2, LoraTarget.KEY)).isNull();
    final LoraDelta delta = weights.delta(2, LoraTarget.QUERY);
    final float[] x = new float[26];
    x[2] = 3;
    x[3] = 1;
    x[25] = 4;
    final float[] low = new float[2];
    final float[] y = new float[34];
    y[7] = 100;
    delta.reduce(x, 2, low, 1);
    delta.expand(low, 1, y, 2, 0, 32);
    assertThat(low).containsExactly(0, 3 - 2 + 2);
    assertThat(y[7]).isEqualTo(100 + scale * 0.25f * 3);
    assertThat(y[6]).isZero();
    final float[] part = new float[2];
    delta.expand(low, 1, part, 0, 4, 2);
    assertThat(part).containsExactly(0, scale * 0.25f * 3);
  }

  @Test
  void shouldDivideByTheRootOfTheRankWhereThatIsAskedFor() throws IOException {
    LoraFolder.write(directory, config, 3);
    final float plain = output(LoraWeights.load(directory, config));
    Files.writeString(
        directory.resolve("adapter_config.json"),
        LoraFolder.CONFIG.replace("\"use_rslora\": false", "\"use_rslora\": true"));

    assertThat(output(LoraWeights.load(directory, config)) / plain)
        .isCloseTo((float) Math.sqrt(3), org.assertj.core.api.Assertions.within(1e-5f));
  }

  private static float output(LoraWeights weights) {
    final float[] y = new float[1];
    weights.delta(0, LoraTarget.QUERY).expand(new float[] {1, 1, 1}, 0, y, 0, 7, 1);
    return y[0];
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"LORA\" | \"LOHA\" | peft_type must be \"LORA\": peft_type=\"LOHA\"",
        "\"bias\": \"none\" | \"bias\": \"all\" | bias must be \"none\": bias=\"all\"",
        "\"use_dora\": false | \"use_dora\": true | use_dora must be false: use_dora=true",
        "\"fan_in_fan_out\": false | \"fan_in_fan_out\": true | fan_in_fan_out must be false",
        "\"rank_pattern\": {} | \"rank_pattern\": {\"k\": 4} | rank_pattern must be null or empty",
        "\"modules_to_save\": null | \"modules_to_save\": [\"lm_head\"]"
            + "| modules_to_save must be null or empty: modules_to_save=[\"lm_head\"]",
        "\"revision\": null | \"arrow_config\": {\"a\": 1} | arrow_config is not supported",
        "\"r\": 3 | \"r\": 0 | r must be an integer >= 1: r=0",
        "\"r\": 3, | | r must be given",
        "\"r\": 3 | \"r\": 4 | shape must be that of the model and of r: shape=[3, 24],"
            + " expected=[4, 24]"
      })
  void shouldRefuseAConfigByName(String right, String wrong, String why) throws IOException {
    assertThat(LoraFolder.CONFIG).contains(right);
    LoraFolder.write(
        directory,
        LoraFolder.CONFIG.replace(right, wrong == null ? "" : wrong),
        LoraFolder.tensors(config, 3));

    assertThatThrownBy(() -> LoraWeights.load(directory, config))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "model.layers.0.self_attn.q_proj.lora_A.weight | F32 | 3 | tensor is missing",
        "model.layers.7.self_attn.q_proj.lora_A.weight | F32 | 3"
            + "| tensor must be lora_A or lora_B of attention or of a feed-forward",
        "lm_head.lora_A.weight | F32 | 3 | tensor is missing",
        "model.embed_tokens.lora_embedding_A | F32 | 3"
            + "| tensor must be lora_A or lora_B of attention or of a feed-forward"
      })
  void shouldRefuseATensorByName(String name, String dtype, int rank, String why)
      throws IOException {
    final SafetensorsBytes file = new SafetensorsBytes();
    file.addFloats(
        "base_model.model." + name, WeightType.F32, List.of(rank, 24), new float[rank * 24]);
    LoraFolder.write(directory, LoraFolder.CONFIG, file);

    assertThatThrownBy(() -> LoraWeights.load(directory, config))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(why);
  }

  @Test
  void shouldRefuseAnAdapterOfExpertsAndOfTheHead() throws IOException {
    final ModelConfig mixture = TestModels.tiny(ModelFamily.QWEN3_MOE);
    final SafetensorsBytes ofExpert = new SafetensorsBytes();
    final String expert = "base_model.model.model.layers.0.mlp.experts.2.up_proj.lora_";
    ofExpert.addFloats(expert + "A.weight", WeightType.F32, List.of(3, 24), new float[72]);
    ofExpert.addFloats(expert + "B.weight", WeightType.F32, List.of(16, 3), new float[48]);
    LoraFolder.write(directory, LoraFolder.CONFIG, ofExpert);

    assertThatThrownBy(() -> LoraWeights.load(directory, mixture))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("adapters of experts and of the output head are not supported");
  }

  @Test
  void shouldRefuseWeightsThatAreNoNumbers() throws IOException {
    final SafetensorsBytes file = new SafetensorsBytes();
    final float[] down = new float[72];
    down[40] = Float.NaN;
    file.addFloats(
        "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight",
        WeightType.F32,
        List.of(3, 24),
        down);
    LoraFolder.write(directory, LoraFolder.CONFIG, file);

    assertThatThrownBy(() -> LoraWeights.load(directory, config))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("weights must be finite: index=40, weight=NaN");
  }
}
