package dev.headway.executor.model;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Reads {@code config.json} and, where present, {@code generation_config.json}.
 *
 * <p>Defaults are those of transformers' configuration classes. What would change the forward pass
 * and is not implemented is refused by name: sliding windows, biases that the architecture of
 * transformers does not have, activations other than SiLU, partial rotary embeddings of others than
 * Phi-3.
 */
final class ModelConfigReader {

  private static final int MISTRAL_DEFAULT_WINDOW = 4096;
  private static final int QWEN3_DEFAULT_HEAD_DIM = 128;

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
    this.json = family == ModelFamily.MISTRAL3 ? textConfig() : whole;
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
    refuseWindows(maxPositions);
    final Set<Integer> eos = new LinkedHashSet<>(tokenIds(json, "eos_token_id"));
    eos.addAll(tokenIds(whole, "eos_token_id"));
    eos.addAll(eosOfGeneration);
    return ModelConfig.builder(family)
        .vocabularySize(json.requiredInt("vocab_size"))
        .hiddenSize(json.requiredInt("hidden_size"))
        .intermediateSize(json.requiredInt("intermediate_size"))
        .layers(json.requiredInt("num_hidden_layers"))
        .attention(attention())
        .rope(rope)
        .rmsNormEps(
            (float) json.optionalDouble("rms_norm_eps", family == ModelFamily.PHI3 ? 1e-5 : 1e-6))
        .maxPositions(maxPositions)
        .outputHead(isTied() ? OutputHead.TIED : OutputHead.OWN)
        .eosTokenIds(List.copyOf(eos))
        .biases(biases())
        .build();
  }

  /** YaRN reaches as far as it stretches, whatever is written beside it: as in vLLM. */
  private int maxPositions(RopeConfig rope) {
    final int maxPositions = json.requiredInt("max_position_embeddings");
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
                        + " is not supported: supported are "
                        + ModelFamily.architectures()));
  }

  private JsonFile textConfig() {
    if (!whole.has("text_config")) {
      throw refused("text_config must be given in " + family.architecture());
    }
    final JsonFile text = whole.object("text_config");
    final String type = text.optionalString("model_type", "mistral");
    if (!type.equals("mistral")) {
      throw refused("text_config must be of model_type mistral: model_type=" + type);
    }
    return text;
  }

  private boolean isTied() {
    return json.optionalBoolean(
        "tie_word_embeddings", whole.optionalBoolean("tie_word_embeddings", false));
  }

  private void refuseUnsupported() {
    final String activation = json.optionalString("hidden_act", "silu");
    if (!activation.equals("silu")) {
      throw refused("hidden_act must be silu: hidden_act=" + activation);
    }
    if (json.optionalBoolean("lm_head_bias", false)) {
      throw refused("lm_head_bias is not supported: lm_head_bias=true");
    }
  }

  private void refuseWindows(int maxPositions) {
    for (JsonNode type : json.root().path("layer_types")) {
      if (!type.isString() || !type.stringValue().equals("full_attention")) {
        throw refused("layer_types must all be full_attention: layer_types has " + type);
      }
    }
    final int window =
        switch (family) {
          case LLAMA -> 0;
          case PHI3 -> json.optionalInt("sliding_window", 0);
          case MISTRAL, MISTRAL3 ->
              json.root().has("sliding_window")
                  ? json.optionalInt("sliding_window", 0)
                  : MISTRAL_DEFAULT_WINDOW;
          case QWEN2, QWEN3 ->
              json.optionalBoolean("use_sliding_window", false)
                  ? json.optionalInt("sliding_window", MISTRAL_DEFAULT_WINDOW)
                  : 0;
        };
    if (window != 0 && window < maxPositions) {
      throw refused(
          "sliding window attention is not supported: sliding_window="
              + window
              + ", max_position_embeddings="
              + maxPositions
              + "; for contexts that are not longer than the window, write its length into"
              + " max_position_embeddings");
    }
  }

  private ProjectionBiases biases() {
    final boolean attention = isAskedFor("attention_bias", family.readsAttentionBias());
    final boolean feedForward = isAskedFor("mlp_bias", family.readsMlpBias());
    return new ProjectionBiases(attention || family.biases().qkv(), attention, feedForward);
  }

  private boolean isAskedFor(String bias, boolean isRead) {
    final boolean asked = json.optionalBoolean(bias, false);
    if (asked && !isRead) {
      throw refused(bias + " is not supported in " + family.architecture() + ": " + bias + "=true");
    }
    return asked;
  }

  private AttentionShape attention() {
    final int heads = json.requiredInt("num_attention_heads");
    final int kvHeads =
        family == ModelFamily.LLAMA || family == ModelFamily.PHI3
            ? json.optionalInt("num_key_value_heads", heads)
            : json.requiredInt("num_key_value_heads");
    return new AttentionShape(heads, kvHeads, headDim(heads));
  }

  private int headDim(int heads) {
    if (json.has("head_dim")) {
      return json.requiredInt("head_dim");
    }
    if (family == ModelFamily.QWEN3) {
      return QWEN3_DEFAULT_HEAD_DIM;
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
