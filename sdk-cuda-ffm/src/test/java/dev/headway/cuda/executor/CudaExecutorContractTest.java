package dev.headway.cuda.executor;

import dev.headway.api.executor.Executor;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.executor.ExecutorContract;
import org.junit.jupiter.api.BeforeEach;

/** The CUDA executor keeps the contract. */
@OnCudaDriver
class CudaExecutorContractTest extends ExecutorContract {

  @BeforeEach
  void workOnlyWhenSomebodyWaits() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
  }

  @Override
  protected Executor create() {
    return CudaExecutor.builder(
            Model.random(TestModels.tiny(ModelFamily.QWEN3), 11), new SystemNanoClock())
        .blockSize(4)
        .kvBlocks(16)
        .hostBlocks(2)
        .maxNumSeqs(4)
        .maxNumBatchedTokens(64)
        .maxModelLen(48)
        .stepsInFlight(2)
        .build();
  }

  @Override
  protected boolean computesTokens() {
    return true;
  }
}
