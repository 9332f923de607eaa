package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.executor.DeviceWeights.LayerWeights;
import dev.headway.cuda.kernel.AttentionBatch;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.AttentionKernels;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.kernel.LayerCache;
import dev.headway.cuda.kernel.PrefillCut;
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
  private final AttentionKernelShape shape;
  private final ForwardShape cut;
  private final int rotaryDim;
  private final float ropeMagnitude;
  private final RowKernels rows;
  private final TableKernels tables;
  private final SamplingKernels sampling;
  private final AttentionKernels attention;
  private final Gemm gemm;
  private final DeviceWeights weights;
  private final PagedKvCache cache;
  private final Workspace work;
  private final @Nullable ExpertsForward experts;

  /**
   * Takes the parts.
   *
   * @param experts null in models without
   */
  LlamaForward(
      ModelConfig config,
      ForwardShape cut,
      Kernels kernels,
      AttentionKernels attention,
      Gemm gemm,
      DeviceWeights weights,
      PagedKvCache cache,
      Workspace work,
      @Nullable ExpertsForward experts) {
    this.config = config;
    this.cut = cut;
    this.shape = cut.attention();
    this.rotaryDim = config.rope().rotaryDim(shape.headDim());
    this.ropeMagnitude = config.rope().magnitude();
    this.rows = kernels.rows();
    this.tables = kernels.tables();
    this.sampling = kernels.sampling();
    this.attention = attention;
    this.gemm = gemm;
    this.weights = weights;
    this.cache = cache;
    this.work = work;
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
    rows.rmsNormOf( // of the first layer
        stream,
        work.normed.address(),
        work.hidden.address(),
        weights.embedding(),
        block + 4L * batch.tokenAt,
        weights.layer(0).inputNorm(),
        batch.rows,
        config.hiddenSize(),
        config.rmsNormEps());
    for (int layer = 0; layer < layers; layer++) {
      if (layer > 0) {
        norm(stream, weights.layer(layer).inputNorm(), batch.rows);
      }
      attend(stream, batch, owners, layer);
      feedForward(stream, batch.rows, owners[0].position(), weights.layer(layer));
    }
    if (batch.samples > 0) {
      logits(stream, batch);
    }
  }

  private void attend(CudaStream stream, BatchLayout batch, AttentionBatch[] owners, int index) {
    final int m = batch.rows;
    final int group = cut.layers().group(index);
    final LayerWeights layer = weights.layer(index);
    final LayerCache pages = cache.layer(cut.layers().slot(index));
    final long qkv = work.qkv.address();
    gemm.project(stream, qkv, work.normed.address(), layer.qkv(), m);
    rows.ropeAndWrite(
        stream,
        qkv,
        pages,
        work.inverseFrequencies.address(),
        owners[group].position(),
        work.batch.address() + 4L * batch.slotAt(group),
        layer.queryNorm(),
        layer.keyNorm(),
        m,
        shape,
        rotaryDim,
        ropeMagnitude,
        config.rmsNormEps());
    attention(stream, batch, owners[group], pages, cut.list(group));
    gemm.addTo(stream, work.hidden.address(), work.attended.address(), layer.output(), m);
  }

  private void attention(
      CudaStream stream, BatchLayout batch, AttentionBatch owners, LayerCache pages, int list) {
    final long block = work.batch.address();
    final long out = work.attended.address();
    final long qkv = work.qkv.address();
    if (batch.items(list) > 0) {
      attention.decode(
          stream,
          owners,
          pages,
          out,
          qkv,
          block + 4L * batch.workAt(list),
          cut.mostItems(),
          work.decodeScratch.address());
    }
    if (batch.prefills(list) > 0) {
      prefill(stream, batch, owners, pages, list);
    }
  }

  private void prefill(
      CudaStream stream, BatchLayout batch, AttentionBatch owners, LayerCache pages, int list) {
    final long items = work.batch.address() + 4L * batch.prefillAt(list);
    final PrefillLaunches launches = batch.launches(list);
    for (int launch = launches.count() - 1; launch >= 0; launch--) { // long items first
      attention.prefill(
          stream,
          owners,
          pages,
          work.attended.address(),
          work.qkv.address(),
          items + 4L * PrefillCut.ITEM_INTS * launches.begin(launch),
          launches.end(launch) - launches.begin(launch),
          cut.mostRecords(),
          work.prefillScratch.address());
    }
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
    norm(stream, layer.postAttentionNorm(), m);
    if (experts != null && layer.experts() != null) {
      experts.enqueue(stream, layer.experts(), positions, m);
    } else if (layer.gateUp() != null && layer.down() != null) {
      dense(stream, m, layer.gateUp(), layer.down());
    }
  }

  private void dense(CudaStream stream, int m, WeightMatrix gateUpWeights, WeightMatrix down) {
    final long gateUp = work.gateUp.address();
    final long inner = work.inner.address();
    gemm.project(stream, gateUp, work.normed.address(), gateUpWeights, m);
    rows.swiglu(stream, inner, gateUp, m, config.intermediateSize());
    gemm.addTo(stream, work.hidden.address(), inner, down, m);
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
        config.rmsNormEps());
    gemm.logits(stream, work.logits.address(), normed, weights.head(), batch.samples);
  }

  private void norm(CudaStream stream, long weight, int m) {
    final long normed = work.normed.address();
    final long hidden = work.hidden.address();
    rows.rmsNorm(stream, normed, hidden, weight, m, config.hiddenSize(), config.rmsNormEps());
  }
}
