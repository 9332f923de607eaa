package dev.headway.api.executor;

import dev.headway.api.request.Request;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs the model: takes step plans, returns sampled tokens.
 *
 * <p>The engine thread calls everything here but {@link #refuse} and {@link #kvBlockAccess}. Plans
 * arrive in step order and must be run and answered in that order: blocks of an ended request can
 * be reused by later steps while its own step is still in flight. A synchronous executor does its
 * work in {@link #await}, or in {@link #submit}; a remote one sends in {@code submit} and receives
 * in {@code await}.
 *
 * <p>An executor writes the KV of an entry to the blocks of its table before any later read of the
 * same step or a later step: a request may share a full block that another request of the same step
 * computes, so within a layer all writes come before all reads.
 *
 * <p>An executor whose shape has host blocks performs the block operations before it computes, in
 * the order of {@link dev.headway.api.step.BlockOperations}: all saves from the device to the host,
 * then all loads the other way, then zeroing, then copies. A block can be saved and loaded in one
 * step: the save gets what it held before. The saves of a step come after everything that earlier
 * steps write, and a later step may overwrite a host block that this one loads from, so transfers
 * on a separate stream must be ordered after the previous step and before the next. An answered
 * step implies that its transfers are done; report a failed transfer by an exception, which fails
 * the whole step.
 *
 * <p>An exception from either method fails the requests of that step and nothing else; the engine
 * then continues or stops, as configured ({@code ExecutorFailurePolicy}). Throwing also asserts
 * that the executor no longer writes this step's KV: its blocks are reused immediately. An executor
 * that cannot guarantee that, for example after a broken connection, does not throw: it returns
 * false from {@link #await} until it can, and the blocks stay in quarantine. An {@link
 * ExecutorLostException} says that no step can run any more, and stops the engine.
 */
public interface Executor extends AutoCloseable {

  /** What this executor can hold. Constant. */
  ExecutorShape shape();

  /** A short name for logs, journals and reports. */
  default String name() {
    return getClass().getSimpleName();
  }

  /**
   * What journals say of what it runs on, by the names of a run's attributes: {@code hardware},
   * libraries. Constant; those that the embedder sets win.
   *
   * <p>Two say where the time of a step jumps, and are read by who learns step times: {@code
   * batch_sizes}, the numbers of requests that a batch of decodes is filled up to, as {@code 1 2 4
   * 8}, and {@code product_rows}, the numbers of rows from which other kernels multiply with
   * weights.
   */
  default Map<String, String> attributes() {
    return Map.of();
  }

  /**
   * The bytes of its KV blocks, for a KV connector. Any thread. Constant.
   *
   * @return null, as by default, if they cannot be reached from outside
   */
  default @Nullable KvBlockAccess kvBlockAccess() {
    return null;
  }

  /**
   * Says why a request can never run here; an engine then rejects it at submission. Any thread,
   * unlike the other methods.
   *
   * @return what it must not ask for, with its id; null if it can run
   */
  default @Nullable String refuse(Request request) {
    return null;
  }

  /**
   * Takes over a step. Returns without waiting for the model if it can; copies what it needs of the
   * requests and block tables, since they change afterwards.
   *
   * <p>Empty plans are submitted only when requests have ended since the plan before, so that the
   * executor can drop their state, or when blocks are to be saved, loaded or copied.
   *
   * @throws IllegalStateException if it is closed: a step that nothing runs would never be answered
   */
  void submit(StepPlan plan);

  /**
   * Waits for the oldest step not yet answered and fills {@code output}: one token for each entry
   * with {@link StepPlan#samples} and one more for each draft token accepted, none for the others.
   *
   * @param output already begun for that step; filled on this thread
   * @param timeoutNs longest wait, in nanoseconds of the engine's clock, > 0
   * @return false if the time passed without an answer, or at once if none can come for now, with
   *     {@link StepOutput#unanswered} saying why; the step is still out
   * @throws InterruptedException if the thread was interrupted; the step is still out
   */
  boolean await(StepOutput output, long timeoutNs) throws InterruptedException;

  /** Ends every step in flight and frees memory. Called once, last. */
  @Override
  void close();
}
