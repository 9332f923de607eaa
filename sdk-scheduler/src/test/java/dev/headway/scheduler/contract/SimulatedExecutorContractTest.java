package dev.headway.scheduler.contract;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.executor.ExecutorContract;
import java.util.concurrent.TimeUnit;

/** The simulated executor keeps the contract. */
class SimulatedExecutorContractTest extends ExecutorContract {

  @Override
  protected Executor create() {
    return create(1_000, new VirtualClock());
  }

  /** On the machine's clock, where a wait is one. */
  @Override
  protected Executor createLate() {
    return create(TimeUnit.SECONDS.toNanos(10), new SystemNanoClock());
  }

  private static Executor create(long stepNs, NanoClock clock) {
    return new SimulatedExecutor(
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(33).build())
            .maxNumSeqs(8)
            .vocabularySize(100)
            .maxStepsInFlight(2)
            .build(),
        new LinearLatencyModel(stepNs, 10, 10, 0),
        clock,
        1);
  }
}
