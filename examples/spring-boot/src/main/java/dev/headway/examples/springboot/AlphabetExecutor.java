package dev.headway.examples.springboot;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;

/** Answers with the alphabet, a letter per step, in place of a model. */
final class AlphabetExecutor implements Executor {
  private static final int STEP_MS = 5; // what a small model takes

  private int[] tokens = {}; // per entry of the step; -1 in the middle of a prompt

  @Override
  public ExecutorShape shape() {
    return ExecutorShape.builder()
        .kvCache(KvCacheShape.builder().blockSize(16).blocks(1_024).build())
        .maxNumSeqs(32)
        .vocabularySize(256)
        .build();
  }

  @Override
  public void submit(StepPlan step) {
    tokens = new int[step.size()];
    for (int entry = 0; entry < tokens.length; entry++) {
      tokens[entry] = step.samples(entry) ? 'a' + step.outputTokens(entry) % 26 : -1;
    }
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    Thread.sleep(STEP_MS);
    for (int entry = 0; entry < tokens.length; entry++) {
      if (tokens[entry] >= 0) {
        output.addToken(entry, tokens[entry]);
      }
    }
    return true;
  }

  @Override
  public void close() {}
}
