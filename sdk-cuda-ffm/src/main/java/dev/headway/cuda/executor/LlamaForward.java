package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.executor.DeviceWeights.LayerWeights;
import dev.headway.cuda.kernel.AttentionBatch;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.kernel.NormTerms;
import dev.headway.cuda.kernel.RowKernels;
import dev.headway.cuda.kernel.SamplingKernels;
import dev.headway.cuda.kernel.TableKernels;
import dev.headway.executor.model.ModelConfig;
import org.jspecify.annotations.Nullable;

/**
 * The launches of a forward pass, in order: from token ids to the logits of the rows that sample.
 *
 * <p>All arguments are fixed addresses and the counts of a {@link BatchLayout}; what the batch
 * holds decides the rest on the device. So a recording for equal counts can be replayed. Within a
 * layer all keys and values are written before any row attends.
 */
final class LlamaForward {
  private final ModelConfig config;
  private final NormTerms terms;
  private final RowKernels rows;
  private final GatedRows gates;
  private final TableKernels tables;
  private final SamplingKernels sampling;
  private final AttentionForward attention;
  private final Gemm gemm;
  private final DeviceWeights weights;
  private final Workspace work;
  private final LoraForward lora;
  private final @Nullable ExpertsForward experts;

  /**
   * Takes the parts.
   *
   * @param experts null in models without
   */
  LlamaForward(
      ModelConfig config,
      Kernels kernels,
      AttentionForward attention,
      Gemm gemm,
      DeviceWeights weights,
      Workspace work,
      LoraForward lora,
      @Nullable ExpertsForward experts) {
    this.config = config;
    this.terms = new NormTerms(config.rmsNormEps(), config.family().normOffset());
    this.rows = kernels.rows();
    this.gates = new GatedRows(kernels.rows(), config.family().activation());
    this.tables = kernels.tables();
    this.sampling = kernels.sampling();
    this.attention = attention;
    this.gemm = gemm;
    this.weights = weights;
    this.work = work;
    this.lora = lora;
    this.experts = experts;
  }

  /** Enqueues what comes before a pass. */
  void begin(CudaStream stream) {
    if (experts != null) {
      experts.begin(stream);
    }
  }

  /** Enqueues a copy of how many experts computed in a pass; false in a model without. */
  boolean countExperts(CudaStream stream, PinnedBuffer target) {
    if (experts == null) {
      return false;
    }
    experts.count(stream, target);
    return true;
  }

  /** Enqueues the pass over an uploaded batch; {@code batch} says where its arrays lie. */
  void enqueue(CudaStream stream, BatchLayout batch, AttentionBatch[] owners) {
    enqueue(stream, batch, owners, config.layers());
  }

  /** The same through the first {@code layers} layers only. */
  void enqueue(CudaStream stream, BatchLayout batch, AttentionBatch[] owners, int layers) {
    final long block = work.batch.address();
    tables.change(
        stream, owners[0].blockTable(), block, block + 4L * batch.workAt(0), owners[0].maxBlocks());
    sampling.carryTokens(
        stream,
        block,
        work.answers.address(),
        block + 4L * batch.carryFromAt,
        block + 4L * batch.carryToAt,
        batch.sequences);
    lora.begin(batch, block);
    embedAndNorm(stream, block + 4L * batch.tokenAt, batch.rows);
    for (int layer = 0; layer < layers; layer++) {
      if (layer > 0) {
        norm(stream, weights.layer(layer).inputNorm(), batch.rows);
      }
      lora.layer(layer);
      attend(stream, batch, owners, layer);
      feedForward(stream, batch.rows, owners[0].position(), weights.layer(layer));
    }
    if (batch.samples > 0) {
      logits(stream, batch);
    }
  }

  /** The embeddings, and the norm of the first layer. */
  private void embedAndNorm(CudaStream stream, long tokens, int m) {
    final long hidden = work.hidden.address();
    final long table = weights.embedding();
    final long firstNorm = weights.layer(0).inputNorm();
    final int size = config.hiddenSize();
    if (weights.embeddingScale() == 1) {
      final long normed = work.normed.address();
      rows.rmsNormOf(stream, normed, hidden, table, tokens, firstNorm, m, size, terms);
    } else {
      rows.gatherScaled(stream, hidden, table, tokens, m, size, weights.embeddingScale());
      norm(stream, firstNorm, m);
    }
  }

  /** Adds a product to the hidden states, or its norm where there is one. */
  private void add(
      CudaStream stream, AdaptedProduct of, long x, WeightMatrix w, long outputNorm, int m) {
    final long hidden = work.hidden.address();
    if (outputNorm == 0) {
      gemm.addTo(stream, hidden, x, w, m);
      lora.add(stream, of, hidden, x);
    } else {
      final long made = work.normed.address(); // not read before the next norm
      gemm.project(stream, made, x, w, m);
      lora.add(stream, of, made, x);
      rows.addNorm(stream, hidden, made, outputNorm, m, config.hiddenSize(), terms);
    }
  }

  private void attend(CudaStream stream, BatchLayout batch, AttentionBatch[] owners, int index) {
    final int m = batch.rows;
    final LayerWeights layer = weights.layer(index);
    final long qkv = work.qkv.address();
    gemm.project(stream, qkv, work.normed.address(), layer.qkv(), m);
    lora.add(stream, AdaptedProduct.QKV, qkv, work.normed.address());
    attention.enqueue(stream, batch, owners, index);
    final long attended = work.attended.address();
    add(stream, AdaptedProduct.OUTPUT, attended, layer.output(), layer.attentionOutputNorm(), m);
  }

  /** Layers from the first one on until there was one of each kind. */
  int layersOfEachKind() {
    for (int layer = 1; layer < config.layers(); layer++) {
      if ((config.expertsIn(layer) == null) != (config.expertsIn(0) == null)) {
        return layer + 1;
      }
    }
    return 1;
  }

  private void feedForward(CudaStream stream, int m, long positions, LayerWeights layer) {
    norm(stream, layer.feedForwardNorm(), m);
    if (experts != null && layer.experts() != null) {
      experts.enqueue(stream, layer.experts(), positions, m);
    } else if (layer.gateUp() != null && layer.down() != null) {
      dense(stream, m, layer.gateUp(), layer.down(), layer.feedForwardOutputNorm());
    }
  }

  private void dense(
      CudaStream stream, int m, WeightMatrix gateUpWeights, WeightMatrix down, long outputNorm) {
    final long gateUp = work.gateUp.address();
    final long inner = work.inner.address();
    gemm.project(stream, gateUp, work.normed.address(), gateUpWeights, m);
    lora.add(stream, AdaptedProduct.GATE_UP, gateUp, work.normed.address());
    gates.enqueue(stream, inner, gateUp, m, config.intermediateSize());
    add(stream, AdaptedProduct.DOWN, inner, down, outputNorm, m);
  }

  private void logits(CudaStream stream, BatchLayout batch) {
    final long normed = work.sampledNormed.address();
    rows.rmsNormOf(
        stream,
        normed,
        0,
        work.hidden.address(),
        work.batch.address() + 4L * batch.sampleRowAt,
        weights.finalNorm(),
        batch.samples,
        config.hiddenSize(),
        terms);
    final long logits = work.logits.address();
    gemm.logits(stream, logits, normed, weights.head(), batch.samples);
    if (config.logitSoftCap() != 0) {
      final float cap = config.logitSoftCap();
      rows.capLogits(stream, logits, batch.samples, config.vocabularySize(), cap);
    }
  }

  private void norm(CudaStream stream, long weight, int m) {
    final long normed = work.normed.address();
    final long hidden = work.hidden.address();
    rows.rmsNorm(stream, normed, hidden, weight, m, config.hiddenSize(), terms);
  }
}
