package dev.headway.executor.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tensors that a model of a given shape has, by the names of transformers. */
public final class ModelLayout {

  /** The embedding, [vocabulary, hidden]. */
  public static final String EMBEDDING = "model.embed_tokens.weight";

  /** The norm before the logits, [hidden]. */
  public static final String FINAL_NORM = "model.norm.weight";

  /** The logits' matrix of a model that does not tie it, [vocabulary, hidden]. */
  public static final String OWN_HEAD = "lm_head.weight";

  /** Norm before attention, [hidden]. */
  public static final String INPUT_NORM = "input_layernorm.weight";

  /**
   * Norm before the feed-forward, [hidden]; of what attention answers if {@link
   * ModelFamily#hasOutputNorms}.
   */
  public static final String POST_ATTENTION_NORM = "post_attention_layernorm.weight";

  /** Norm before the feed-forward, [hidden]; {@link ModelFamily#hasOutputNorms} only. */
  public static final String PRE_FEED_FORWARD_NORM = "pre_feedforward_layernorm.weight";

  /** Norm of what the feed-forward answers, [hidden]; as {@link #PRE_FEED_FORWARD_NORM}. */
  public static final String POST_FEED_FORWARD_NORM = "post_feedforward_layernorm.weight";

  /** Queries' matrix, [heads * headDim, hidden]. */
  public static final String Q_PROJ = "self_attn.q_proj.weight";

  /** Keys' matrix, [kvHeads * headDim, hidden]. */
  public static final String K_PROJ = "self_attn.k_proj.weight";

  /** Values' matrix, [kvHeads * headDim, hidden]. */
  public static final String V_PROJ = "self_attn.v_proj.weight";

  /** Queries' bias, [heads * headDim]; {@link ProjectionBiases#qkv} only. */
  public static final String Q_BIAS = "self_attn.q_proj.bias";

  /** Keys' bias, [kvHeads * headDim]; {@link ProjectionBiases#qkv} only. */
  public static final String K_BIAS = "self_attn.k_proj.bias";

  /** Values' bias, [kvHeads * headDim]; {@link ProjectionBiases#qkv} only. */
  public static final String V_BIAS = "self_attn.v_proj.bias";

  /** Norm of each query head, [headDim]; {@link ModelConfig#qkNorm} only. */
  public static final String Q_NORM = "self_attn.q_norm.weight";

  /** Norm of each key head, [headDim]; {@link ModelConfig#qkNorm} only. */
  public static final String K_NORM = "self_attn.k_norm.weight";

  /**
   * A score for each query head that takes part in its softmax and has no value, [heads]; {@link
   * ModelFamily#hasSinks} only.
   */
  public static final String SINKS = "self_attn.sinks";

  /** Attention's output matrix, [hidden, heads * headDim]. */
  public static final String O_PROJ = "self_attn.o_proj.weight";

  /** Bias of attention's output, [hidden]; {@link ProjectionBiases#output} only. */
  public static final String O_BIAS = "self_attn.o_proj.bias";

  /** Feed-forward gate, [intermediate, hidden]. */
  public static final String GATE_PROJ = "mlp.gate_proj.weight";

  /** Feed-forward input, [intermediate, hidden]. */
  public static final String UP_PROJ = "mlp.up_proj.weight";

  /** Feed-forward output, [hidden, intermediate]. */
  public static final String DOWN_PROJ = "mlp.down_proj.weight";

  /** Gate's bias, [intermediate]; {@link ProjectionBiases#feedForward} only. */
  public static final String GATE_BIAS = "mlp.gate_proj.bias";

  /** Bias of the feed-forward's input, [intermediate]; as {@link #GATE_BIAS}. */
  public static final String UP_BIAS = "mlp.up_proj.bias";

  /** Bias of the feed-forward's output, [hidden]; as {@link #GATE_BIAS}. */
  public static final String DOWN_BIAS = "mlp.down_proj.bias";

  /** The router, [experts, hidden]; layers with experts only, as are all below. */
  public static final String ROUTER = "mlp.gate.weight";

  /** The router's bias, [experts]; {@link ModelFamily#hasExpertBiases} only. */
  public static final String ROUTER_BIAS = "mlp.gate.bias";

  /** What is added to a score while experts are chosen, [experts]; with sigmoid scores only. */
  public static final String ROUTER_CORRECTION = "mlp.gate.e_score_correction_bias";

  /** Gate of the shared experts, [shared intermediate, hidden]. */
  public static final String SHARED_GATE = "mlp.shared_experts.gate_proj.weight";

  /** Input of the shared experts, as {@link #SHARED_GATE}. */
  public static final String SHARED_UP = "mlp.shared_experts.up_proj.weight";

  /** Output of the shared experts, [hidden, shared intermediate]. */
  public static final String SHARED_DOWN = "mlp.shared_experts.down_proj.weight";

  private ModelLayout() {}

  /**
   * Name of an expert's tensor in its layer.
   *
   * @param tensor {@link #GATE_PROJ}, {@link #UP_PROJ}, {@link #DOWN_PROJ} or a bias of one
   */
  public static String ofExpert(int expert, String tensor) {
    return tensor.replaceFirst("^mlp\\.", "mlp.experts." + expert + ".");
  }

  /** Name of the bias of {@link #ofExpert} for a matrix; null if the family has none there. */
  public static @Nullable String biasOfExpert(int expert, String matrix, ModelFamily family) {
    final ProjectionBiases biases = new ProjectionBiases(false, false, family.hasExpertBiases());
    final String bias = biasOf(matrix, biases);
    return bias == null ? null : ofExpert(expert, bias);
  }

  /** Name of the router's bias; null if the family has none. */
  public static @Nullable String biasOfRouter(ModelFamily family) {
    return family.hasExpertBiases() ? ROUTER_BIAS : null;
  }

  /** Full name of a layer's tensor. */
  public static String inLayer(int layer, String name) {
    return "model.layers." + layer + "." + name;
  }

  /** Name of the bias of a layer's matrix; null if the model has none there. */
  public static @Nullable String biasOf(String matrix, ProjectionBiases biases) {
    return switch (matrix) {
      case Q_PROJ -> biases.qkv() ? Q_BIAS : null;
      case K_PROJ -> biases.qkv() ? K_BIAS : null;
      case V_PROJ -> biases.qkv() ? V_BIAS : null;
      case O_PROJ -> biases.output() ? O_BIAS : null;
      case GATE_PROJ -> biases.feedForward() ? GATE_BIAS : null;
      case UP_PROJ -> biases.feedForward() ? UP_BIAS : null;
      case DOWN_PROJ -> biases.feedForward() ? DOWN_BIAS : null;
      default -> throw new IllegalArgumentException("must be a layer's matrix: name=" + matrix);
    };
  }

  /** Name of a layer's norm before the feed-forward. */
  public static String feedForwardNorm(ModelFamily family) {
    return family.hasOutputNorms() ? PRE_FEED_FORWARD_NORM : POST_ATTENTION_NORM;
  }

  /** Name of the matrix that makes logits: the embedding's if the head is tied. */
  public static String outputHead(ModelConfig config) {
    return config.outputHead() == OutputHead.TIED ? EMBEDDING : OWN_HEAD;
  }

  /** All tensors, in the order of the forward pass. */
  public static List<TensorSpec> of(ModelConfig config) {
    final List<TensorSpec> tensors = new ArrayList<>();
    tensors.add(new TensorSpec(EMBEDDING, config.vocabularySize(), config.hiddenSize()));
    for (int layer = 0; layer < config.layers(); layer++) {
      for (TensorSpec spec : layer(config, layer)) {
        tensors.add(new TensorSpec(inLayer(layer, spec.name()), spec.shape()));
      }
    }
    tensors.add(new TensorSpec(FINAL_NORM, config.hiddenSize()));
    if (config.outputHead() == OutputHead.OWN) {
      tensors.add(new TensorSpec(OWN_HEAD, config.vocabularySize(), config.hiddenSize()));
    }
    return tensors;
  }

  private static List<TensorSpec> layer(ModelConfig config, int layer) {
    final int hidden = config.hiddenSize();
    final int queryDim = config.attention().queryDim();
    final int kvDim = config.attention().kvDim();
    final int headDim = config.attention().headDim();
    final List<TensorSpec> tensors = new ArrayList<>();
    tensors.add(new TensorSpec(INPUT_NORM, hidden));
    tensors.add(new TensorSpec(Q_PROJ, queryDim, hidden));
    tensors.add(new TensorSpec(K_PROJ, kvDim, hidden));
    tensors.add(new TensorSpec(V_PROJ, kvDim, hidden));
    if (config.biases().qkv()) {
      tensors.add(new TensorSpec(Q_BIAS, queryDim));
      tensors.add(new TensorSpec(K_BIAS, kvDim));
      tensors.add(new TensorSpec(V_BIAS, kvDim));
    }
    if (config.qkNorm()) {
      tensors.add(new TensorSpec(Q_NORM, headDim));
      tensors.add(new TensorSpec(K_NORM, headDim));
    }
    if (config.family().hasSinks()) {
      tensors.add(new TensorSpec(SINKS, config.attention().heads()));
    }
    tensors.add(new TensorSpec(O_PROJ, hidden, queryDim));
    if (config.biases().output()) {
      tensors.add(new TensorSpec(O_BIAS, hidden));
    }
    tensors.add(new TensorSpec(POST_ATTENTION_NORM, hidden));
    if (config.family().hasOutputNorms()) {
      tensors.add(new TensorSpec(PRE_FEED_FORWARD_NORM, hidden));
      tensors.add(new TensorSpec(POST_FEED_FORWARD_NORM, hidden));
    }
    final ExpertsShape experts = config.expertsIn(layer);
    if (experts == null) {
      addFeedForward(tensors, config);
    } else {
      addExperts(tensors, config, experts);
    }
    return tensors;
  }

  private static void addFeedForward(List<TensorSpec> tensors, ModelConfig config) {
    final int hidden = config.hiddenSize();
    final int inner = config.intermediateSize();
    tensors.add(new TensorSpec(GATE_PROJ, inner, hidden));
    tensors.add(new TensorSpec(UP_PROJ, inner, hidden));
    tensors.add(new TensorSpec(DOWN_PROJ, hidden, inner));
    if (config.biases().feedForward()) {
      tensors.add(new TensorSpec(GATE_BIAS, inner));
      tensors.add(new TensorSpec(UP_BIAS, inner));
      tensors.add(new TensorSpec(DOWN_BIAS, hidden));
    }
  }

  private static void addExperts(
      List<TensorSpec> tensors, ModelConfig config, ExpertsShape experts) {
    final int hidden = config.hiddenSize();
    final int inner = experts.intermediateSize();
    final boolean biases = config.family().hasExpertBiases();
    tensors.add(new TensorSpec(ROUTER, experts.experts(), hidden));
    if (biases) {
      tensors.add(new TensorSpec(ROUTER_BIAS, experts.experts()));
    }
    if (experts.hasCorrection()) {
      tensors.add(new TensorSpec(ROUTER_CORRECTION, experts.experts()));
    }
    for (int expert = 0; expert < experts.experts(); expert++) {
      tensors.add(new TensorSpec(ofExpert(expert, GATE_PROJ), inner, hidden));
      tensors.add(new TensorSpec(ofExpert(expert, UP_PROJ), inner, hidden));
      tensors.add(new TensorSpec(ofExpert(expert, DOWN_PROJ), hidden, inner));
      if (biases) {
        tensors.add(new TensorSpec(ofExpert(expert, GATE_BIAS), inner));
        tensors.add(new TensorSpec(ofExpert(expert, UP_BIAS), inner));
        tensors.add(new TensorSpec(ofExpert(expert, DOWN_BIAS), hidden));
      }
    }
    if (experts.sharedExperts() > 0) {
      final int shared = experts.sharedIntermediateSize();
      tensors.add(new TensorSpec(SHARED_GATE, shared, hidden));
      tensors.add(new TensorSpec(SHARED_UP, shared, hidden));
      tensors.add(new TensorSpec(SHARED_DOWN, hidden, shared));
    }
  }
}
