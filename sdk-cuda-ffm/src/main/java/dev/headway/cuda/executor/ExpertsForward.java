package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.ExpertKernels;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.kernel.RouterShape;
import dev.headway.executor.model.ExpertRouting;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.ModelConfig;

/**
 * The launches of a layer's experts: from normed states to the residual stream. Router logits and
 * weights are fp32, what an expert makes is rounded to bf16, the sum is rounded once.
 */
final class ExpertsForward {
  private final ModelConfig config;
  private final ExpertsShape shape;
  private final RouterShape router;
  private final ExpertKernels experts;
  private final GatedRows gates;
  private final Gemm gemm;
  private final Workspace work;
  private final ExpertWorkspace own;

  /** Takes the memory of its own. */
  ExpertsForward(
      CudaDevice device,
      ModelConfig config,
      ExpertsShape shape,
      int tokens,
      Kernels kernels,
      Gemm gemm,
      Workspace work) {
    this.config = config;
    this.shape = shape;
    this.router = router(shape);
    this.experts = kernels.experts();
    this.gates = new GatedRows(kernels.rows(), config.family().activation());
    this.gemm = gemm;
    this.work = work;
    this.own = new ExpertWorkspace(device, config, shape, router, tokens);
  }

  /** The shape as the kernels take it. */
  static RouterShape router(ExpertsShape shape) {
    final ExpertRouting routing = shape.routing();
    return new RouterShape(
        shape.experts(),
        shape.expertsPerToken(),
        routing.scoring() == ExpertRouting.Scoring.SIGMOID,
        routing.renormalise(),
        routing.groups(),
        routing.groupsPerToken(),
        (float) routing.scalingFactor());
  }

  /** Enqueues the begin of a step: no expert has computed. */
  void begin(CudaStream stream) {
    stream.fill(own.tiles, ExpertKernels.ACTIVATED_OFFSET, Integer.BYTES, (byte) 0);
  }

  /** Enqueues a copy of how many experts have computed since, summed over the layers. */
  void count(CudaStream stream, PinnedBuffer target) {
    stream.copyToHost(target, 0, own.tiles, ExpertKernels.ACTIVATED_OFFSET, Integer.BYTES);
  }

  /**
   * Enqueues a layer for the normed states of the workspace.
   *
   * @param positions of the rows; no expert computes where one is negative
   */
  void enqueue(CudaStream stream, ExpertWeights layer, long positions, int m) {
    final long normed = work.normed.address();
    final long chosen = own.chosen.address();
    final long weights = own.weights.address();
    final long places = own.places.address();
    final long slots = own.slots.address();
    final long tiles = own.tiles.address();
    final long states = own.states.address();
    final int hidden = config.hiddenSize();
    gemm.logits(stream, own.logits.address(), normed, layer.router(), m);
    experts.route(
        stream, chosen, weights, own.logits.address(), layer.correction(), positions, m, router);
    experts.group(stream, places, slots, tiles, chosen, m, router);
    experts.gather(stream, states, normed, slots, m, hidden, router);
    experts.multiply(stream, own.gateUp.address(), states, layer.gateUp(), tiles, m, router);
    gates.enqueue(
        stream,
        own.inner.address(),
        own.gateUp.address(),
        m * shape.expertsPerToken(),
        shape.intermediateSize());
    experts.multiply(stream, states, own.inner.address(), layer.down(), tiles, m, router);
    experts.combine(
        stream,
        work.hidden.address(),
        states,
        weights,
        places,
        shared(stream, layer, m),
        m,
        hidden,
        router);
  }

  /** Enqueues what all rows have; returns where it will lie, or 0. */
  private long shared(CudaStream stream, ExpertWeights layer, int m) {
    if (layer.sharedGateUp() == null || layer.sharedDown() == null) {
      return 0;
    }
    final long gateUp = work.gateUp.address();
    final long inner = work.inner.address();
    gemm.project(stream, gateUp, work.normed.address(), layer.sharedGateUp(), m);
    gates.enqueue(stream, inner, gateUp, m, shape.sharedIntermediateSize());
    gemm.project(stream, own.shared.address(), inner, layer.sharedDown(), m);
    return own.shared.address();
  }
}
