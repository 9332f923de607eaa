package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.AttentionBatch;

/**
 * The forward pass over the batch that lies in the workspace: enqueued, or recorded as it is.
 * Device thread only; allocates small records when the shape of the batch changes.
 */
final class ForwardPass implements Runnable {
  private final CudaStream stream;
  private final Workspace work;
  private final LlamaForward forward;
  private final ForwardShape shape;
  private BatchLayout batch;
  private final AttentionBatch[] owners; // by group

  /** Makes a pass over an empty batch. */
  ForwardPass(CudaStream stream, Workspace work, LlamaForward forward, ForwardShape shape) {
    this.stream = stream;
    this.work = work;
    this.forward = forward;
    this.shape = shape;
    batch = new BatchLayout(shape);
    owners = new AttentionBatch[shape.layers().groups()];
    own(0, 0);
  }

  private void own(long sequence, long position) {
    for (int group = 0; group < owners.length; group++) {
      owners[group] =
          new AttentionBatch(
              sequence,
              position,
              work.tables.address() + 4L * group * shape.maxBlocks(),
              shape.tableWidth(),
              shape.layers().window(group));
    }
  }

  /** Says what the batch is. */
  void over(BatchLayout batch) {
    this.batch = batch;
    final long block = work.batch.address();
    final long sequence = block + 4L * batch.sequenceAt;
    final long position = block + 4L * batch.positionAt;
    if (owners[0].sequence() != sequence || owners[0].position() != position) {
      own(sequence, position);
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
