package dev.headway.simulation.run;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.workload.PromptTokens;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Drives an engine through a workload in virtual time: requests are handed over when they are due,
 * time passes inside the steps, and jumps to the next arrival while there is nothing to do.
 *
 * <p>Keeps no handle and no prompt: what is alive is the engine's. One thread.
 */
public final class VirtualTimeDriver {

  /** Submissions between two steps; what is due beyond that goes into the step after. */
  public static final int MOST_PER_STEP = 65_536;

  private static final int CYCLES_PER_PROGRESS = 1_024;

  private final Engine engine;
  private final VirtualClock clock;
  private final Workload workload;
  private final PromptTokens prompts;
  private final Consumer<WorkloadRequest> onSubmitted;
  private final UnaryOperator<Request.Builder> refine;
  private @Nullable WorkloadRequest next;
  private long stepsNs;

  /**
   * Makes a driver.
   *
   * @param engine in virtual time, with a submission queue of at least {@link #MOST_PER_STEP}
   * @param onSubmitted called with every request before it is submitted
   */
  public VirtualTimeDriver(
      Engine engine,
      VirtualClock clock,
      Workload workload,
      PromptTokens prompts,
      Consumer<WorkloadRequest> onSubmitted) {
    this(engine, clock, workload, prompts, onSubmitted, request -> request);
  }

  /**
   * Makes a driver that adds to requests what workloads do not say.
   *
   * @param refine sets it
   */
  public VirtualTimeDriver(
      Engine engine,
      VirtualClock clock,
      Workload workload,
      PromptTokens prompts,
      Consumer<WorkloadRequest> onSubmitted,
      UnaryOperator<Request.Builder> refine) {
    this.refine = refine;
    this.engine = engine;
    this.clock = clock;
    this.workload = workload;
    this.prompts = prompts;
    this.onSubmitted = onSubmitted;
  }

  /**
   * Runs until the workload is exhausted and every request has ended.
   *
   * @param onProgress called now and then
   * @throws SimulationException if requests are alive and nothing can ever progress
   */
  public void run(Runnable onProgress) {
    next = workload.next();
    for (long cycle = 1; ; cycle++) {
      submitDue();
      if (cycle % CYCLES_PER_PROGRESS == 0) {
        onProgress.run();
      }
      if (step()) {
        continue;
      }
      if (next == null) {
        break;
      }
      clock.sleepUntil(next.arrivalNs());
    }
    onProgress.run();
    requireAllEnded();
  }

  private boolean step() {
    final long startNs = System.nanoTime();
    final boolean didSomething = engine.step();
    stepsNs += System.nanoTime() - startNs;
    return didSomething;
  }

  /** Real time spent in the engine's steps, in nanoseconds. */
  public long stepsNs() {
    return stepsNs;
  }

  private void submitDue() {
    for (int i = 0;
        i < MOST_PER_STEP && next != null && next.arrivalNs() <= clock.nanoTime();
        i++) {
      onSubmitted.accept(next);
      engine.submit(requestOf(next), TokenListener.NONE, next.arrivalNs());
      next = workload.next();
    }
  }

  private Request requestOf(WorkloadRequest row) {
    final Request.Builder request =
        Request.builder(row.requestId(), prompts.of(row))
            .stopRule(StopRule.maxTokens(row.outputTokens()))
            .priority(row.priority());
    if (row.tenant() != null) {
      request.tenant(row.tenant());
    }
    return refine.apply(request).build();
  }

  private void requireAllEnded() {
    final EngineStats stats = engine.stats();
    if (stats.waiting() + stats.running() > 0) {
      throw new SimulationException(
          "the run stands still: no step can progress and no request is to come: waiting="
              + stats.waiting()
              + ", running="
              + stats.running()
              + ", finished="
              + stats.finished()
              + ", steps="
              + stats.steps()
              + ", simulatedNs="
              + clock.nanoTime()
              + "; more KV blocks (--num-blocks) or a smaller --watermark may help");
    }
  }
}
