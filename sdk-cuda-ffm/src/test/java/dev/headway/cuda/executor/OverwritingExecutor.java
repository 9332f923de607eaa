package dev.headway.cuda.executor;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.support.SimpleBlockOperations;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;

/**
 * Overwrites KV blocks that no request of a step has any more with one that no request ever had,
 * which the fake driver begins as NaN: it is kept from the engine. For engines without a prefix
 * cache, whose requests run without a break.
 */
final class OverwritingExecutor implements Executor {

  private final CudaExecutor executor;
  private final ExecutorShape shape;
  private final int unused;
  private Set<Integer> held = new HashSet<>();
  int overwritten;

  OverwritingExecutor(CudaExecutor executor) {
    this.executor = executor;
    final ExecutorShape all = executor.shape();
    unused = all.kvCache().numBlocks() - 1;
    shape =
        ExecutorShape.builder()
            .kvCache(
                KvCacheShape.builder()
                    .blockSize(all.kvCache().blockSize())
                    .blocks(unused)
                    .bytesPerBlock(all.kvCache().bytesPerBlock().orElseThrow())
                    .groups(all.kvCache().groups())
                    .build())
            .maxNumSeqs(all.maxNumSeqs())
            .vocabularySize(all.vocabularySize())
            .maxNumBatchedTokens(all.maxNumBatchedTokens().orElseThrow())
            .maxModelLen(all.maxModelLen().orElseThrow())
            .maxStepsInFlight(all.maxStepsInFlight())
            .build();
  }

  @Override
  public ExecutorShape shape() {
    return shape;
  }

  @Override
  public void submit(StepPlan plan) {
    final Set<Integer> now = new HashSet<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      final KvSequence blocks = plan.blocks().of(entry);
      for (int group = 0; group < shape.kvCache().groups().size(); group++) {
        for (int i = 0; i < blocks.blockCount(group); i++) {
          now.add(blocks.blockId(group, i));
        }
      }
    }
    now.remove(KvCacheShape.NULL_BLOCK);
    final SimpleBlockOperations operations = new SimpleBlockOperations();
    operations.copyFrom(plan.blockOperations());
    for (int block : held) {
      if (!now.contains(block)) {
        operations.copy(unused, block);
        overwritten++;
      }
    }
    held = now;
    executor.submit(with(plan, operations));
  }

  private static StepPlan with(StepPlan plan, SimpleBlockOperations operations) {
    return (StepPlan)
        Proxy.newProxyInstance(
            StepPlan.class.getClassLoader(),
            new Class<?>[] {StepPlan.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("blockOperations")) {
                return operations;
              }
              try {
                return method.invoke(plan, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    return executor.await(output, timeoutNs);
  }

  @Override
  public void close() {
    executor.close();
  }
}
