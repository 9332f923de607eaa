package dev.headway.executor.model;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Architectures that can be run. All are decoders with RMSNorm, rotary embeddings, grouped-query
 * attention and a SwiGLU feed-forward; they differ in what happens to queries and keys, and in how
 * files hold the weights.
 */
public enum ModelFamily {
  /** Llama 1 to 3 and everything stored as Llama. */
  LLAMA("LlamaForCausalLM"),
  /** Mistral: as Llama, with a sliding window in v0.1. */
  MISTRAL("MistralForCausalLM"),
  /** Qwen2 and Qwen2.5: a bias on queries, keys and values. */
  QWEN2("Qwen2ForCausalLM"),
  /** Qwen3: RMSNorm over each head of queries and keys, before the rotary embedding. */
  QWEN3("Qwen3ForCausalLM"),
  /**
   * Phi-3, Phi-3.5 and Phi-4: a part of each head may stay as it is in the rotary embedding. Files
   * hold queries, keys and values as one matrix, and gate and input of the feed-forward.
   */
  PHI3("Phi3ForCausalLM"),
  /**
   * The text part of Mistral Small 3.1 and 3.2: as Mistral, described by {@code text_config}. What
   * files hold of the vision part is not read.
   */
  MISTRAL3("Mistral3ForConditionalGeneration");

  private static final String NESTED = "language_model.";

  private final String architecture;

  ModelFamily(String architecture) {
    this.architecture = architecture;
  }

  /** The entry of {@code architectures} in config.json. */
  public String architecture() {
    return architecture;
  }

  /** The biases of a model whose config.json asks for no others. */
  public ProjectionBiases biases() {
    return new ProjectionBiases(this == QWEN2, false, false);
  }

  /** Whether {@code attention_bias} in config.json gives all matrices of attention a bias. */
  boolean readsAttentionBias() {
    return this == LLAMA || this == QWEN3;
  }

  /** Whether {@code mlp_bias} in config.json gives all matrices of the feed-forward a bias. */
  boolean readsMlpBias() {
    return this == LLAMA;
  }

  /** Whether each head of queries and keys is normalised. */
  public boolean hasQkNorm() {
    return this == QWEN3;
  }

  /** What files call the tensor that holds one of {@link ModelLayout}, alone or with others. */
  String nameInFile(String tensor) {
    return switch (this) {
      case LLAMA, MISTRAL, QWEN2, QWEN3 -> tensor;
      case PHI3 ->
          tensor
              .replaceFirst("\\.self_attn\\.[qkv]_proj\\.", ".self_attn.qkv_proj.")
              .replaceFirst("\\.mlp\\.(gate|up)_proj\\.", ".mlp.gate_up_proj.");
      case MISTRAL3 -> NESTED + tensor;
    };
  }

  /** What files of newer classes of transformers call {@link #nameInFile}; may be the same. */
  String newNameInFile(String tensor) {
    if (this != MISTRAL3) {
      return nameInFile(tensor);
    }
    return tensor.startsWith("model.") ? "model." + NESTED + tensor.substring(6) : tensor;
  }

  /** Whether files hold this beside the model, for images. */
  boolean isOfVision(String nameInFile) {
    final String name = nameInFile.replaceFirst("^model\\.", "");
    return this == MISTRAL3
        && (name.startsWith("vision_tower.") || name.startsWith("multi_modal_projector."));
  }

  static Optional<ModelFamily> of(String architecture) {
    return Arrays.stream(values()).filter(f -> f.architecture.equals(architecture)).findFirst();
  }

  static String architectures() {
    return Arrays.stream(values()).map(ModelFamily::architecture).collect(Collectors.joining(", "));
  }
}
