package dev.headway.cuda.reference;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.time.NanoClock;
import dev.headway.cuda.model.Model;

/**
 * Runs a model in plain Java over the block tables that the scheduler hands out: a {@link
 * HostExecutor} around a {@link ReferenceModel}. Engine thread only, one step at a time.
 */
public final class ReferenceExecutor implements Executor {

  private final HostExecutor steps;

  ReferenceExecutor(ReferenceModel model, ExecutorShape shape, NanoClock clock) {
    final PagedKv kv =
        new PagedKv(
            model.config(),
            shape.kvCache().blockSize(),
            shape.kvCache().numBlocks(),
            shape.hostBlocks());
    this.steps = new HostExecutor("reference", new ReferencePass(model, kv), shape, clock);
  }

  /**
   * Starts an executor. Its weights are copied by {@link ReferenceExecutorBuilder#build}.
   *
   * @param clock the engine's clock; times the parts of a step
   */
  public static ReferenceExecutorBuilder builder(Model model, NanoClock clock) {
    return new ReferenceExecutorBuilder(model, clock);
  }

  @Override
  public ExecutorShape shape() {
    return steps.shape();
  }

  @Override
  public String name() {
    return steps.name();
  }

  @Override
  public void submit(StepPlan plan) {
    steps.submit(plan);
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) {
    return steps.await(output, timeoutNs);
  }

  @Override
  public void close() {
    steps.close();
  }
}
