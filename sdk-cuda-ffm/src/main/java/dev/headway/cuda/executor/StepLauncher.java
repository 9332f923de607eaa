package dev.headway.cuda.executor;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.device.CudaStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The work of a step on the device, in the order of one stream. Device thread only.
 *
 * <p>Allocates nothing per step but a small record when the shape of the batch changes, and
 * log-probabilities.
 */
final class StepLauncher {
  private final CudaStream stream;
  private final Workspace work;
  private final PagedKvCache cache;
  private final ForwardPass forward;
  private final TokenChoice choice;
  private final GraphCache graphs;
  private final DeviceWatch watch;
  private final BlasLt library;
  private long tables = BlockTables.NOTHING; // their state on the device

  StepLauncher(
      CudaStream stream,
      Workspace work,
      PagedKvCache cache,
      ForwardPass forward,
      TokenChoice choice,
      GraphCache graphs,
      DeviceWatch watch,
      BlasLt library) {
    this.stream = stream;
    this.work = work;
    this.cache = cache;
    this.forward = forward;
    this.choice = choice;
    this.graphs = graphs;
    this.watch = watch;
    this.library = library;
  }

  /**
   * Enqueues all of a step; returns before it is done.
   *
   * @throws IllegalStateException if changes of block tables never came here that the step needs
   */
  void enqueue(StepSlot slot) {
    final BatchPlan plan = slot.plan;
    final int plans = library.plans();
    stream.record(slot.begun);
    upload(slot);
    choice.upload(stream, slot);
    cache.workOnBlocks(stream, plan.blockOperations);
    stream.record(slot.uploaded);
    forward.begin();
    if (plan.layout.rows > 0) {
      requireTables(plan); // a context that is lost has said so by now
      forward.over(plan.layout);
      if (plan.isReplayable()) {
        graphs.run(stream, plan.layout.rows, forward);
      } else {
        forward.run();
      }
      tables = plan.makesTables();
    }
    slot.countsExperts = forward.countExperts(slot.activatedExperts);
    stream.record(slot.forwarded);
    choice.enqueue(stream, slot);
    stream.record(slot.done);
    slot.results.firstOfKind = library.plans() > plans;
  }

  private void requireTables(BatchPlan plan) {
    if (plan.needsTables() != BlockTables.NOTHING && plan.needsTables() != tables) {
      throw new IllegalStateException(
          "its block tables build on changes of a step before, which failed: neededState="
              + plan.needsTables()
              + ", state="
              + tables
              + "; the next step sends whole tables");
    }
  }

  private void upload(StepSlot slot) {
    final int ints = slot.plan.layout.end;
    if (ints > 0) {
      MemorySegment.copy(slot.plan.data(), 0, slot.batch.segment(), ValueLayout.JAVA_INT, 0, ints);
      stream.copyToDevice(work.batch, 0, slot.batch, 0, 4L * ints);
    }
  }

  /** Waits for a step and takes its results out. */
  void finish(StepSlot slot) {
    watch.look(slot.results); // while the device works
    slot.done.synchronize();
    slot.finish();
  }

  /** Waits until nothing of any step is left on the device. */
  void drain() {
    stream.synchronize();
  }
}
