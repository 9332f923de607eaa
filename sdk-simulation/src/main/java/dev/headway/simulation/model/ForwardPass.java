package dev.headway.simulation.model;

import dev.headway.simulation.model.AttentionSpec.Grouped;
import dev.headway.simulation.model.AttentionSpec.Latent;
import dev.headway.simulation.model.MatMul.Rows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The operators that one device runs in a step, as vLLM fuses and splits them: projections column-
 * then row-parallel, one all-reduce after attention and one after the feed-forward network; the
 * vocabulary is spread, so that embeddings are added up and logits gathered. The one list that
 * rooflines, kernel tables and features are made of. Immutable.
 *
 * <p>With pipeline parallelism it is the way of one step through all its stages.
 */
public final class ForwardPass {

  /** Kernels per layer that only move activations: two norms, rotary embedding, cache, SiLU. */
  private static final int ELEMENTWISE_KERNELS = 5;

  /** Kernels per layer of routed experts: choice, grouping, two products, sum. */
  private static final int EXPERT_KERNELS = 5;

  /** vLLM's name of the router of experts. */
  static final String ROUTER = "gate";

  /** How vLLM's names of the layers of shared experts begin. */
  static final String SHARED_EXPERTS = "shared_experts.";

  private final ModelSpec model;
  private final Parallelism parallelism;
  private final LaunchMode launchMode;
  private final List<MatMul> matMuls = new ArrayList<>();
  private final List<AttentionCall> attention = new ArrayList<>();
  private final List<MatMul> matMulsView = Collections.unmodifiableList(matMuls);
  private final List<AttentionCall> attentionView = Collections.unmodifiableList(attention);
  private final @Nullable ExpertCall experts;
  private double activationBytesPerToken;

  private ForwardPass(
      ModelSpec model, Parallelism parallelism, LaunchMode launchMode, double routingSkew) {
    this.model = model;
    this.launchMode = launchMode;
    this.parallelism = parallelism;
    final int tensor = parallelism.tensor();
    switch (model.attention()) {
      case Grouped grouped -> addGrouped(grouped, tensor);
      case Latent latent -> addLatent(latent, tensor);
    }
    if (model.denseLayers() > 0) {
      addFeedForward(model.denseIntermediateSize(), model.denseLayers(), "");
    }
    experts =
        model.experts() == null ? null : addExperts(model.experts().withRoutingSkew(routingSkew));
    final int vocabulary = ceilDiv(model.vocabularySize(), tensor);
    addMatMul("lm_head", vocabulary, model.hiddenSize(), 1, Rows.SAMPLED, model.activations());
    // two norms with residual per layer: read both, write both
    activationBytesPerToken += 8.0 * model.hiddenSize() * model.layers() * activationBytes();
  }

  /** The operators of a model whose kernels CUDA graphs start. */
  public static ForwardPass of(ModelSpec model, Parallelism parallelism) {
    return of(model, parallelism, LaunchMode.CUDA_GRAPHS);
  }

  /**
   * The operators of a model.
   *
   * @throws IllegalArgumentException if heads or layers cannot be spread like that
   */
  public static ForwardPass of(ModelSpec model, Parallelism parallelism, LaunchMode launchMode) {
    if (model.attention().heads() % parallelism.tensor() != 0) {
      throw new IllegalArgumentException(
          "tensor parallelism must divide the attention heads: tensor="
              + parallelism.tensor()
              + ", heads="
              + model.attention().heads()
              + ", model="
              + model);
    }
    if (parallelism.pipeline() > model.layers()) {
      throw new IllegalArgumentException(
          "pipeline parallelism must be <= layers: pipeline="
              + parallelism.pipeline()
              + ", layers="
              + model.layers()
              + ", model="
              + model);
    }
    final ExpertsSpec experts = model.experts();
    return new ForwardPass(
        model, parallelism, launchMode, experts == null ? 0 : experts.routingSkew());
  }

  /**
   * The same pass where tokens choose their experts more or less evenly.
   *
   * @param skew as {@link ExpertsSpec#routingSkew}; says nothing of a model without experts
   */
  public ForwardPass withRoutingSkew(double skew) {
    return new ForwardPass(model, parallelism, launchMode, skew);
  }

  private void addGrouped(Grouped grouped, int tensor) {
    final int heads = grouped.heads() / tensor;
    final int kvHeads = ceilDiv(grouped.kvHeads(), tensor); // few heads are repeated
    final int dim = grouped.headDim();
    addMatMul("qkv_proj", (heads + 2 * kvHeads) * dim, model.hiddenSize(), model.layers());
    addMatMul("o_proj", model.hiddenSize(), heads * dim, model.layers());
    final double kvBytes = 2.0 * kvHeads * dim * model.kvCache().bytes();
    addAttention(heads, kvHeads, dim, kvBytes);
    // rotary embedding of queries and keys in place, and the new entries of the cache
    activationBytesPerToken +=
        model.layers() * (2.0 * (heads + kvHeads) * dim * activationBytes() + kvBytes);
  }

  private void addLatent(Latent latent, int tensor) {
    final int heads = latent.heads() / tensor;
    final int queryDim = latent.nopeDim() + latent.ropeDim();
    final int compressed = latent.kvRank() + latent.ropeDim();
    if (latent.queryRank() > 0) {
      final int down = latent.queryRank() + compressed;
      addMatMul("fused_qkv_a_proj", down, model.hiddenSize(), model.layers());
      addMatMul("q_b_proj", heads * queryDim, latent.queryRank(), model.layers());
    } else {
      addMatMul("q_proj", heads * queryDim, model.hiddenSize(), model.layers());
      addMatMul("kv_a_proj", compressed, model.hiddenSize(), model.layers());
    }
    final int up = heads * (latent.nopeDim() + latent.valueDim());
    addMatMul("kv_b_proj", up, latent.kvRank(), model.layers());
    addMatMul("o_proj", model.hiddenSize(), heads * latent.valueDim(), model.layers());
    final double kvBytes = compressed * model.kvCache().bytes(); // on every device
    addAttention(heads, 1, compressed, kvBytes);
    activationBytesPerToken +=
        model.layers() * (2.0 * heads * queryDim * activationBytes() + kvBytes);
  }

  /** One call for all layers with the same window. */
  private void addAttention(int heads, int kvHeads, int dim, double kvBytes) {
    final long pairs = model.attention().multiplyAddsPerPair() / parallelism.tensor();
    final Map<Integer, Integer> layersByWindow = new TreeMap<>();
    for (int layer = 0; layer < model.layers(); layer++) {
      layersByWindow.merge(model.windowTokens(layer), 1, Integer::sum);
    }
    layersByWindow.forEach(
        (window, layers) ->
            attention.add(new AttentionCall(layers, window, heads, kvHeads, dim, pairs, kvBytes)));
  }

  private void addFeedForward(int intermediate, int layers, String prefix) {
    final int here = ceilDiv(intermediate, parallelism.tensor());
    addMatMul(prefix + "gate_up_proj", 2 * here, model.hiddenSize(), layers);
    addMatMul(prefix + "down_proj", model.hiddenSize(), here, layers);
    activationBytesPerToken += 3.0 * here * layers * activationBytes(); // SiLU and product
  }

  private ExpertCall addExperts(ExpertsSpec spec) {
    addMatMul(
        ROUTER,
        spec.experts(),
        model.hiddenSize(),
        spec.layers(),
        Rows.TOKENS,
        model.activations());
    if (spec.sharedIntermediateSize() > 0) {
      addFeedForward(spec.sharedIntermediateSize(), spec.layers(), SHARED_EXPERTS);
    }
    final boolean whole = parallelism.experts() > 1;
    final int devices = parallelism.expertDevices();
    final int here = whole ? ceilDiv(spec.experts(), devices) : spec.experts();
    final int width = whole ? spec.intermediateSize() : ceilDiv(spec.intermediateSize(), devices);
    final double share = (double) here / spec.experts();
    // SiLU and product, and the rows that are gathered and scattered back, of all ranks
    activationBytesPerToken +=
        spec.layers()
            * parallelism.data()
            * spec.perToken()
            * share
            * (3.0 * width + 4.0 * model.hiddenSize())
            * activationBytes();
    return new ExpertCall(spec, here, model.hiddenSize(), width, model.expertWeights());
  }

  private void addMatMul(String name, int n, int k, int times) {
    addMatMul(name, n, k, times, Rows.TOKENS, model.weights());
  }

  private void addMatMul(String name, int n, int k, int times, Rows rows, WeightFormat format) {
    matMuls.add(new MatMul(name, n, k, times, rows, format));
  }

  private double activationBytes() {
    return model.activations().bytes();
  }

  private static int ceilDiv(int dividend, int divisor) {
    return (dividend + divisor - 1) / divisor;
  }

  /** The model. */
  public ModelSpec model() {
    return model;
  }

  /** How it is spread over devices. */
  public Parallelism parallelism() {
    return parallelism;
  }

  /** Multiplications with weights, the routed experts excepted. */
  public List<MatMul> matMuls() {
    return matMulsView;
  }

  /** Attention, one call per kind of layer. */
  public List<AttentionCall> attention() {
    return attentionView;
  }

  /** The routed experts, or null; run {@link ExpertsSpec#layers} times. */
  public @Nullable ExpertCall experts() {
    return experts;
  }

  /**
   * Bytes that a token's norms, rotary embeddings, activation functions and cache writes move in
   * the memory of the device, over all layers.
   */
  public double activationBytesPerToken() {
    return activationBytesPerToken;
  }

  /** How the host starts its kernels. */
  public LaunchMode launchMode() {
    return launchMode;
  }

  /** Kernels of a step that only move activations, over all layers. */
  public int elementwiseKernels() {
    return ELEMENTWISE_KERNELS * model.layers();
  }

  /** Kernels of a step on one device: one per operator of each layer, fused as vLLM fuses them. */
  public int kernels() {
    int kernels = elementwiseKernels() + allReduces();
    for (MatMul matMul : matMuls) {
      kernels += matMul.times();
    }
    for (AttentionCall call : attention) {
      kernels += call.layers();
    }
    return experts == null ? kernels : kernels + EXPERT_KERNELS * experts.spec().layers();
  }

  /** All-reduces of a step: two of each layer and that of the embedding; 0 on one device. */
  public int allReduces() {
    return parallelism.tensor() == 1 ? 0 : 2 * model.layers() + 1;
  }

  /**
   * Bytes of logits per sampled row that are gathered from the devices, each of which has a part of
   * the vocabulary; 0 on one device.
   */
  public double gatheredLogitsBytesPerRow() {
    return parallelism.tensor() == 1 ? 0 : model.vocabularySize() * activationBytes();
  }

  /** Bytes per token of an all-reduce. */
  public double allReduceBytesPerToken() {
    return model.hiddenSize() * activationBytes();
  }

  /**
   * How often a step brings tokens of all data parallel ranks to their experts, and back: once for
   * each layer of experts, by an all-gather and a reduce-scatter, which is vLLM's default.
   */
  public int expertExchanges() {
    return experts == null || parallelism.data() == 1 ? 0 : experts.spec().layers();
  }

  /** Bytes per token of the all-gather before the experts: the residual and the router's scores. */
  public double gatheredBytesPerToken() {
    final int scores = experts == null ? 0 : experts.spec().experts();
    return (model.hiddenSize() + scores) * activationBytes();
  }

  /** Bytes of weights on a device; of pipeline stages the mean. */
  public double weightBytes() {
    double bytes = 0;
    for (MatMul matMul : matMuls) {
      bytes += matMul.weightBytes() * matMul.times();
    }
    if (experts != null) {
      bytes +=
          3.0
              * experts.hiddenSize()
              * experts.intermediateHere()
              * experts.expertsHere()
              * experts.spec().layers()
              * experts.format().bytes();
    }
    if (!model.hasTiedEmbeddings()) {
      final int vocabulary = ceilDiv(model.vocabularySize(), parallelism.tensor());
      bytes += (double) vocabulary * model.hiddenSize() * activationBytes();
    }
    return bytes / parallelism.pipeline();
  }
}
