package dev.headway.executor.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Architectures that can be run. All are decoders with RMSNorm, rotary embeddings, grouped-query
 * attention and a gated feed-forward; they differ in what happens to queries and keys, in Gemma's
 * norms and activation, and in how files hold the weights.
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
  MISTRAL3("Mistral3ForConditionalGeneration"),
  /** Qwen3 with experts in place of the feed-forward. */
  QWEN3_MOE("Qwen3MoeForCausalLM"),
  /** Mixtral: Mistral without a sliding window, with experts in place of the feed-forward. */
  MIXTRAL("MixtralForCausalLM"),
  /**
   * GLM-4.5 and 4.6: experts behind a sigmoid and one that all tokens have, after some layers with
   * a feed-forward; head norms as config.json says. The layers behind the last one, which draft
   * tokens, are not read.
   */
  GLM4_MOE("Glm4MoeForCausalLM"),
  /**
   * Gemma 3 1B and 270M: an embedding that is scaled, norms of what attention and feed-forward
   * answer, heads normalised as in Qwen3, GeGLU, windows in most layers, whose rotary embedding has
   * a base of its own. Weights of norms are stored less one.
   *
   * <p>Source: {@code modular_gemma3.py} in transformers.
   */
  GEMMA3("Gemma3ForCausalLM"),
  /** The text part of Gemma 3 4B, 12B and 27B, described by {@code text_config}. */
  GEMMA3_VISION("Gemma3ForConditionalGeneration"),
  /**
   * gpt-oss 20B and 120B: experts with biases and a clamped SwiGLU in every layer, windows in every
   * other one, a sink in each head's softmax. Files hold the experts of a layer as two tensors.
   *
   * <p>Source: {@code modeling_gpt_oss.py} in transformers.
   */
  GPT_OSS("GptOssForCausalLM");

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
    return new ProjectionBiases(this == QWEN2 || this == GPT_OSS, this == GPT_OSS, false);
  }

  /** Whether {@code attention_bias} in config.json gives queries, keys and values a bias. */
  boolean readsAttentionBias() {
    return switch (this) {
      case LLAMA, QWEN3, QWEN3_MOE, GLM4_MOE, GEMMA3, GEMMA3_VISION -> true;
      case MISTRAL, QWEN2, PHI3, MISTRAL3, MIXTRAL, GPT_OSS -> false;
    };
  }

  /** Whether it gives attention's output one, too. */
  boolean attentionBiasIsOfOutput() {
    return readsAttentionBias() && this != GLM4_MOE;
  }

  /** Whether {@code mlp_bias} in config.json gives all matrices of the feed-forward a bias. */
  boolean readsMlpBias() {
    return this == LLAMA;
  }

  /** Whether each head of queries and keys is normalised, unless config.json says otherwise. */
  boolean hasQkNorm() {
    return this == QWEN3 || this == QWEN3_MOE || isGemma();
  }

  /** Whether {@code use_qk_norm} in config.json says that. */
  boolean readsQkNorm() {
    return this == GLM4_MOE;
  }

  /** Whether layers have experts; which do is in {@link ExpertsShape#denseLayers}. */
  public boolean hasExperts() {
    return this == QWEN3_MOE || this == MIXTRAL || this == GLM4_MOE || this == GPT_OSS;
  }

  /** Whether {@code text_config} describes the decoder, beside a part for images. */
  boolean isNested() {
    return this == MISTRAL3 || this == GEMMA3_VISION;
  }

  /** Whether it is one of Gemma's. */
  boolean isGemma() {
    return this == GEMMA3 || this == GEMMA3_VISION;
  }

  /** Whether the router and the matrices of experts have biases. */
  public boolean hasExpertBiases() {
    return this == GPT_OSS;
  }

  /** Whether each head has a sink: {@link ModelLayout#SINKS}. */
  public boolean hasSinks() {
    return this == GPT_OSS;
  }

  /** Whether files hold the experts of a layer together, as {@link ExpertStack} says. */
  boolean stacksExperts() {
    return this == GPT_OSS;
  }

  /** What the gate of the feed-forward goes through. */
  public Activation activation() {
    return switch (this) {
      case GEMMA3, GEMMA3_VISION -> Activation.GELU_TANH;
      case GPT_OSS -> Activation.CLAMPED_SILU;
      case LLAMA, MISTRAL, QWEN2, QWEN3, PHI3, MISTRAL3, QWEN3_MOE, MIXTRAL, GLM4_MOE ->
          Activation.SILU;
    };
  }

  /**
   * Whether what attention and feed-forward answer is normalised before it is added to the residual
   * stream, by {@link ModelLayout#POST_ATTENTION_NORM} and {@link
   * ModelLayout#POST_FEED_FORWARD_NORM}.
   */
  public boolean hasOutputNorms() {
    return isGemma();
  }

  /** What is added to the stored weights of norms: 1 or 0. */
  public float normOffset() {
    return isGemma() ? 1 : 0;
  }

  /** Whether embeddings are multiplied by the root of the hidden size. */
  boolean scalesEmbedding() {
    return isGemma();
  }

  /** {@code model_type} of the decoder in config.json. */
  String textModelType() {
    return switch (this) {
      case MISTRAL3 -> "mistral";
      case GEMMA3, GEMMA3_VISION -> "gemma3_text";
      case LLAMA, MISTRAL, QWEN2, QWEN3, PHI3, QWEN3_MOE, MIXTRAL, GLM4_MOE, GPT_OSS ->
          name().toLowerCase(Locale.ROOT);
    };
  }

  /** {@code model_type} of the whole in config.json. */
  String modelType() {
    return switch (this) {
      case MISTRAL3 -> "mistral3";
      case GEMMA3_VISION -> "gemma3";
      case GEMMA3, LLAMA, MISTRAL, QWEN2, QWEN3, PHI3, QWEN3_MOE, MIXTRAL, GLM4_MOE, GPT_OSS ->
          textModelType();
    };
  }

  /** What files call the tensor that holds one of {@link ModelLayout}, alone or with others. */
  String nameInFile(String tensor) {
    return switch (this) {
      case LLAMA, MISTRAL, QWEN2, QWEN3, QWEN3_MOE, GLM4_MOE, GEMMA3 -> tensor;
      case PHI3 ->
          tensor
              .replaceFirst("\\.self_attn\\.[qkv]_proj\\.", ".self_attn.qkv_proj.")
              .replaceFirst("\\.mlp\\.(gate|up)_proj\\.", ".mlp.gate_up_proj.");
      case MISTRAL3, GEMMA3_VISION -> NESTED + tensor;
      case MIXTRAL ->
          tensor
              .replaceFirst("\\.mlp\\.", ".block_sparse_moe.")
              .replaceFirst("\\.gate_proj\\.", ".w1.")
              .replaceFirst("\\.down_proj\\.", ".w2.")
              .replaceFirst("\\.up_proj\\.", ".w3.");
      case GPT_OSS ->
          ExpertStack.nameInFile(tensor.replaceFirst("\\.mlp\\.gate\\.", ".mlp.router."));
    };
  }

  /** What files of newer classes of transformers call {@link #nameInFile}; may be the same. */
  String newNameInFile(String tensor) {
    if (!isNested()) {
      return nameInFile(tensor);
    }
    return tensor.startsWith("model.") ? "model." + NESTED + tensor.substring(6) : tensor;
  }

  /** Whether files hold this beside the model, for images. */
  boolean isOfVision(String nameInFile) {
    final String name = nameInFile.replaceFirst("^model\\.", "");
    return isNested()
        && (name.startsWith("vision_tower.") || name.startsWith("multi_modal_projector."));
  }

  /**
   * Whether files hold this behind the last layer, to draft tokens: transformers does not read it
   * either ({@code _keys_to_ignore_on_load_unexpected} of {@code modeling_glm4_moe.py}).
   */
  boolean isOfDraft(String nameInFile, int layers) {
    return this == GLM4_MOE && nameInFile.startsWith("model.layers." + layers + ".");
  }

  static Optional<ModelFamily> of(String architecture) {
    return Arrays.stream(values()).filter(f -> f.architecture.equals(architecture)).findFirst();
  }

  static String architectures() {
    return Arrays.stream(values()).map(ModelFamily::architecture).collect(Collectors.joining(", "));
  }
}
