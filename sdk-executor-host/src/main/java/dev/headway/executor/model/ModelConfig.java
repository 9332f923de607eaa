package dev.headway.executor.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a model: all that a forward pass must know beside the weights. Made by {@link
 * #builder}, since the constructor grows with what models have.
 *
 * @param family its architecture
 * @param vocabularySize token ids are in [0, vocabularySize)
 * @param hiddenSize elements of a token's hidden state
 * @param intermediateSize elements of the feed-forward's inner state, in layers without experts
 * @param layers decoder layers, at most 10,000
 * @param attention heads of every layer
 * @param rope rotary embedding
 * @param rmsNormEps added to the mean square before the root is taken, >= 0
 * @param maxPositions longest context the model was made for, in tokens
 * @param outputHead where the logits' matrix comes from
 * @param eosTokenIds tokens that end a text, those of generation_config.json included; may be empty
 * @param biases of every layer; such that the family's config.json can ask for them
 * @param windows which layers attend to the last tokens only, whether or not these are fewer than
 *     {@code maxPositions}
 * @param qkNorm whether each head of queries and keys is normalised
 * @param experts in place of the feed-forward, in the families that have them; null in others
 * @param localRope rotary embedding of the layers with a window; {@code rope} is that of the others
 * @param queryScalar scores of attention are divided by its root, > 0
 * @param logitSoftCap logits are kept within it, {@code cap * tanh(logit / cap)}; 0 if they are not
 */
public record ModelConfig(
    ModelFamily family,
    int vocabularySize,
    int hiddenSize,
    int intermediateSize,
    int layers,
    AttentionShape attention,
    RopeConfig rope,
    float rmsNormEps,
    int maxPositions,
    OutputHead outputHead,
    List<Integer> eosTokenIds,
    ProjectionBiases biases,
    LayerWindows windows,
    boolean qkNorm,
    @Nullable ExpertsShape experts,
    RopeConfig localRope,
    double queryScalar,
    float logitSoftCap) {

  /** More than any model has; a config that asks for more is broken, and must not fill the heap. */
  private static final int MAX_LAYERS = 10_000;

  private static final int MAX_EXPERTS = 100_000;

  /** Validates the components. */
  public ModelConfig {
    requirePositive("vocab_size", vocabularySize);
    requirePositive("hidden_size", hiddenSize);
    requirePositive("intermediate_size", intermediateSize);
    requirePositive("num_hidden_layers", layers);
    requirePositive("max_position_embeddings", maxPositions);
    if (layers > MAX_LAYERS) {
      throw new IllegalArgumentException(
          "num_hidden_layers must be <= " + MAX_LAYERS + ": num_hidden_layers=" + layers);
    }
    if (!(rmsNormEps >= 0 && rmsNormEps < 1)) {
      throw new IllegalArgumentException(
          "rms_norm_eps must be in [0, 1): rms_norm_eps=" + rmsNormEps);
    }
    eosTokenIds = List.copyOf(eosTokenIds);
    for (int id : eosTokenIds) {
      if (id < 0 || id >= vocabularySize) {
        throw new IllegalArgumentException(
            "eos_token_id must be in [0, vocab_size): eos_token_id="
                + id
                + ", vocab_size="
                + vocabularySize);
      }
    }
    requireBiasesOf(family, biases);
    windows.requireLayers(layers);
    if (qkNorm != family.hasQkNorm() && !family.readsQkNorm()) {
      throw new IllegalArgumentException(
          "qkNorm must be " + !qkNorm + " in " + family.architecture() + ": qkNorm=" + qkNorm);
    }
    requireExpertsOf(family, layers, intermediateSize, experts);
    rope.requireFits(attention.headDim());
    localRope.requireFits(attention.headDim());
    requireFinite("query_pre_attn_scalar", queryScalar);
    if (logitSoftCap != 0) {
      requireFinite("final_logit_softcapping", logitSoftCap);
    }
  }

  /** A shape of a family; what is not set has the value that the setter's Javadoc names. */
  public static ModelConfigBuilder builder(ModelFamily family) {
    return new ModelConfigBuilder(family);
  }

  /** A builder that holds this shape. */
  public ModelConfigBuilder toBuilder() {
    return new ModelConfigBuilder(this);
  }

  /**
   * Radians per position of each pair of a rotary embedding. Executors share this table, so that
   * they turn by equal angles.
   *
   * @param embedding {@link #rope} or {@link #localRope}
   */
  public float[] inverseFrequencies(RopeConfig embedding) {
    return embedding.inverseFrequencies(attention.headDim(), maxPositions);
  }

  /** Those of {@link #rope}. */
  public float[] inverseFrequencies() {
    return inverseFrequencies(rope);
  }

  /** The rotary embedding of a layer. */
  public RopeConfig ropeOf(int layer) {
    return windows.windowOf(layer) == 0 ? rope : localRope;
  }

  /** What scores of attention are multiplied by. */
  public float attentionScale() {
    return (float) (1 / Math.sqrt(queryScalar));
  }

  /** What becomes of the logits: in place, nothing unless there is a {@link #logitSoftCap}. */
  public void capLogits(float[] logits) {
    for (int i = 0; logitSoftCap != 0 && i < logits.length; i++) {
      logits[i] = logitSoftCap * (float) Math.tanh(logits[i] / logitSoftCap);
    }
  }

  /**
   * The same model for contexts that are not longer than this: with LongRoPE, the one that is best
   * at them.
   *
   * @param longest in [1, {@link #maxPositions}]
   */
  public ModelConfig withMaxPositions(int longest) {
    if (longest > maxPositions) {
      throw new IllegalArgumentException(
          "a context must be within the model's max_position_embeddings: longest="
              + longest
              + ", max_position_embeddings="
              + maxPositions);
    }
    return toBuilder().maxPositions(longest).build();
  }

  /** The experts of a layer, or null if it has a feed-forward. */
  public @Nullable ExpertsShape expertsIn(int layer) {
    return experts != null && experts.isIn(layer) ? experts : null;
  }

  /**
   * Elements of the widest inner state that every token has: of the feed-forward, where a layer has
   * one, and of shared experts. 0 if there is neither.
   */
  public int denseIntermediateSize() {
    if (experts == null) {
      return intermediateSize;
    }
    final int dense = experts.denseLayers().isEmpty() ? 0 : intermediateSize;
    return Math.max(dense, experts.sharedIntermediateSize());
  }

  /**
   * The window that shortens what a layer attends to, in tokens; 0 if it attends to the whole of
   * the longest context.
   */
  public int windowOf(int layer) {
    final int window = windows.windowOf(layer);
    return window < maxPositions ? window : 0;
  }

  /** Elements of KV that a token takes over all layers, while all of them remember it. */
  public long kvElementsPerToken() {
    return 2L * layers * attention.kvDim();
  }

  /** Weights of the model, a tied head counted once. */
  public long parameters() {
    return ModelLayout.of(this).stream().mapToLong(TensorSpec::elements).sum();
  }

  private static void requireBiasesOf(ModelFamily family, ProjectionBiases biases) {
    final boolean asked = biases.qkv() && !family.biases().qkv(); // by attention_bias
    final boolean isPossible =
        (biases.qkv() || !family.biases().qkv())
            && (!asked || family.readsAttentionBias())
            && biases.output()
                == (family.biases().output() || (asked && family.attentionBiasIsOfOutput()))
            && (!biases.feedForward() || family.readsMlpBias());
    if (!isPossible) {
      throw new IllegalArgumentException(
          "biases must be those that a config.json of "
              + family.architecture()
              + " can ask for: biases="
              + biases);
    }
  }

  private static void requireExpertsOf(
      ModelFamily family, int layers, int intermediateSize, @Nullable ExpertsShape experts) {
    if (family.hasExperts() != (experts != null)) {
      throw new IllegalArgumentException(
          "experts must be "
              + (family.hasExperts() ? "given" : "null")
              + " in "
              + family.architecture()
              + ": experts="
              + experts);
    }
    if (experts == null) {
      return;
    }
    if ((long) layers * experts.experts() > MAX_EXPERTS) {
      throw new IllegalArgumentException(
          "num_hidden_layers * num_experts must be <= "
              + MAX_EXPERTS
              + ": num_hidden_layers="
              + layers
              + ", num_experts="
              + experts.experts());
    }
    final List<Integer> dense = experts.denseLayers();
    if (!dense.isEmpty() && dense.getLast() >= layers) {
      throw new IllegalArgumentException(
          "layers without experts must be layers of the model: denseLayers="
              + dense
              + ", num_hidden_layers="
              + layers);
    }
    requireOfConfig(family, intermediateSize, experts);
  }

  /** Refuses what no config.json of the family can say: a model must be written as it is. */
  private static void requireOfConfig(
      ModelFamily family, int intermediateSize, ExpertsShape experts) {
    final List<Integer> dense = experts.denseLayers();
    final boolean isPossible =
        switch (family) {
          case QWEN3_MOE -> isPlainSoftmax(experts);
          case MIXTRAL, GPT_OSS ->
              isPlainSoftmax(experts)
                  && experts.routing().renormalise()
                  && experts.intermediateSize() == intermediateSize
                  && dense.isEmpty();
          case GLM4_MOE ->
              experts.hasCorrection()
                  && experts.sharedExperts() > 0
                  && (dense.isEmpty() || dense.getLast() == dense.size() - 1);
          case LLAMA, MISTRAL, QWEN2, QWEN3, PHI3, MISTRAL3, GEMMA3, GEMMA3_VISION -> false;
        };
    if (!isPossible) {
      throw new IllegalArgumentException(
          "experts must be those that a config.json of "
              + family.architecture()
              + " can describe: experts="
              + experts);
    }
  }

  private static boolean isPlainSoftmax(ExpertsShape experts) {
    final ExpertRouting routing = experts.routing();
    return experts.sharedExperts() == 0
        && routing.equals(new ExpertRouting(routing.scoring(), routing.renormalise()))
        && routing.scoring() == ExpertRouting.Scoring.SOFTMAX;
  }

  private static void requireFinite(String name, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(name + " must be > 0 and finite: " + name + "=" + value);
    }
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be >= 1: " + name + "=" + value);
    }
  }
}
