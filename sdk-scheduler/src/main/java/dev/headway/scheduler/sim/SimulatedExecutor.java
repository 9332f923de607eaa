package dev.headway.scheduler.sim;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.time.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * An executor without a model: a step takes as long as its {@link LatencyModel} says, on whatever
 * clock it is given, and tokens come from a generator.
 *
 * <p>Deterministic: a token depends on the seed, the request's id and its position among the
 * outputs, so chunking, batching and preemption never change it. One step at a time. Allocates
 * nothing once warm.
 */
public final class SimulatedExecutor implements Executor {

  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

  private final ExecutorShape shape;
  private final LatencyModel latency;
  private final NanoClock clock;
  private final long seed;
  private @Nullable StepPlan plan;
  private long stepNs;
  private long doneNs;

  /**
   * Makes an executor.
   *
   * @param shape what it claims to hold
   * @param latency how long its steps take
   * @param clock the engine's clock
   * @param seed equal seeds make equal tokens
   */
  public SimulatedExecutor(ExecutorShape shape, LatencyModel latency, NanoClock clock, long seed) {
    this.shape = shape;
    this.latency = latency;
    this.clock = clock;
    this.seed = seed;
  }

  @Override
  public ExecutorShape shape() {
    return shape;
  }

  @Override
  public String name() {
    return "simulated";
  }

  @Override
  public void submit(StepPlan step) {
    if (plan != null) {
      throw new IllegalStateException(
          "one step at a time: out=" + plan.stepId() + ", submitted=" + step.stepId());
    }
    plan = step;
    stepNs = latency.stepNs(step);
    doneNs = clock.nanoTime() + stepNs;
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    final StepPlan step = plan;
    if (step == null) {
      throw new IllegalStateException("no step is out");
    }
    final long nowNs = clock.nanoTime();
    clock.sleepUntil(doneNs - nowNs > timeoutNs ? nowNs + timeoutNs : doneNs);
    if (clock.nanoTime() < doneNs) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      return false;
    }
    plan = null;
    for (int entry = 0; entry < step.size(); entry++) {
      if (step.samples(entry)) {
        output.addToken(entry, tokenFor(step, entry));
      }
    }
    output.timing(StepOutput.ABSENT, stepNs, StepOutput.ABSENT);
    return true;
  }

  private int tokenFor(StepPlan step, int entry) {
    final long position = step.request(entry).outputTokens();
    final long mixed =
        mix(seed ^ mix(step.request(entry).id().hashCode() + GOLDEN_GAMMA * position));
    return (int) Long.remainderUnsigned(mixed, shape.vocabularySize());
  }

  /** The finaliser of SplitMix64 (Steele, Lea, Flood 2014). */
  private static long mix(long value) {
    long z = value + GOLDEN_GAMMA;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  @Override
  public void close() {
    plan = null;
  }
}
