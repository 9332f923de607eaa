package dev.headway.executor.model;

import dev.headway.executor.model.ExpertRouting.Scoring;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The experts in config.json, by the configuration classes of transformers: {@code
 * configuration_qwen3_moe.py}, {@code configuration_mixtral.py}, {@code configuration_glm4_moe.py},
 * {@code configuration_gpt_oss.py}.
 */
final class ExpertsReader {

  private final Path file;
  private final JsonFile json;
  private final int layers;

  private ExpertsReader(Path file, JsonFile json, int layers) {
    this.file = file;
    this.json = json;
    this.layers = layers;
  }

  /** The experts of a family that has them, else null. */
  static @Nullable ExpertsShape read(Path file, JsonFile json, ModelFamily family, int layers) {
    final ExpertsReader reader = new ExpertsReader(file, json, layers);
    return switch (family) {
      case QWEN3_MOE -> reader.qwen3();
      case MIXTRAL -> reader.mixtral();
      case GLM4_MOE -> reader.glm4();
      case GPT_OSS -> reader.gptOss();
      case LLAMA, MISTRAL, QWEN2, QWEN3, PHI3, MISTRAL3, GEMMA3, GEMMA3_VISION -> null;
    };
  }

  private ExpertsShape qwen3() {
    return new ExpertsShape(
        json.requiredInt(json.has("num_experts") ? "num_experts" : "num_local_experts"),
        json.requiredInt("num_experts_per_tok"),
        json.requiredInt("moe_intermediate_size"),
        new ExpertRouting(Scoring.SOFTMAX, json.optionalBoolean("norm_topk_prob", false)),
        0,
        qwen3DenseLayers());
  }

  /** Layer {@code i} has experts if it is not listed and {@code (i + 1) % step == 0}. */
  private List<Integer> qwen3DenseLayers() {
    final int step = json.optionalInt("decoder_sparse_step", 1);
    if (step < 1) {
      throw refused("decoder_sparse_step must be >= 1: decoder_sparse_step=" + step);
    }
    final List<Integer> listed = new ArrayList<>();
    final JsonNode node = json.root().path("mlp_only_layers");
    if (json.has("mlp_only_layers") && !node.isArray()) {
      throw json.wrong("mlp_only_layers", "a list of integers", node);
    }
    for (JsonNode layer : node) {
      if (!layer.isIntegralNumber() || !layer.canConvertToInt()) {
        throw json.wrong("mlp_only_layers", "a list of integers", node);
      }
      listed.add(layer.intValue());
    }
    return IntStream.range(0, layers)
        .filter(layer -> listed.contains(layer) || (layer + 1) % step != 0)
        .boxed()
        .toList();
  }

  private ExpertsShape mixtral() {
    return new ExpertsShape(
        json.requiredInt("num_local_experts"),
        json.requiredInt("num_experts_per_tok"),
        json.requiredInt("intermediate_size"),
        new ExpertRouting(Scoring.SOFTMAX, true),
        0,
        List.of());
  }

  private ExpertsShape gptOss() {
    final double limit = json.optionalDouble("swiglu_limit", Activation.LIMIT);
    if (limit != Activation.LIMIT) {
      throw refused("swiglu_limit must be " + Activation.LIMIT + ": swiglu_limit=" + limit);
    }
    return new ExpertsShape(
        json.requiredInt("num_local_experts"),
        json.requiredInt(
            json.has("num_experts_per_tok") ? "num_experts_per_tok" : "experts_per_token"),
        json.requiredInt("intermediate_size"),
        new ExpertRouting(Scoring.SOFTMAX, true),
        0,
        List.of());
  }

  private ExpertsShape glm4() {
    requireIfGiven("scoring_func", "sigmoid");
    requireIfGiven("topk_method", "noaux_tc");
    final int dense = json.optionalInt("first_k_dense_replace", 1);
    if (dense < 0 || dense >= layers) {
      throw refused(
          "first_k_dense_replace must be in [0, num_hidden_layers): first_k_dense_replace="
              + dense
              + ", num_hidden_layers="
              + layers);
    }
    return new ExpertsShape(
        json.requiredInt("n_routed_experts"),
        json.requiredInt("num_experts_per_tok"),
        json.requiredInt("moe_intermediate_size"),
        new ExpertRouting(
            Scoring.SIGMOID,
            json.optionalBoolean("norm_topk_prob", true),
            json.optionalDouble("routed_scaling_factor", 1),
            json.optionalInt("n_group", 1),
            json.optionalInt("topk_group", 1)),
        json.optionalInt("n_shared_experts", 1),
        IntStream.range(0, dense).boxed().toList());
  }

  private void requireIfGiven(String field, String value) {
    final String given = json.optionalString(field, value);
    if (!given.equals(value)) {
      throw refused(field + " must be " + value + ": " + field + "=" + given);
    }
  }

  private ModelFormatException refused(String reason) {
    return new ModelFormatException(file, reason);
  }
}
