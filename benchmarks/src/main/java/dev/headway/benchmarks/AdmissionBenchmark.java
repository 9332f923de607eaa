package dev.headway.benchmarks;

import dev.headway.api.probe.Probe;
import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A request of 1,024 prompt tokens and one output from add to end: queue, prefix lookup, hashing of
 * 64 blocks, allocation, one step, stop, release. Cold prompts share nothing; hit prompts find all
 * they can.
 */
public class AdmissionBenchmark extends NanosPerOperation {

  private static final int REQUESTS = 256;
  private static final int PROMPT_TOKENS = 1_024;

  /** Whether prompts are all new or all known. */
  @Param({"cold", "hit"})
  String prompts = "cold";

  /** Blocks of the pool; with 262,144 the index is larger than a core's caches. */
  @Param({"30720", "262144"})
  int poolBlocks = 30_720;

  /** Who listens; see {@link DecodeStepBenchmark}. */
  @Param({"none"})
  String probe = "none";

  private Listener listener = Listener.NONE;
  private SchedulerLoop loop = newLoop(Listener.NONE.probe(), 64);
  private final int[][] prepared = new int[REQUESTS][PROMPT_TOKENS];
  private int generation;

  private static SchedulerLoop newLoop(Probe probe, int poolBlocks) {
    return new SchedulerLoop(SchedulerLoop.config(256, 65_536, 2_048), poolBlocks, probe);
  }

  /** Opens what listens. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    listener = Listener.open(probe);
    loop = newLoop(listener.probe(), poolBlocks);
  }

  /** Closes it. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    listener.close();
  }

  /** Writes the prompts, outside the measurement. */
  @Setup(Level.Invocation)
  public void prepare() {
    if (prompts.equals("cold")) {
      generation++;
    }
    for (int i = 0; i < REQUESTS; i++) {
      for (int t = 0; t < PROMPT_TOKENS; t++) {
        prepared[i][t] = (generation * 31 + i * 17 + t) & 0x7fff_ffff;
      }
      prepared[i][0] = generation * REQUESTS + i;
    }
  }

  /** Runs the requests; the score is the time of one. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public long admit() {
    for (int[] prompt : prepared) {
      loop.add(prompt, 1);
    }
    while (loop.scheduler.waitingCount() > 0 || loop.scheduler.runningCount() > 0) {
      loop.step();
    }
    return loop.finished;
  }
}
