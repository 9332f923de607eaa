package dev.headway.simulation.run;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.request.Request;
import dev.headway.api.time.NanoClock;
import dev.headway.simulation.workload.PromptTokens;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Drives an engine through a workload: requests are handed over when they are due, and while there
 * is nothing to do it waits for the next arrival. In virtual time, time passes inside the steps and
 * a wait is a jump; on the wall clock all takes as long as it takes. A request that falls due
 * during a step is handed over after it, with the instant at which it was due.
 *
 * <p>A request that is to be aborted is so after the step in which that falls. Keeps no prompt, and
 * handles of requests to be aborted only: what is alive is the engine's. One thread.
 */
public final class WorkloadDriver {

  /** Submissions between two steps; what is due beyond that goes into the step after. */
  public static final int MOST_PER_STEP = 65_536;

  private static final int CYCLES_PER_PROGRESS = 1_024;

  /** When a request is given up. */
  private record Abort(long atNs, RequestHandle handle) {}

  private final Engine engine;
  private final NanoClock clock;
  private final Workload workload;
  private final PromptTokens prompts;
  private final LoadRequests requests = new LoadRequests();
  private final PriorityQueue<Abort> aborts =
      new PriorityQueue<>(Comparator.comparingLong(Abort::atNs));
  private Consumer<WorkloadRequest> onSubmitted = request -> {};
  private UnaryOperator<Request.Builder> refine = request -> request;
  private long arrivalToQueueNs;
  private @Nullable WorkloadRequest next;
  private long startNs;
  private long stepsNs;

  /**
   * Makes a driver.
   *
   * @param engine on {@code clock}, not started, with a submission queue of at least {@link
   *     #MOST_PER_STEP}
   */
  public WorkloadDriver(Engine engine, NanoClock clock, Workload workload, PromptTokens prompts) {
    this.engine = engine;
    this.clock = clock;
    this.workload = workload;
    this.prompts = prompts;
  }

  /**
   * Tells of requests.
   *
   * @param listener called with every request before it is submitted
   * @return this
   */
  public WorkloadDriver onSubmitted(Consumer<WorkloadRequest> listener) {
    onSubmitted = listener;
    return this;
  }

  /**
   * Adds to requests what workloads do not say.
   *
   * @param settings sets it
   * @return this
   */
  public WorkloadDriver refine(UnaryOperator<Request.Builder> settings) {
    refine = settings;
    return this;
  }

  /**
   * Hands requests over later than they arrive: what a server does before its queue.
   *
   * @param ns from the arrival of each request, >= 0
   * @return this
   */
  public WorkloadDriver withArrivalToQueue(long ns) {
    if (ns < 0) {
      throw new IllegalArgumentException("arrivalToQueueNs must be >= 0: arrivalToQueueNs=" + ns);
    }
    arrivalToQueueNs = ns;
    return this;
  }

  /**
   * Runs until the workload is exhausted and every request has ended.
   *
   * @param onProgress called now and then
   * @throws SimulationException if requests are alive and nothing can ever progress
   */
  public void run(Runnable onProgress) {
    startNs = clock.nanoTime(); // the workload begins now
    next = workload.next();
    for (long cycle = 1; ; cycle++) {
      submitDue();
      abortDue();
      if (cycle % CYCLES_PER_PROGRESS == 0) {
        onProgress.run();
      }
      if (step()) {
        continue;
      }
      final long dueNs = nextDueNs();
      if (dueNs == Long.MAX_VALUE) {
        break;
      }
      clock.sleepUntil(dueNs);
    }
    onProgress.run();
    requireAllEnded();
  }

  private boolean step() {
    final long beginNs = System.nanoTime();
    final boolean didSomething = engine.step();
    stepsNs += System.nanoTime() - beginNs;
    return didSomething;
  }

  /** When the workload began, on its clock: what its arrivals are counted from. */
  public long startNs() {
    return startNs;
  }

  /** Real time spent in the engine's steps, in nanoseconds. */
  public long stepsNs() {
    return stepsNs;
  }

  private void submitDue() {
    for (int i = 0; i < MOST_PER_STEP && next != null && dueNs(next) <= clock.nanoTime(); i++) {
      onSubmitted.accept(next);
      final RequestHandle handle =
          engine.submit(requestOf(next), TokenListener.NONE, startNs + next.arrivalNs());
      if (next.abortAfterNs() != WorkloadRequest.NO_ABORT) {
        aborts.add(new Abort(startNs + next.arrivalNs() + next.abortAfterNs(), handle));
      }
      next = workload.next();
    }
  }

  /** When there is something to do again if no step can run. */
  private long nextDueNs() {
    while (!aborts.isEmpty() && aborts.element().handle.isDone()) {
      aborts.remove();
    }
    final long arrivalNs = next == null ? Long.MAX_VALUE : dueNs(next);
    final long deadlineNs = engine.nextDeadlineNs();
    final long dueNs = deadlineNs == ABSENT ? arrivalNs : Math.min(arrivalNs, deadlineNs);
    return aborts.isEmpty() ? dueNs : Math.min(dueNs, aborts.element().atNs);
  }

  private long dueNs(WorkloadRequest request) {
    return startNs + request.arrivalNs() + arrivalToQueueNs;
  }

  private void abortDue() {
    for (Abort first = aborts.peek();
        first != null && (first.atNs <= clock.nanoTime() || first.handle.isDone());
        first = aborts.peek()) {
      aborts.remove();
      first.handle.cancel();
    }
  }

  private Request requestOf(WorkloadRequest row) {
    return refine.apply(requests.of(row, prompts.of(row))).build();
  }

  private void requireAllEnded() {
    final EngineStats stats = engine.stats();
    if (stats.waiting() + stats.running() > 0) {
      throw new SimulationException(
          "the run makes no progress: no step can run and no request is to come: waiting="
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
