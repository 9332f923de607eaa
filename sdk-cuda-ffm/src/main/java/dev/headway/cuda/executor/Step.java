package dev.headway.cuda.executor;

import dev.headway.cuda.CudaException;
import org.jspecify.annotations.Nullable;

/**
 * One of the steps in flight; reused. The engine thread has it until it posts {@link #enqueue} and
 * again when it {@link #isAnswered}; the device thread has it between.
 */
final class Step implements DeviceThread.Awaited {
  final BatchPlan plan;
  final StepResults results;
  final Runnable enqueue = this::enqueue;
  final Runnable finish = this::finish;

  private final StepSlot slot;
  private final StepLauncher launcher;
  private long stepId;
  private boolean finishPosted;
  private @Nullable Throwable failure;
  private volatile boolean answered;

  Step(BatchPlan plan, StepResults results, StepSlot slot, StepLauncher launcher) {
    this.plan = plan;
    this.results = results;
    this.slot = slot;
    this.launcher = launcher;
  }

  /** Engine thread: takes it for a step. */
  void begin(long stepId) {
    this.stepId = stepId;
    finishPosted = false;
    failure = null;
    answered = false;
  }

  @Override
  public long stepId() {
    return stepId;
  }

  /** Engine thread: whether {@link #finish} is still to be posted; true once. */
  boolean needsFinish() {
    final boolean first = !finishPosted;
    finishPosted = true;
    return first;
  }

  private void enqueue() {
    try {
      launcher.enqueue(slot);
    } catch (Throwable t) {
      failure = t;
    }
  }

  private void finish() {
    try {
      if (failure == null) {
        launcher.finish(slot);
      }
    } catch (Throwable t) {
      failure = t;
    }
    if (failure != null) {
      drain(failure);
    }
    answered = true;
  }

  /** The engine reuses the blocks of a step that failed: nothing may write them any more. */
  private void drain(Throwable cause) {
    try {
      launcher.drain();
    } catch (CudaException e) {
      if (e != cause) {
        cause.addSuppressed(e); // a lost context writes nothing
      }
    }
  }

  /** Any thread: whether the results, or the failure, can be read. */
  @Override
  public boolean isAnswered() {
    return answered;
  }

  /** Why the step failed, once it is answered; null if it did not. */
  @Nullable Throwable failure() {
    return failure;
  }
}
