package dev.headway.probes.csv;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.time.VirtualClock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** An executor that takes a thousand nanoseconds a step, unless the next steps were scripted. */
public final class PuppetExecutor implements Executor {

  /** Answers a step; false for no answer in time. */
  interface Answer {
    boolean fill(StepPlan plan, StepOutput output) throws InterruptedException;
  }

  private static final int STEP_NS = 1_000;

  private final ExecutorShape shape;
  private final VirtualClock clock;
  private final Deque<StepPlan> out = new ArrayDeque<>();
  private final Deque<Answer> answers = new ArrayDeque<>();
  private Consumer<StepPlan> onSubmit = plan -> {};
  private int drafts;

  PuppetExecutor(ExecutorShape shape, VirtualClock clock) {
    this.shape = shape;
    this.clock = clock;
  }

  /** Scripts the next answer that was not scripted. */
  void thenAnswer(Answer answer) {
    answers.add(answer);
  }

  /** Proposes so many draft tokens for each request from here on; all will prove wrong. */
  public void proposeDrafts(int count) {
    drafts = count;
  }

  /** What happens at every hand-over from here on. */
  void onSubmit(Consumer<StepPlan> action) {
    onSubmit = action;
  }

  /** What it does by itself. */
  boolean answer(StepPlan plan, StepOutput output) {
    clock.advance(STEP_NS);
    for (int entry = 0; entry < plan.size(); entry++) {
      if (plan.samples(entry)) {
        output.addToken(entry, 100);
        for (int draft = 0; draft < drafts; draft++) {
          output.addDraft(entry, 7);
        }
      }
    }
    return true;
  }

  @Override
  public ExecutorShape shape() {
    return shape;
  }

  @Override
  public void submit(StepPlan plan) {
    onSubmit.accept(plan);
    out.add(plan);
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    final Answer scripted = answers.poll();
    final StepPlan plan = out.getFirst();
    final boolean answered = scripted == null ? answer(plan, output) : scripted.fill(plan, output);
    if (answered) {
      out.removeFirst();
    }
    return answered;
  }

  @Override
  public void close() {}
}
