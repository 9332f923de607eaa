package dev.headway.executor.reference;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.Model;

/**
 * Runs a model in plain Java over the block tables that the scheduler hands out: a {@link
 * HostExecutor} around a {@link ReferenceModel}. Engine thread only, one step at a time.
 */
public final class ReferenceExecutor extends HostExecutor {

  ReferenceExecutor(ReferenceModel model, ExecutorShape shape, NanoClock clock) {
    super("reference", new ReferencePass(model, shape), shape, clock);
  }

  /**
   * Starts an executor. Its weights are copied by {@link ReferenceExecutorBuilder#build}.
   *
   * @param clock the engine's clock; times the parts of a step
   */
  public static ReferenceExecutorBuilder builder(Model model, NanoClock clock) {
    return new ReferenceExecutorBuilder(model, clock);
  }
}
