package dev.headway.benchmarks;

import dev.headway.api.probe.Probe;
import dev.headway.api.schedule.SchedulerStats;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * 1,024 requests of 1,024 prompt tokens and 256 outputs, at most 256 of them running, from the
 * first step to the last, with memory for all that may run (100 %) and with less. The score is what
 * scheduling costs per generated token; the counters say what the shortage does: preemptions,
 * tokens computed again, bytes allocated.
 */
public class ClosedLoopBenchmark extends NanosPerOperation {

  private static final int REQUESTS = 1_024;
  private static final int PROMPT_TOKENS = 1_024;
  private static final int OUTPUT_TOKENS = 256;
  private static final int MAX_RUNNING = 256;
  private static final int TOKENS = PROMPT_TOKENS + OUTPUT_TOKENS;
  private static final int WORST_CASE_BLOCKS = MAX_RUNNING * TOKENS / SchedulerLoop.BLOCK_SIZE;

  /** The last output is sampled and never computed. */
  private static final long FEWEST_COMPUTED = (long) REQUESTS * (TOKENS - 1);

  /** Memory, in percent of what 256 whole requests take. */
  @Param({"100", "60", "30"})
  int poolPercent = 100;

  /** Decisions that are replaced, joined by +; "default" for none. */
  @Param({"default", "least-computed", "new-token-ratio", "no-evict"})
  String policies = "default";

  private SchedulerLoop loop = newLoop(100, "default");

  /** What a run of the loop does. Ratios are for readers: of preemptions over requests, say. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Counters {
    /** Requests served. */
    public long requests;

    /** Steps run. */
    public long steps;

    /** Bytes allocated by the measured steps. */
    public long allocatedBytes;

    /** Requests preempted. */
    public long preemptions;

    /** Tokens computed. */
    public long computedTokens;

    /** Those of them computed before. */
    public long recomputedTokens;
  }

  private static SchedulerLoop newLoop(int poolPercent, String policies) {
    return new SchedulerLoop(
        SchedulerLoop.config(MAX_RUNNING, 8_192, TOKENS),
        1 + WORST_CASE_BLOCKS * poolPercent / 100,
        new Probe() {},
        policies.equals("default") ? "" : policies);
  }

  /** Makes the scheduler; it stays, and gets warm. */
  @Setup(Level.Trial)
  public void make() {
    loop = newLoop(poolPercent, policies);
  }

  /** Queues the requests, outside the measurement. */
  @Setup(Level.Invocation)
  public void queue() {
    for (int i = 0; i < REQUESTS; i++) {
      loop.add(PROMPT_TOKENS, OUTPUT_TOKENS);
    }
  }

  /** Runs them; the score is the time per generated token. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS * OUTPUT_TOKENS)
  public long serve(Counters counters) {
    final SchedulerLoop steps = loop;
    final SchedulerStats before = steps.scheduler.stats();
    final long computedBefore = steps.computedTokens;
    final long finishedBefore = steps.finished;
    final long bytesBefore = SchedulerLoop.allocatedBytes();
    while (steps.finished - finishedBefore < REQUESTS) {
      steps.step();
    }
    counters.allocatedBytes += SchedulerLoop.allocatedBytes() - bytesBefore;
    final SchedulerStats after = steps.scheduler.stats();
    final long computed = steps.computedTokens - computedBefore;
    counters.requests += REQUESTS;
    counters.steps += after.steps() - before.steps();
    counters.preemptions += after.preemptions() - before.preemptions();
    counters.computedTokens += computed;
    counters.recomputedTokens += computed - FEWEST_COMPUTED;
    return computed;
  }
}
