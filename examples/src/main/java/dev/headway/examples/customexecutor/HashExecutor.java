package dev.headway.examples.customexecutor;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.step.BlockPairs;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;

/**
 * Answers a hash of all tokens before, in place of a model. It reads them where a model reads keys
 * and values: from the blocks of the request, so that a wrong block gives another answer.
 */
public final class HashExecutor implements Executor {

  private static final int NONE = -1;
  private static final int BLOCK_SIZE = 4;
  private static final int BLOCKS = 64;
  private static final int VOCABULARY = 1_000;
  private static final ExecutorShape SHAPE =
      ExecutorShape.builder()
          .kvCache(KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(BLOCKS).build())
          .maxNumSeqs(8)
          .vocabularySize(VOCABULARY)
          .build();

  private final int[] kv = new int[BLOCKS * BLOCK_SIZE];
  private int[] answers = {}; // per entry of the step; NONE in the middle of a prompt
  private boolean closed;

  @Override
  public ExecutorShape shape() {
    return SHAPE;
  }

  @Override
  public void submit(StepPlan plan) {
    if (closed) {
      throw new IllegalStateException("the executor is closed: stepId=" + plan.stepId());
    }
    copy(plan.blockOperations().copies());
    for (int entry = 0; entry < plan.size(); entry++) {
      write(plan, entry); // all entries, before any is read: they may share blocks
    }
    answers = new int[plan.size()];
    for (int entry = 0; entry < plan.size(); entry++) {
      answers[entry] = plan.samples(entry) ? next(plan, entry) : NONE;
    }
  }

  private void copy(BlockPairs copies) {
    for (int i = 0; i < copies.size(); i++) {
      final int source = copies.source(i) * BLOCK_SIZE;
      System.arraycopy(kv, source, kv, copies.target(i) * BLOCK_SIZE, BLOCK_SIZE);
    }
  }

  private void write(StepPlan plan, int entry) {
    final int first = plan.computedTokens(entry);
    for (int position = first; position < first + plan.scheduledTokens(entry); position++) {
      kv[slot(plan, entry, position)] = plan.request(entry).tokenId(position);
    }
  }

  private int next(StepPlan plan, int entry) {
    int hash = 1;
    final int end = plan.computedTokens(entry) + plan.scheduledTokens(entry);
    for (int position = 0; position < end; position++) {
      hash = 31 * hash + kv[slot(plan, entry, position)];
    }
    return Math.floorMod(hash, VOCABULARY);
  }

  private static int slot(StepPlan plan, int entry, int position) {
    final int block = plan.blocks().of(entry).blockId(0, position / BLOCK_SIZE);
    return block * BLOCK_SIZE + position % BLOCK_SIZE;
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) {
    for (int entry = 0; entry < answers.length; entry++) {
      if (answers[entry] != NONE) {
        output.addToken(entry, answers[entry]);
      }
    }
    return true;
  }

  @Override
  public void close() {
    closed = true;
  }
}
