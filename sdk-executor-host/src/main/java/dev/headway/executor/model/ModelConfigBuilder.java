package dev.headway.executor.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes a {@link ModelConfig}. Sizes must be set; one thread. */
public final class ModelConfigBuilder {

  private final ModelFamily family;
  private int vocabularySize;
  private int hiddenSize;
  private int intermediateSize;
  private int layers;
  private @Nullable AttentionShape attention;
  private RopeConfig rope = new RopeConfig(10_000, new RopeScaling.None());
  private float rmsNormEps = 1e-5f;
  private int maxPositions;
  private OutputHead outputHead = OutputHead.OWN;
  private List<Integer> eosTokenIds = List.of();
  private ProjectionBiases biases;
  private LayerWindows windows = LayerWindows.NONE;
  private boolean qkNorm;
  private @Nullable ExpertsShape experts;
  private @Nullable RopeConfig localRope;
  private @Nullable Double queryScalar;
  private float logitSoftCap;

  ModelConfigBuilder(ModelFamily family) {
    this.family = family;
    this.biases = family.biases();
    this.qkNorm = family.hasQkNorm();
  }

  ModelConfigBuilder(ModelConfig config) {
    family = config.family();
    vocabularySize = config.vocabularySize();
    hiddenSize = config.hiddenSize();
    intermediateSize = config.intermediateSize();
    layers = config.layers();
    attention = config.attention();
    rope = config.rope();
    rmsNormEps = config.rmsNormEps();
    maxPositions = config.maxPositions();
    outputHead = config.outputHead();
    eosTokenIds = config.eosTokenIds();
    biases = config.biases();
    windows = config.windows();
    qkNorm = config.qkNorm();
    experts = config.experts();
    localRope = config.localRope().equals(config.rope()) ? null : config.localRope();
    queryScalar = config.queryScalar() == attention.headDim() ? null : config.queryScalar();
    logitSoftCap = config.logitSoftCap();
  }

  /** Token ids are in [0, size); at least 1. */
  public ModelConfigBuilder vocabularySize(int size) {
    vocabularySize = size;
    return this;
  }

  /** Elements of a token's hidden state; at least 1. */
  public ModelConfigBuilder hiddenSize(int size) {
    hiddenSize = size;
    return this;
  }

  /** Elements of the feed-forward's inner state; at least 1. */
  public ModelConfigBuilder intermediateSize(int size) {
    intermediateSize = size;
    return this;
  }

  /** Decoder layers, in [1, 10,000]. */
  public ModelConfigBuilder layers(int count) {
    layers = count;
    return this;
  }

  /** Heads of every layer. */
  public ModelConfigBuilder attention(AttentionShape shape) {
    attention = shape;
    return this;
  }

  /** Rotary embedding; of base 10,000 and without scaling unless set. */
  public ModelConfigBuilder rope(RopeConfig config) {
    rope = config;
    return this;
  }

  /** Added to the mean square before the root is taken, in [0, 1); 1e-5 unless set. */
  public ModelConfigBuilder rmsNormEps(float eps) {
    rmsNormEps = eps;
    return this;
  }

  /** Longest context the model was made for, in tokens; at least 1. */
  public ModelConfigBuilder maxPositions(int longest) {
    maxPositions = longest;
    return this;
  }

  /** Where the logits' matrix comes from; the model has its own unless set. */
  public ModelConfigBuilder outputHead(OutputHead head) {
    outputHead = head;
    return this;
  }

  /** Tokens that end a text; none unless set. */
  public ModelConfigBuilder eosTokenIds(List<Integer> ids) {
    eosTokenIds = List.copyOf(ids);
    return this;
  }

  /** Biases of every layer; those of the family unless set. */
  public ModelConfigBuilder biases(ProjectionBiases given) {
    biases = given;
    return this;
  }

  /** Which layers attend to the last tokens only; none unless set. */
  public ModelConfigBuilder windows(LayerWindows given) {
    windows = given;
    return this;
  }

  /** Whether heads of queries and keys are normalised; as the family does unless set. */
  public ModelConfigBuilder qkNorm(boolean given) {
    qkNorm = given;
    return this;
  }

  /** Experts in place of the feed-forward; none unless set. */
  public ModelConfigBuilder experts(ExpertsShape shape) {
    experts = shape;
    return this;
  }

  /** Rotary embedding of the layers with a window; that of the others unless set. */
  public ModelConfigBuilder localRope(RopeConfig config) {
    localRope = config;
    return this;
  }

  /** Scores of attention are divided by its root, > 0; the elements of a head unless set. */
  public ModelConfigBuilder queryScalar(double scalar) {
    queryScalar = scalar;
    return this;
  }

  /** Logits are kept within it, > 0; they are not unless set. */
  public ModelConfigBuilder logitSoftCap(float cap) {
    logitSoftCap = cap;
    return this;
  }

  /**
   * The shape.
   *
   * @throws IllegalArgumentException if a size is missing or what is set does not fit together
   */
  public ModelConfig build() {
    if (attention == null) {
      throw new IllegalArgumentException("attention must be set");
    }
    return new ModelConfig(
        family,
        vocabularySize,
        hiddenSize,
        intermediateSize,
        layers,
        attention,
        rope,
        rmsNormEps,
        maxPositions,
        outputHead,
        eosTokenIds,
        biases,
        windows,
        qkNorm,
        experts,
        localRope == null ? rope : localRope,
        queryScalar == null ? attention.headDim() : queryScalar,
        logitSoftCap);
  }
}
