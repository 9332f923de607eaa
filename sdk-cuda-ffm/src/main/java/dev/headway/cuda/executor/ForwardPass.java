package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.kernel.AttentionBatch;

/**
 * The forward pass over the batch that lies in the workspace: enqueued, or recorded as it is.
 * Device thread only; allocates a small record when the shape of the batch changes.
 */
final class ForwardPass implements Runnable {
  /** A row of the table begins where its sequence says, counted from the uploaded block's begin. */
  private static final int PACKED = 1;

  private final CudaStream stream;
  private final Workspace work;
  private final LlamaForward forward;
  private BatchLayout batch = new BatchLayout();
  private AttentionBatch owners = new AttentionBatch(0, 0, 0, PACKED);

  ForwardPass(CudaStream stream, Workspace work, LlamaForward forward) {
    this.stream = stream;
    this.work = work;
    this.forward = forward;
  }

  /** Says what the batch is. */
  void over(BatchLayout batch) {
    this.batch = batch;
    final long block = work.batch.address();
    final long sequence = block + 4L * batch.sequenceAt;
    final long position = block + 4L * batch.positionAt;
    if (owners.sequence() != sequence || owners.position() != position) {
      owners = new AttentionBatch(sequence, position, block, PACKED);
    }
  }

  /** Enqueues it. */
  @Override
  public void run() {
    forward.enqueue(stream, batch, owners);
  }

  /** Enqueues it through one layer only, since layers differ in nothing but their addresses. */
  void runOneLayer() {
    forward.enqueue(stream, batch, owners, 1);
  }
}
