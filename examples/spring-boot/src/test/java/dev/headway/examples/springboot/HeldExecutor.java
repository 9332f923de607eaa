package dev.headway.examples.springboot;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.concurrent.locks.LockSupport;

/** An executor whose steps can be held up. */
final class HeldExecutor implements Executor {
  private final Executor executor;
  private volatile boolean held;

  HeldExecutor(Executor executor) {
    this.executor = executor;
  }

  void hold() {
    held = true;
  }

  void release() {
    held = false;
  }

  @Override
  public ExecutorShape shape() {
    return executor.shape();
  }

  @Override
  public void submit(StepPlan step) {
    executor.submit(step);
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    while (held) {
      LockSupport.parkNanos(1_000_000);
    }
    return executor.await(output, timeoutNs);
  }

  @Override
  public void close() {
    executor.close();
  }
}
