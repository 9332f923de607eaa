package dev.headway.report.fpm;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.StepTimeline;
import java.util.function.Consumer;

/**
 * Finds the forward passes of a run: executed steps with tokens. One thread.
 *
 * <p>The scheduled part is as it was planned, the queued part as it is when the step completes, and
 * both are joined by the number of the step. Time is the host's.
 *
 * <p>Prefill is what computes prompts or computes again. A preempted request is a queued decode
 * with the context that it must compute again.
 */
public final class ForwardPasses implements RunListener {

  private final Consumer<ForwardPass> consumer;
  private final Runnable flushed;

  /** Hands over each forward pass, and runs {@code flushed} when records are to be flushed. */
  public ForwardPasses(Consumer<ForwardPass> consumer, Runnable flushed) {
    this.consumer = consumer;
    this.flushed = flushed;
  }

  @Override
  public void onStep(StepTimeline step) {
    if (step.wasExecuted() && step.areEntriesKnown() && step.plan().totalTokens() > 0) {
      final long wallNs = step.endNs() - step.plan().beginNs();
      consumer.accept(new ForwardPass(wallNs, ScheduledSums.of(step.entries()), step.run().sums()));
    }
  }

  @Override
  public void flush() {
    flushed.run();
  }
}
