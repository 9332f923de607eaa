package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.AttentionBatch;

/**
 * The forward pass over the batch that lies in the workspace: enqueued, or recorded as it is.
 * Device thread only; allocates a small record when the shape of the batch changes.
 */
final class ForwardPass implements Runnable {
  private final CudaStream stream;
  private final Workspace work;
  private final LlamaForward forward;
  private final int maxBlocks;
  private BatchLayout batch = new BatchLayout();
  private AttentionBatch owners;

  /**
   * Makes a pass over an empty batch.
   *
   * @param maxBlocks width of the block tables
   */
  ForwardPass(CudaStream stream, Workspace work, LlamaForward forward, int maxBlocks) {
    this.stream = stream;
    this.work = work;
    this.forward = forward;
    this.maxBlocks = maxBlocks;
    owners = new AttentionBatch(0, 0, work.tables.address(), maxBlocks);
  }

  /** Says what the batch is. */
  void over(BatchLayout batch) {
    this.batch = batch;
    final long block = work.batch.address();
    final long sequence = block + 4L * batch.sequenceAt;
    final long position = block + 4L * batch.positionAt;
    if (owners.sequence() != sequence || owners.position() != position) {
      owners = new AttentionBatch(sequence, position, work.tables.address(), maxBlocks);
    }
  }

  /** Enqueues what comes before it, and is in no recording. */
  void begin() {
    forward.begin(stream);
  }

  /**
   * Enqueues a copy of how many experts have computed in the pass, an {@code int}, summed over the
   * layers.
   *
   * @return false in a model without
   */
  boolean countExperts(PinnedBuffer target) {
    return forward.countExperts(stream, target);
  }

  /** Enqueues it. */
  @Override
  public void run() {
    forward.enqueue(stream, batch, owners);
  }

  /**
   * Enqueues it through the first layers only, until there was one of each kind: those differ in
   * nothing but their addresses.
   */
  void runEachKindOfLayer() {
    forward.enqueue(stream, batch, owners, forward.layersOfEachKind());
  }
}
