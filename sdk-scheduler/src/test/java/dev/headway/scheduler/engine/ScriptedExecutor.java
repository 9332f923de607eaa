package dev.headway.scheduler.engine;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * An executor that answers token {@code 100 + n} for output {@code n}, at once, unless the next
 * steps were scripted otherwise.
 */
final class ScriptedExecutor implements Executor {

  /** Answers an {@code await}. */
  interface Answer {
    boolean fill(StepPlan plan, StepOutput output, long timeoutNs) throws InterruptedException;
  }

  final AtomicInteger submits = new AtomicInteger();
  final AtomicInteger closes = new AtomicInteger();
  private final ExecutorShape shape;
  private final Deque<Answer> answers = new ArrayDeque<>();
  private final Deque<Consumer<StepPlan>> submissions = new ArrayDeque<>();
  private volatile Answer otherwise = (plan, output, timeoutNs) -> answer(plan, output);
  private Runnable onClose = () -> {};
  private StepPlan out;

  ScriptedExecutor(ExecutorShape shape) {
    this.shape = shape;
  }

  /** What the executor does by itself. */
  static boolean answer(StepPlan plan, StepOutput output) {
    for (int entry = 0; entry < plan.size(); entry++) {
      if (plan.samples(entry)) {
        output.addToken(entry, 100 + plan.request(entry).outputTokens());
      }
    }
    return true;
  }

  /** Scripts the next {@code await} that was not scripted. */
  ScriptedExecutor thenAwait(Answer answer) {
    answers.add(answer);
    return this;
  }

  /** Scripts every {@code await} behind the script. */
  ScriptedExecutor alwaysAwait(Answer answer) {
    otherwise = answer;
    return this;
  }

  /** Scripts the next {@code submit} that was not scripted. */
  ScriptedExecutor thenSubmit(Consumer<StepPlan> submission) {
    submissions.add(submission);
    return this;
  }

  ScriptedExecutor onClose(Runnable action) {
    onClose = action;
    return this;
  }

  @Override
  public ExecutorShape shape() {
    return shape;
  }

  @Override
  public void submit(StepPlan plan) {
    submits.incrementAndGet();
    final Consumer<StepPlan> scripted = submissions.poll();
    if (scripted != null) {
      scripted.accept(plan);
    }
    out = plan;
  }

  @Override
  public Map<String, String> attributes() {
    return Map.of("hardware", "script", "seed", "no run's");
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    final Answer scripted = answers.poll();
    return (scripted != null ? scripted : otherwise).fill(out, output, timeoutNs);
  }

  @Override
  public void close() {
    closes.incrementAndGet();
    onClose.run();
  }
}
