package dev.headway.simulation.model;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a decoder-only transformer: what its time and memory depend on. Immutable; made by
 * {@link ModelSpecReader} or {@link #builder}.
 */
public final class ModelSpec {

  private final String name;
  private final int layers;
  private final int hiddenSize;
  private final int vocabularySize;
  private final AttentionSpec attention;
  private final int[] windowTokens;
  private final int denseIntermediateSize;
  private final @Nullable ExpertsSpec experts;
  private final boolean tiedEmbeddings;
  private final WeightFormat weights;
  private final WeightFormat expertWeights;
  private final WeightFormat activations;
  private final WeightFormat kvCache;

  private ModelSpec(Builder builder) {
    name = builder.name;
    layers = requirePositive("layers", builder.layers);
    hiddenSize = requirePositive("hiddenSize", builder.hiddenSize);
    vocabularySize = requirePositive("vocabularySize", builder.vocabularySize);
    attention = Objects.requireNonNull(builder.attention, "attention");
    windowTokens = Arrays.copyOf(builder.windowTokens, layers);
    experts = builder.experts;
    denseIntermediateSize = builder.denseIntermediateSize;
    tiedEmbeddings = builder.tiedEmbeddings;
    activations = builder.activations;
    weights = builder.weights == null ? activations : builder.weights;
    expertWeights = builder.expertWeights == null ? weights : builder.expertWeights;
    kvCache = builder.kvCache == null ? activations : builder.kvCache;
    if (experts != null && experts.layers() > layers) {
      throw new IllegalArgumentException(
          "layers with experts must be <= layers: experts.layers="
              + experts.layers()
              + ", layers="
              + layers);
    }
    if (denseLayers() > 0) {
      requirePositive("denseIntermediateSize", denseIntermediateSize);
    }
  }

  /** Starts with 16-bit weights, full attention and no experts. */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /** What people call it. */
  public String name() {
    return name;
  }

  /** Decoder layers. */
  public int layers() {
    return layers;
  }

  /** Width of the residual stream. */
  public int hiddenSize() {
    return hiddenSize;
  }

  /** Entries of the vocabulary. */
  public int vocabularySize() {
    return vocabularySize;
  }

  /** The attention of each layer. */
  public AttentionSpec attention() {
    return attention;
  }

  /** Tokens that layer {@code layer} attends to at most; 0 if it attends to all. */
  public int windowTokens(int layer) {
    return windowTokens[layer];
  }

  /** Inner width of the feed-forward network of a layer without experts. */
  public int denseIntermediateSize() {
    return denseIntermediateSize;
  }

  /** The experts of the layers that have some, or null. */
  public @Nullable ExpertsSpec experts() {
    return experts;
  }

  /**
   * Inner width that a token has in the widest feed-forward of a layer: that of all experts which
   * it is given, shared ones too, or of a layer without any.
   */
  public long widestFeedForward() {
    final long ofExperts = experts == null ? 0 : experts.widthPerToken();
    return Math.max(ofExperts, denseLayers() == 0 ? 0 : denseIntermediateSize);
  }

  /** Layers without experts. */
  public int denseLayers() {
    return experts == null ? layers : layers - experts.layers();
  }

  /** Whether the output head is the embedding. */
  public boolean hasTiedEmbeddings() {
    return tiedEmbeddings;
  }

  /** Format of the layers' weights, those of routed experts and of their router excepted. */
  public WeightFormat weights() {
    return weights;
  }

  /** Format of the routed experts' weights. */
  public WeightFormat expertWeights() {
    return expertWeights;
  }

  /** Format of activations, embeddings, routers of experts and the output head. */
  public WeightFormat activations() {
    return activations;
  }

  /** Format of the KV cache. */
  public WeightFormat kvCache() {
    return kvCache;
  }

  /** The same model whose keys and values are kept in another format. */
  public ModelSpec withKvCache(WeightFormat format) {
    return builder(name)
        .layers(layers)
        .hiddenSize(hiddenSize)
        .vocabularySize(vocabularySize)
        .attention(attention)
        .windowTokens(windowTokens)
        .denseIntermediateSize(denseIntermediateSize)
        .experts(experts)
        .tiedEmbeddings(tiedEmbeddings)
        .weights(weights)
        .expertWeights(expertWeights)
        .activations(activations)
        .kvCache(format)
        .build();
  }

  /** Parameters of the layers' matrices, all experts included; without norms and biases. */
  public long layerParameters() {
    final long dense = 3L * hiddenSize * denseIntermediateSize * denseLayers();
    return attention.parameters(hiddenSize) * layers + dense + expertParameters();
  }

  private long expertParameters() {
    if (experts == null) {
      return 0;
    }
    final long shared = 3L * hiddenSize * experts.sharedIntermediateSize();
    return routedParameters() + shared * experts.layers() + routerParameters();
  }

  private long routedParameters() {
    return experts == null
        ? 0
        : 3L * hiddenSize * experts.intermediateSize() * experts.experts() * experts.layers();
  }

  private long routerParameters() {
    return experts == null ? 0 : (long) hiddenSize * experts.experts() * experts.layers();
  }

  /** Parameters of embedding and output head. */
  public long embeddingParameters() {
    return (long) vocabularySize * hiddenSize * (tiedEmbeddings ? 1 : 2);
  }

  /** All parameters but those of norms and biases, which are some 0.01 %. */
  public long parameters() {
    return layerParameters() + embeddingParameters();
  }

  /** Memory of all weights, in bytes. */
  public long weightBytes() {
    final long routed = routedParameters();
    final long routers = routerParameters();
    return Math.round(
        (layerParameters() - routed - routers) * weights.bytes()
            + routed * expertWeights.bytes()
            + (routers + embeddingParameters()) * activations.bytes());
  }

  /** Memory of the KV of one token over all layers, in bytes: {@code layers * numbers * bytes}. */
  public long kvBytesPerToken() {
    return Math.round(layers * attention.kvNumbersPerToken() * kvCache.bytes());
  }

  @Override
  public String toString() {
    return name;
  }

  private static int requirePositive(String name, int value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be > 0: " + name + "=" + value);
    }
    return value;
  }

  /** Names the parts of a model; not thread-safe. */
  public static final class Builder {

    private final String name;
    private int layers;
    private int hiddenSize;
    private int vocabularySize;
    private @Nullable AttentionSpec attention;
    private int[] windowTokens = {};
    private int denseIntermediateSize;
    private @Nullable ExpertsSpec experts;
    private boolean tiedEmbeddings;
    private @Nullable WeightFormat weights;
    private @Nullable WeightFormat expertWeights;
    private WeightFormat activations = WeightFormat.BF16;
    private @Nullable WeightFormat kvCache;

    private Builder(String name) {
      this.name = Objects.requireNonNull(name, "name");
    }

    /** Decoder layers, > 0. */
    public Builder layers(int count) {
      layers = count;
      return this;
    }

    /** Width of the residual stream, > 0. */
    public Builder hiddenSize(int width) {
      hiddenSize = width;
      return this;
    }

    /** Entries of the vocabulary, > 0. */
    public Builder vocabularySize(int entries) {
      vocabularySize = entries;
      return this;
    }

    /** The attention of each layer. */
    public Builder attention(AttentionSpec ofEachLayer) {
      attention = ofEachLayer;
      return this;
    }

    /** Tokens that each layer attends to at most, 0 for all; missing layers attend to all. */
    public Builder windowTokens(int... ofEachLayer) {
      windowTokens = ofEachLayer.clone();
      return this;
    }

    /** Inner width of the feed-forward networks without experts. */
    public Builder denseIntermediateSize(int width) {
      denseIntermediateSize = width;
      return this;
    }

    /** Experts; none unless set. */
    public Builder experts(@Nullable ExpertsSpec ofTheLayers) {
      experts = ofTheLayers;
      return this;
    }

    /** Whether the output head is the embedding. */
    public Builder tiedEmbeddings(boolean isTied) {
      tiedEmbeddings = isTied;
      return this;
    }

    /** Format of the layers' weights; that of the activations unless set. */
    public Builder weights(WeightFormat format) {
      weights = format;
      return this;
    }

    /** Format of the routed experts' weights; that of the layers' weights unless set. */
    public Builder expertWeights(WeightFormat format) {
      expertWeights = format;
      return this;
    }

    /** Format of activations, embeddings and the output head; 16 bit unless set. */
    public Builder activations(WeightFormat format) {
      activations = format;
      return this;
    }

    /** Format of the KV cache; that of the activations unless set. */
    public Builder kvCache(WeightFormat format) {
      kvCache = format;
      return this;
    }

    /**
     * Makes the model.
     *
     * @throws IllegalArgumentException if a size is missing or not positive
     */
    public ModelSpec build() {
      return new ModelSpec(this);
    }
  }
}
