package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.executor.DeviceWeights.LayerWeights;
import dev.headway.cuda.kernel.AttentionBatch;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.AttentionKernels;
import dev.headway.cuda.kernel.LayerCache;
import dev.headway.cuda.kernel.NormTerms;
import dev.headway.cuda.kernel.PrefillCut;
import dev.headway.cuda.kernel.RowKernels;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.RopeConfig;

/**
 * The launches of a layer's attention between its two products: from queries, keys and values as
 * they were projected to what the heads answer, both in the workspace. All keys and values of the
 * batch are written before any row attends.
 */
final class AttentionForward {
  private final ModelConfig config;
  private final ForwardShape cut;
  private final AttentionKernelShape shape;
  private final NormTerms terms;
  private final RowKernels rows;
  private final AttentionKernels kernels;
  private final DeviceWeights weights;
  private final PagedKvCache cache;
  private final Workspace work;

  /** Takes the parts. */
  AttentionForward(
      ModelConfig config,
      ForwardShape cut,
      RowKernels rows,
      AttentionKernels kernels,
      DeviceWeights weights,
      PagedKvCache cache,
      Workspace work) {
    this.config = config;
    this.cut = cut;
    this.shape = cut.attention();
    this.terms = new NormTerms(config.rmsNormEps(), config.family().normOffset());
    this.rows = rows;
    this.kernels = kernels;
    this.weights = weights;
    this.cache = cache;
    this.work = work;
  }

  /** Enqueues that of a layer. */
  void enqueue(CudaStream stream, BatchLayout batch, AttentionBatch[] owners, int index) {
    final int group = cut.layers().group(index);
    final LayerWeights layer = weights.layer(index);
    final LayerCache pages = cache.layer(index);
    final RopeConfig rope = config.ropeOf(index);
    final boolean isLocal = config.windows().windowOf(index) > 0;
    rows.ropeAndWrite(
        stream,
        work.qkv.address(),
        pages,
        work.inverseFrequencies.address() + (isLocal ? Workspace.frequencyBytes(config) : 0),
        owners[group].position(),
        work.batch.address() + 4L * batch.slotAt(group),
        layer.queryNorm(),
        layer.keyNorm(),
        batch.rows,
        shape,
        rope.rotaryDim(shape.headDim()),
        rope.magnitude(),
        terms);
    final int list = cut.list(group);
    if (batch.items(list) > 0) {
      decode(stream, batch, owners[group], pages, layer.sinks(), list);
    }
    if (batch.prefills(list) > 0) {
      prefill(stream, batch, owners[group], pages, layer.sinks(), list);
    }
  }

  private void decode(
      CudaStream stream,
      BatchLayout batch,
      AttentionBatch owners,
      LayerCache pages,
      long sinks,
      int list) {
    kernels.decode(
        stream,
        owners,
        pages,
        work.attended.address(),
        work.qkv.address(),
        sinks,
        work.batch.address() + 4L * batch.workAt(list),
        cut.mostItems(),
        work.decodeScratch.address());
  }

  private void prefill(
      CudaStream stream,
      BatchLayout batch,
      AttentionBatch owners,
      LayerCache pages,
      long sinks,
      int list) {
    final long items = work.batch.address() + 4L * batch.prefillAt(list);
    final PrefillLaunches launches = batch.launches(list);
    for (int launch = launches.count() - 1; launch >= 0; launch--) { // long items first
      kernels.prefill(
          stream,
          owners,
          pages,
          work.attended.address(),
          work.qkv.address(),
          sinks,
          items + 4L * PrefillCut.ITEM_INTS * launches.begin(launch),
          launches.end(launch) - launches.begin(launch),
          cut.mostRecords(),
          work.prefillScratch.address());
    }
  }
}
