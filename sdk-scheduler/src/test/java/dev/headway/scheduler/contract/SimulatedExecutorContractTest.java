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
        new ExecutorShape(KvCacheShape.builder().blockSize(4).blocks(33).build(), 8, 100, 2),
        new LinearLatencyModel(1_000, 10, 10, 0),
        new VirtualClock(),
        1);
  }
}
