package dev.headway.executor.vector;

import dev.headway.api.executor.Executor;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.executor.ExecutorContract;

/** The vector executor keeps the contract. */
class VectorExecutorContractTest extends ExecutorContract {

  @Override
  protected Executor create() {
    return VectorExecutor.builder(
            Model.random(TestModels.tiny(ModelFamily.QWEN3), 11), new SystemNanoClock())
        .blockSize(4)
        .numBlocks(16)
        .hostBlocks(2)
        .threads(2)
        .build();
  }

  @Override
  protected boolean computesTokens() {
    return true;
  }
}
