package dev.headway.scheduler.contract;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;

/** A model whose token is a hash of the KV of all tokens before, with one fault. */
final class ToyModelExecutor implements Executor {

  /** What is wrong, and the check that must notice it. */
  enum Fault {
    NONE(""),
    IGNORES_BLOCK_TABLES("shouldReadWhatTheSameStepWrites"),
    READS_BLOCKS_IN_A_ROW("shouldAnswerTheSameTokensInOtherBlocks"),
    FORGETS_CHUNKS("shouldAnswerTheSameTokensInChunks"),
    TAKES_THE_TABLE_OF_THE_FIRST_ENTRY("shouldAnswerTheSameTokensBesideOthers"),
    MISSES_THE_NEWEST_IN_DECODES("shouldAnswerTheSameTokensAfterAPreemption"),
    READS_BEFORE_IT_WRITES("shouldReadWhatTheSameStepWrites"),
    IGNORES_COPIES("shouldGoOnInACopiedBlock"),
    ALWAYS_ANSWERS_ONE_TOKEN("shouldAnswerOtherTokensForOtherPrompts"),
    SWALLOWS_INTERRUPTS("shouldAnswerAStepWhoseWaitWasInterrupted"),
    WAITS_TOO_LONG("shouldWaitNoLongerThanItMay");

    final String check;

    Fault(String check) {
      this.check = check;
    }
  }

  private static final int BLOCK_SIZE = 4;

  private final Fault fault;
  private final boolean late;
  private final long[] kv = new long[33 * BLOCK_SIZE];
  private StepPlan out;

  ToyModelExecutor(Fault fault, boolean late) {
    this.fault = fault;
    this.late = late;
  }

  @Override
  public ExecutorShape shape() {
    return ExecutorShape.builder()
        .kvCache(KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(33).build())
        .maxNumSeqs(8)
        .vocabularySize(100)
        .build();
  }

  @Override
  public void submit(StepPlan plan) {
    out = plan;
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) {
    if (late && fault != Fault.WAITS_TOO_LONG) {
      return false;
    }
    if (fault == Fault.SWALLOWS_INTERRUPTS) {
      Thread.interrupted();
    }
    final var copies = out.blockOperations().copies();
    for (int i = 0; i < copies.size() && fault != Fault.IGNORES_COPIES; i++) {
      System.arraycopy(
          kv, copies.source(i) * BLOCK_SIZE, kv, copies.target(i) * BLOCK_SIZE, BLOCK_SIZE);
    }
    if (fault != Fault.READS_BEFORE_IT_WRITES) {
      write();
    }
    for (int entry = 0; entry < out.size(); entry++) {
      if (fault == Fault.READS_BEFORE_IT_WRITES) {
        write(entry);
      }
      if (out.samples(entry)) {
        output.addToken(entry, token(entry));
      }
    }
    return true;
  }

  private void write() {
    for (int entry = 0; entry < out.size(); entry++) {
      if (out.samples(entry) || fault != Fault.FORGETS_CHUNKS) {
        write(entry);
      }
    }
  }

  private void write(int entry) {
    final int end = out.computedTokens(entry) + out.scheduledTokens(entry);
    for (int position = out.computedTokens(entry); position < end; position++) {
      kv[slot(entry, position, false)] = 1_000L * position + out.request(entry).tokenId(position);
    }
  }

  private int token(int entry) {
    if (fault == Fault.ALWAYS_ANSWERS_ONE_TOKEN) {
      return 1;
    }
    final boolean decode = out.kind(entry) == EntryKind.RUNNING && out.scheduledTokens(entry) == 1;
    final boolean misses = fault == Fault.MISSES_THE_NEWEST_IN_DECODES && decode;
    int end = out.computedTokens(entry) + out.scheduledTokens(entry);
    end -= misses ? 1 : 0;
    long hash = 1;
    for (int position = 0; position < end; position++) {
      hash = (hash ^ kv[slot(entry, position, true)]) * 0x9e3779b97f4a7c15L;
      hash ^= hash >>> 29;
    }
    return (int) Long.remainderUnsigned(hash, 100);
  }

  private int slot(int entry, int position, boolean reads) {
    final int from = fault == Fault.TAKES_THE_TABLE_OF_THE_FIRST_ENTRY ? 0 : entry;
    final int index = position / BLOCK_SIZE;
    final int block =
        switch (fault) {
          case IGNORES_BLOCK_TABLES -> entry * 4 + index;
          case READS_BLOCKS_IN_A_ROW ->
              out.blocks(from).blockId(0, reads ? 0 : index) + (reads ? index : 0);
          default -> out.blocks(from).blockId(0, Math.min(index, out.blockCount(from, 0) - 1));
        };
    return block * BLOCK_SIZE + position % BLOCK_SIZE;
  }

  @Override
  public void close() {}
}
