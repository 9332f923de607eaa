package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scales of eight-bit keys and values in a checkpoint. */
class KvScaleReaderTest {

  private static final String LAYER = "model.layers.%d.self_attn.";

  @TempDir private Path directory;

  /** By all names that vLLM knows, a scale of their own for each of three layers. */
  @ParameterizedTest
  @CsvSource({
    "k_scale, v_scale",
    "attn.k_scale, attn.v_scale",
    "k_proj.k_scale, v_proj.v_scale",
    "qkv_proj.k_scale, qkv_proj.v_scale",
    "k_proj.output_scale, v_proj.output_scale",
  })
  void shouldReadTheScalesOfEachLayer(String keys, String values) throws IOException {
    final Map<String, float[]> scales = new LinkedHashMap<>();
    for (int layer = 0; layer < 3; layer++) {
      scales.put(LAYER.formatted(layer) + keys, new float[] {0.5f + layer});
      scales.put(LAYER.formatted(layer) + values, new float[] {0.25f / (1 + layer)});
    }

    final EightBitKv read = read(EightBitKvFolder.ASKS_FOR_IT, scales);

    assertThat(read.isAskedFor()).isTrue();
    assertThat(read.refusal()).isEmpty();
    assertThat(read.scales())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                0, new KvScale(0.5f, 0.25f),
                1, new KvScale(1.5f, 0.125f),
                2, new KvScale(2.5f, 0.25f / 3)));
    assertThat(read.describe(3))
        .isEqualTo(
            "asked for by kv_cache_scheme, with scales for all 3 layers: keys 0.5 to 2.5, values"
                + " 0.083333336 to 0.25");
  }

  @ParameterizedTest
  @EnumSource(WeightType.class)
  void shouldReadNumbersOfAnyTypeAndShape(WeightType type) throws IOException {
    final SafetensorsBytes file = new SafetensorsBytes();
    final List<String> names = new ArrayList<>();
    for (List<Integer> shape : List.of(List.<Integer>of(), List.of(1), List.of(1, 1))) {
      final String module = LAYER.formatted(shape.size());
      file.addFloats(module + "k_scale", type, shape, 0.5f);
      file.addFloats(module + "v_scale", type, shape, 2);
      names.addAll(List.of(module + "k_scale", module + "v_scale"));
    }
    EightBitKvFolder.write(model(), directory, EightBitKvFolder.ASKS_FOR_IT, file, names);

    try (Model model = Model.load(directory)) {
      assertThat(model.weights().eightBitKv().scales())
          .hasSize(3)
          .allSatisfy((layer, scale) -> assertThat(scale).isEqualTo(new KvScale(0.5f, 2)));
    }
  }

  /** As vLLM does: one for both, the keys' for values, and 1 where there is none. */
  @Test
  void shouldTakeOneScaleForBothAndOneForLayersWithout() throws IOException {
    final EightBitKv read =
        read(
            EightBitKvFolder.ASKS_FOR_NOTHING,
            Map.of(
                LAYER.formatted(0) + "kv_scale", new float[] {0.5f},
                LAYER.formatted(2) + "k_scale", new float[] {3}));

    assertThat(read.isAskedFor()).isFalse();
    assertThat(read.of(0)).isEqualTo(new KvScale(0.5f, 0.5f));
    assertThat(read.of(1)).isEqualTo(KvScale.ONE);
    assertThat(read.of(2)).isEqualTo(new KvScale(3, 3));
    assertThat(read.describe(3))
        .isEqualTo(
            "not asked for, with scales for 2 of 3 layers, 1 for the others: keys 0.5 to 3.0,"
                + " values 0.5 to 3.0");
  }

  @Test
  void shouldSayWhatIsAskedForWithoutScales() throws IOException {
    final EightBitKv read = read(EightBitKvFolder.ASKS_FOR_IT, Map.of());

    assertThat(read.scales()).isEmpty();
    assertThat(read.describe(3))
        .isEqualTo("asked for by kv_cache_scheme, without scales in the files");
    assertThat(read(EightBitKvFolder.ASKS_FOR_NOTHING, Map.of())).isEqualTo(EightBitKv.NONE);
  }

  /** Queries are not rounded here, as they are in vLLM. */
  @Test
  void shouldCountScalesOfQueries() throws IOException {
    EightBitKvFolder.write(
        model(),
        directory,
        EightBitKvFolder.ASKS_FOR_IT,
        Map.of(
            LAYER.formatted(0) + "q_scale", new float[] {1},
            LAYER.formatted(1) + "q_proj.output_scale", new float[] {1},
            LAYER.formatted(1) + "prob_output_scale", new float[] {1}));

    try (Model model = Model.load(directory)) {
      assertThat(model.weights().notRead())
          .isEqualTo("3 scales of queries are not read: these are not rounded");
    }
  }

  /** The model can be run with keys and values in bf16, so it is no reason to refuse the folder. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"type\": \"float\" | \"type\": \"int\"",
        "\"num_bits\": 8 | \"num_bits\": 4",
        "\"strategy\": \"tensor\" | \"strategy\": \"channel\"",
        "\"strategy\": \"tensor\" | \"strategy\": \"attn_head\"",
        "\"dynamic\": false | \"dynamic\": true",
        "\"dynamic\": false | \"dynamic\": \"local\"",
        "\"symmetric\": true | \"symmetric\": false",
      })
  void shouldSayWhyASchemeIsNotDone(String known, String other) throws IOException {
    final EightBitKv read =
        read(
            EightBitKvFolder.ASKS_FOR_IT.replace(known, other),
            Map.of(
                LAYER.formatted(0) + "k_scale", new float[] {1, 2},
                LAYER.formatted(0) + "v_scale", new float[] {1, 2},
                LAYER.formatted(0) + "k_zero_point", new float[] {1, 2}));

    assertThat(read.isAskedFor()).isTrue();
    assertThat(read.scales()).isEmpty();
    assertThat(read.refusal())
        .startsWith(
            "kv_cache_scheme must be of eight-bit floats with one scale for the keys of a layer and"
                + " one for its values (num_bits 8, type float, strategy tensor, symmetric, not"
                + " dynamic): kv_cache_scheme={")
        .contains(other.replace(": ", ":"));
    assertThat(read.describe(3)).isEqualTo(read.refusal());
  }

  @Test
  void shouldSayThatScalesOfHeadsAreNotDone() throws IOException {
    final EightBitKv read =
        read(
            EightBitKvFolder.ASKS_FOR_NOTHING,
            Map.of(
                LAYER.formatted(1) + "k_scale", new float[] {1, 2},
                LAYER.formatted(1) + "v_scale", new float[] {1, 2}));

    assertThat(read.scales()).isEmpty();
    assertThat(read.refusal())
        .isEqualTo(
            "scales of eight-bit keys and values must be one number for a layer:"
                + " tensor=model.layers.1.self_attn.k_scale, shape=[2]");
  }

  @ParameterizedTest
  @ValueSource(floats = {0, -1, Float.NaN, Float.POSITIVE_INFINITY})
  void shouldRefuseWhatIsNoScale(float number) {
    assertThatThrownBy(
            () ->
                read(
                    EightBitKvFolder.ASKS_FOR_IT,
                    Map.of(LAYER.formatted(1) + "k_scale", new float[] {number})))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("scales.safetensors")
        .hasMessageContaining("model.layers.1.self_attn.k_scale")
        .hasMessageContaining(number == 0 ? "scale must be > 0" : "scales must be finite and >= 0");
  }

  @ParameterizedTest
  @CsvSource({
    "k_scale, k_proj.output_scale, scale must be given once for a layer: also given as model.layers",
    "kv_scale, k_scale, scale must be given once for a layer: also given as model.layers",
    "v_scale, q_scale, tensor must have one for keys beside it: layer=1",
  })
  void shouldRefuseScalesThatContradictEachOther(String one, String other, String message) {
    assertThatThrownBy(
            () ->
                read(
                    EightBitKvFolder.ASKS_FOR_IT,
                    Map.of(
                        LAYER.formatted(1) + one, new float[] {1},
                        LAYER.formatted(1) + other, new float[] {1})))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(message);
  }

  @Test
  void shouldRefuseScalesOfNoLayerOfTheModel() {
    assertThatThrownBy(
            () ->
                read(
                    EightBitKvFolder.ASKS_FOR_IT,
                    Map.of(LAYER.formatted(3) + "k_scale", new float[] {1})))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("model.layers.3.self_attn.k_scale")
        .hasMessageContaining("tensor is not expected");
  }

  private EightBitKv read(String config, Map<String, float[]> scales) throws IOException {
    EightBitKvFolder.write(model(), directory, config, scales);
    try (Model model = Model.load(directory)) {
      return model.weights().eightBitKv();
    }
  }

  private static Model model() {
    return Model.random(TestModels.tiny(ModelFamily.LLAMA), 7);
  }
}
