package dev.headway.executor.reference;

import dev.headway.api.executor.Executor;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.executor.ExecutorContract;

/** The reference executor keeps the contract. */
class ReferenceExecutorContractTest extends ExecutorContract {

  @Override
  protected Executor create() {
    return ReferenceExecutor.builder(
            Model.random(TestModels.tiny(ModelFamily.QWEN3), 11), new SystemNanoClock())
        .blockSize(4)
        .numBlocks(16)
        .hostBlocks(2)
        .build();
  }

  @Override
  protected boolean computesTokens() {
    return true;
  }
}
