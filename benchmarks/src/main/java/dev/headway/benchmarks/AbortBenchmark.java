package dev.headway.benchmarks;

import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;

/** Ends requests at random places of a queue of 100,000. */
public class AbortBenchmark extends NanosPerOperation {

  private static final int QUEUED = 100_000;
  private static final int ABORTS = 10_000;

  private final SchedulerLoop loop =
      new SchedulerLoop(SchedulerLoop.config(1, 1_024, 1_024), 1_024, new Probe() {});
  private final List<RequestView> queued = new ArrayList<>();
  private final Random random = new Random(1);

  /** Fills the queue up again, outside the measurement. */
  @Setup(Level.Invocation)
  public void prepare() {
    while (queued.size() < QUEUED) {
      queued.add(loop.add(16, 16));
    }
    Collections.shuffle(queued, random);
  }

  /** Aborts; the score is the time of one. */
  @Benchmark
  @OperationsPerInvocation(ABORTS)
  public long abort() {
    for (int i = 0; i < ABORTS; i++) {
      loop.scheduler.finish(queued.removeLast(), FinishReason.ABORTED, null);
    }
    return loop.finished;
  }
}
