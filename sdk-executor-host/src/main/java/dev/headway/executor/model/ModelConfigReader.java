package dev.headway.executor.model;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import tools.jackson.databind.JsonNode;

/**
 * Reads {@code config.json} and, where present, {@code generation_config.json}.
 *
 * <p>Defaults are those of transformers' configuration classes. What would change the forward pass
 * and is not implemented is refused by name: biases that the architecture of transformers does not
 * have, activations other than the architecture's, partial rotary embeddings of others than Phi-3
 * and GLM, chunked and recurrent layers.
 */
final class ModelConfigReader {

  private static final String FULL = "full_attention";
  private static final String SLIDING = "sliding_attention";
  private static final int DEFAULT_WINDOW = 4096; // in all other classes
  private static final int QWEN_DEFAULT_FULL_LAYERS = 28;
  private static final int GEMMA_DEFAULT_PATTERN = 6;
  private static final int GEMMA_DEFAULT_HEADS = 8;
  private static final int GEMMA_DEFAULT_KV_HEADS = 4;
  private static final int GEMMA_DEFAULT_HEAD_DIM = 256;
  private static final int GPT_OSS_DEFAULT_HEAD_DIM = 64;
  private static final int GPT_OSS_DEFAULT_WINDOW = 128;
  private static final int GEMMA_DEFAULT_VOCABULARY = 262_208;
  private static final int GEMMA_DEFAULT_POSITIONS = 131_072;
  private static final int QWEN3_DEFAULT_HEAD_DIM = 128;

  /** What known architectures have that is missing here; others are refused without a reason. */
  private static final Map<String, String> MISSING =
      Map.of(
          "DeepseekV2ForCausalLM", "multi-head latent attention (MLA)",
          "DeepseekV3ForCausalLM", "multi-head latent attention (MLA)",
          "GlmMoeDsaForCausalLM", "multi-head latent attention (MLA) over chosen keys (DSA)",
          "Llama4ForConditionalGeneration", "chunked attention and layers without positions",
          "Qwen2MoeForCausalLM", "the gate of its shared expert");

  private final Path file;

  /**
   * The file, and its part that describes the decoder: the same unless that is {@code text_config}.
   */
  private final JsonFile whole;

  private final JsonFile json;
  private final ModelFamily family;

  private ModelConfigReader(Path file) {
    this.file = file;
    this.whole = JsonFile.read(file);
    this.family = family();
    this.json = family.isNested() ? textConfig() : whole;
  }

  static ModelConfig read(Path directory) {
    final Path file = directory.resolve("config.json");
    try {
      return new ModelConfigReader(file).read(eosOfGeneration(directory));
    } catch (IllegalArgumentException e) { // from the constructors of the records
      throw new ModelFormatException(file, null, String.valueOf(e.getMessage()), e);
    }
  }

  private ModelConfig read(Set<Integer> eosOfGeneration) {
    refuseUnsupported();
    final RopeConfig rope = RopeReader.read(file, json, family);
    final int maxPositions = maxPositions(rope);
    final AttentionShape attention = attention();
    final Set<Integer> eos = new LinkedHashSet<>(tokenIds(json, "eos_token_id"));
    eos.addAll(tokenIds(whole, "eos_token_id"));
    eos.addAll(eosOfGeneration);
    final int layers = json.requiredInt("num_hidden_layers");
    final ModelConfigBuilder shape =
        ModelConfig.builder(family)
            .vocabularySize(required("vocab_size", GEMMA_DEFAULT_VOCABULARY))
            .hiddenSize(json.requiredInt("hidden_size"))
            .intermediateSize(json.requiredInt("intermediate_size"))
            .layers(layers)
            .attention(attention)
            .rope(rope)
            .localRope(RopeReader.readLocal(file, json, family, rope))
            .queryScalar(queryScalar(attention))
            .logitSoftCap(
                family.isGemma() ? (float) json.optionalDouble("final_logit_softcapping", 0) : 0)
            .rmsNormEps((float) json.optionalDouble("rms_norm_eps", usualRmsNormEps()))
            .maxPositions(maxPositions)
            .outputHead(isTied() ? OutputHead.TIED : OutputHead.OWN)
            .eosTokenIds(List.copyOf(eos))
            .biases(biases())
            .windows(windows())
            .qkNorm(qkNorm());
    final ExpertsShape experts = ExpertsReader.read(file, json, family, layers);
    return (experts == null ? shape : shape.experts(experts)).build();
  }

  private double usualRmsNormEps() {
    return switch (family) {
      case PHI3, MIXTRAL, GLM4_MOE, GPT_OSS -> 1e-5;
      case LLAMA, MISTRAL, QWEN2, QWEN3, MISTRAL3, QWEN3_MOE, GEMMA3, GEMMA3_VISION -> 1e-6;
    };
  }

  private boolean qkNorm() {
    return family.readsQkNorm() ? json.optionalBoolean("use_qk_norm", false) : family.hasQkNorm();
  }

  private double queryScalar(AttentionShape attention) {
    return family.isGemma()
        ? json.optionalDouble("query_pre_attn_scalar", GEMMA_DEFAULT_HEAD_DIM)
        : attention.headDim();
  }

  /** YaRN reaches as far as it stretches, whatever is written beside it: as in vLLM. */
  private int maxPositions(RopeConfig rope) {
    final int maxPositions = required("max_position_embeddings", GEMMA_DEFAULT_POSITIONS);
    return rope.scaling() instanceof RopeScaling.Yarn yarn
        ? (int) (yarn.originalMaxPositions() * yarn.factor())
        : maxPositions;
  }

  private ModelFamily family() {
    final JsonNode node = whole.root().path("architectures");
    if (!node.isArray() || node.size() != 1 || !node.get(0).isString()) {
      throw whole.wrong("architectures", "a list of one name", node);
    }
    final String name = node.get(0).stringValue();
    return ModelFamily.of(name)
        .orElseThrow(
            () ->
                refused(
                    "architecture "
                        + name
                        + " is not supported"
                        + (MISSING.containsKey(name)
                            ? ", since " + MISSING.get(name) + " would have to be computed"
                            : "")
                        + ": supported are "
                        + ModelFamily.architectures()));
  }

  private JsonFile textConfig() {
    if (!whole.has("text_config")) {
      throw refused("text_config must be given in " + family.architecture());
    }
    final JsonFile text = whole.object("text_config");
    final String expected = family.textModelType();
    final String type = text.optionalString("model_type", expected);
    if (!type.equals(expected)) {
      throw refused("text_config must be of model_type " + expected + ": model_type=" + type);
    }
    return text;
  }

  private boolean isTied() {
    return json.optionalBoolean(
        "tie_word_embeddings", whole.optionalBoolean("tie_word_embeddings", family.isGemma()));
  }

  private void refuseUnsupported() {
    final String field = family.isGemma() ? "hidden_activation" : "hidden_act";
    final String expected = family.activation().label();
    final String activation = json.optionalString(field, expected);
    if (!activation.equals(expected)) {
      throw refused(field + " must be " + expected + ": " + field + "=" + activation);
    }
    if (json.optionalBoolean("lm_head_bias", false)) {
      throw refused("lm_head_bias is not supported: lm_head_bias=true");
    }
    if (family.isGemma()) {
      refuseUnsupportedOfGemma();
    }
  }

  /** Neither cap is in the forward pass of the class of transformers that would read it here. */
  private void refuseUnsupportedOfGemma() {
    if (json.optionalBoolean("use_bidirectional_attention", false)) {
      throw refused("attention must be causal: use_bidirectional_attention=true");
    }
    refuseCap("attn_logit_softcapping");
    if (family == ModelFamily.GEMMA3_VISION) {
      refuseCap("final_logit_softcapping");
    }
  }

  private void refuseCap(String name) {
    if (json.has(name)) {
      throw refused(
          name
              + " is not supported in "
              + family.architecture()
              + ": "
              + name
              + "="
              + json.root().path(name));
    }
  }

  /**
   * Windows as the configuration and modeling files of transformers read them: Mistral's,
   * Mixtral's, Phi-3's and Qwen3-MoE's are those of all layers; Qwen2's and Qwen3's of the layers
   * from {@code max_window_layers} on, Gemma 3's of all but each sixth or {@code
   * sliding_window_pattern}th, gpt-oss's of every other one from the first on, unless {@code
   * layer_types} says which.
   */
  private LayerWindows windows() {
    final int layers = json.requiredInt("num_hidden_layers");
    return switch (family) {
      case LLAMA, GLM4_MOE -> windowOfAll(layers, 0);
      case PHI3, MIXTRAL -> windowOfAll(layers, json.optionalInt("sliding_window", 0));
      case MISTRAL, MISTRAL3 ->
          windowOfAll(
              layers,
              json.root().has("sliding_window")
                  ? json.optionalInt("sliding_window", 0)
                  : DEFAULT_WINDOW);
      case QWEN2, QWEN3 -> windowsOfQwen(layers);
      case QWEN3_MOE ->
          windowOfAll(
              layers,
              json.optionalBoolean("use_sliding_window", false)
                  ? json.optionalInt("sliding_window", DEFAULT_WINDOW)
                  : 0);
      case GEMMA3, GEMMA3_VISION -> windowsOfGemma(layers);
      case GPT_OSS -> windowsOf(layers, GPT_OSS_DEFAULT_WINDOW, layer -> layer % 2 == 0);
    };
  }

  private LayerWindows windowOfAll(int layers, int window) {
    final String all = window == 0 ? FULL : SLIDING;
    for (String type : layerTypes(layers)) {
      if (!type.equals(all)) {
        throw refused(
            "layer_types must all be "
                + all
                + " in "
                + family.architecture()
                + (window == 0 ? " without sliding_window" : " with sliding_window=" + window)
                + ": layer_types has "
                + type);
      }
    }
    return window == 0 ? LayerWindows.NONE : LayerWindows.all(layers, window);
  }

  private LayerWindows windowsOfQwen(int layers) {
    if (!json.optionalBoolean("use_sliding_window", false)) {
      return windowOfAll(layers, 0);
    }
    final int first = json.optionalInt("max_window_layers", QWEN_DEFAULT_FULL_LAYERS);
    return windowsOf(layers, DEFAULT_WINDOW, layer -> layer >= first);
  }

  private LayerWindows windowsOfGemma(int layers) {
    final int pattern = json.optionalInt("sliding_window_pattern", GEMMA_DEFAULT_PATTERN);
    if (pattern < 1) {
      throw refused("sliding_window_pattern must be >= 1: sliding_window_pattern=" + pattern);
    }
    return windowsOf(layers, DEFAULT_WINDOW, layer -> (layer + 1) % pattern != 0);
  }

  /** {@code isSliding} decides where there are no {@code layer_types}. */
  private LayerWindows windowsOf(int layers, int usual, IntPredicate isSliding) {
    final int window = json.optionalInt("sliding_window", usual);
    final List<String> types = layerTypes(layers);
    final List<Integer> windows = new ArrayList<>();
    for (int layer = 0; layer < layers; layer++) {
      final boolean slides =
          types.isEmpty() ? isSliding.test(layer) : types.get(layer).equals(SLIDING);
      windows.add(slides ? window : 0);
    }
    return new LayerWindows(windows);
  }

  /** One for each layer, or none if the file has none. */
  private List<String> layerTypes(int layers) {
    final JsonNode node = json.root().path("layer_types");
    final List<String> types = new ArrayList<>();
    for (JsonNode type : node) {
      final String name = type.isString() ? type.stringValue() : "";
      if (!name.equals(FULL) && !name.equals(SLIDING)) {
        throw refused(
            "layer_types must be full_attention or sliding_attention: layer_types has " + type);
      }
      types.add(name);
    }
    if (json.has("layer_types") && types.size() != layers) {
      throw refused(
          "layer_types must have an entry for each layer: entries="
              + types.size()
              + ", num_hidden_layers="
              + layers);
    }
    return types;
  }

  private ProjectionBiases biases() {
    if (family == ModelFamily.GPT_OSS) {
      if (!json.optionalBoolean("attention_bias", true)) {
        throw refused(
            "attention_bias must be true in " + family.architecture() + ": attention_bias=false");
      }
      return family.biases();
    }
    final boolean attention = isAskedFor("attention_bias", family.readsAttentionBias());
    final boolean feedForward = isAskedFor("mlp_bias", family.readsMlpBias());
    return new ProjectionBiases(
        attention || family.biases().qkv(),
        attention && family.attentionBiasIsOfOutput(),
        feedForward);
  }

  private boolean isAskedFor(String bias, boolean isRead) {
    final boolean asked = json.optionalBoolean(bias, false);
    if (asked && !isRead) {
      throw refused(bias + " is not supported in " + family.architecture() + ": " + bias + "=true");
    }
    return asked;
  }

  private AttentionShape attention() {
    final int heads = required("num_attention_heads", GEMMA_DEFAULT_HEADS);
    final int kvHeads =
        family == ModelFamily.LLAMA || family == ModelFamily.PHI3
            ? json.optionalInt("num_key_value_heads", heads)
            : required("num_key_value_heads", GEMMA_DEFAULT_KV_HEADS);
    return new AttentionShape(heads, kvHeads, headDim(heads));
  }

  /** A field that published files of Gemma leave out where it is the class's default. */
  private int required(String name, int ofGemma) {
    return family.isGemma() ? json.optionalInt(name, ofGemma) : json.requiredInt(name);
  }

  private int headDim(int heads) {
    if (json.has("head_dim")) {
      return json.requiredInt("head_dim");
    }
    if (family == ModelFamily.QWEN3) {
      return QWEN3_DEFAULT_HEAD_DIM;
    }
    if (family.isGemma()) {
      return GEMMA_DEFAULT_HEAD_DIM;
    }
    if (family == ModelFamily.GPT_OSS) {
      return GPT_OSS_DEFAULT_HEAD_DIM;
    }
    final int hidden = json.requiredInt("hidden_size");
    if (heads < 1 || hidden % heads != 0) {
      throw refused(
          "hidden_size must be a multiple of num_attention_heads where head_dim is not given:"
              + " hidden_size="
              + hidden
              + ", num_attention_heads="
              + heads);
    }
    return hidden / heads;
  }

  private static Set<Integer> eosOfGeneration(Path directory) {
    final Path file = directory.resolve("generation_config.json");
    return Files.exists(file)
        ? new LinkedHashSet<>(tokenIds(JsonFile.read(file), "eos_token_id"))
        : Set.of();
  }

  private static List<Integer> tokenIds(JsonFile json, String name) {
    if (!json.has(name)) {
      return List.of();
    }
    final JsonNode node = json.root().path(name);
    if (!node.isArray()) {
      return List.of(json.requiredInt(name));
    }
    final List<Integer> ids = new ArrayList<>();
    for (JsonNode id : node) {
      if (!id.isIntegralNumber() || !id.canConvertToInt()) {
        throw json.wrong(name, "an integer or a list of integers", node);
      }
      ids.add(id.intValue());
    }
    return ids;
  }

  private ModelFormatException refused(String reason) {
    return new ModelFormatException(file, reason);
  }
}
