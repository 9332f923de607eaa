package dev.headway.benchmarks;

import dev.headway.api.probe.Probe;
import java.io.IOException;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Cost of one decode step, schedule and update together: every running request computes and gets
 * one token; prefix caching is on, so every 16th step of a request hashes and stores a block.
 *
 * <p>Each invocation runs 1,000 steps on requests made fresh outside the measurement; {@code
 * allocatedBytes / steps} is what a step allocates.
 */
public class DecodeStepBenchmark extends NanosPerOperation {

  private static final int STEPS = 1_000;
  private static final int PROMPT_TOKENS = 32;
  private static final int MAX_MODEL_LEN = 2_048;

  /** Requests decoding. */
  @Param({"1", "16", "64", "256", "1024"})
  int running;

  /** Requests waiting behind them. */
  @Param({"0"})
  int waiting;

  /**
   * Who listens: none, no-interest, journal-summary, journal-full, journal-debug, live (and
   * discards), live-csv, live-otlp or live-prometheus.
   */
  @Param({"none"})
  String probe = "none";

  private Listener listener = Listener.NONE;
  private SchedulerLoop loop = newLoop(1, 0, Listener.NONE.probe());

  /** What a step allocates: bytes over steps. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Allocation {
    /** Bytes allocated by the measured steps. */
    public long allocatedBytes;

    /** Measured steps. */
    public long steps;
  }

  /** Opens the journal, if one listens. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    listener = Listener.open(probe);
  }

  /** Closes and deletes it. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    listener.close();
  }

  /** Makes the running requests and takes them through their prefill. */
  @Setup(Level.Invocation)
  public void prepare() {
    loop = newLoop(running, waiting, listener.probe());
  }

  private static SchedulerLoop newLoop(int running, int waiting, Probe probe) {
    final int blocks = 2 + running * (PROMPT_TOKENS + STEPS + 64) / SchedulerLoop.BLOCK_SIZE;
    final SchedulerLoop loop =
        new SchedulerLoop(
            SchedulerLoop.config(running, Math.max(8_192, running), MAX_MODEL_LEN), blocks, probe);
    for (int i = 0; i < running; i++) {
      loop.add(PROMPT_TOKENS, MAX_MODEL_LEN);
    }
    while (loop.scheduler.waitingCount() > 0) {
      loop.step();
    }
    for (int i = 0; i < waiting; i++) {
      loop.add(PROMPT_TOKENS, MAX_MODEL_LEN);
    }
    loop.step();
    return loop;
  }

  /** Steps; the score is the time of one. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public int step(Allocation allocation) {
    final SchedulerLoop steps = loop;
    final long before = SchedulerLoop.allocatedBytes();
    int scheduled = 0;
    for (int i = 0; i < STEPS; i++) {
      scheduled += steps.step();
    }
    allocation.allocatedBytes += SchedulerLoop.allocatedBytes() - before;
    allocation.steps += STEPS;
    return scheduled;
  }
}
