package dev.headway.scheduler.contract;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.executor.ExecutorContract;

/** The simulated executor keeps the contract. */
class SimulatedExecutorContractTest extends ExecutorContract {

  @Override
  protected Executor create() {
    return new SimulatedExecutor(
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(33).build())
            .maxNumSeqs(8)
            .vocabularySize(100)
            .maxStepsInFlight(2)
            .build(),
        new LinearLatencyModel(1_000, 10, 10, 0),
        new VirtualClock(),
        1);
  }
}
