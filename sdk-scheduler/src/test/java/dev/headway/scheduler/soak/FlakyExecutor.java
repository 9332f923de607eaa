package dev.headway.scheduler.soak;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.SplittableRandom;

/** Lets one step in a thousand go wrong: refused, failed, or answered late. */
final class FlakyExecutor implements Executor {

  private static final int ONE_IN = 3_000;

  private final Executor executor;
  private final SplittableRandom random;

  FlakyExecutor(Executor executor, long seed) {
    this.executor = executor;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public ExecutorShape shape() {
    return executor.shape();
  }

  @Override
  public void submit(StepPlan plan) {
    if (random.nextInt(ONE_IN) == 0) {
      throw new IllegalStateException("soak: the step was refused");
    }
    executor.submit(plan);
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    if (random.nextInt(ONE_IN) == 0) {
      return false; // the step is still out; the next call answers it
    }
    final boolean answered = executor.await(output, timeoutNs);
    if (answered && random.nextInt(ONE_IN) == 0) {
      throw new IllegalStateException("soak: the step failed");
    }
    return answered;
  }

  @Override
  public void close() {
    executor.close();
  }
}
