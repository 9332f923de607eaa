package dev.headway.cuda.executor;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.step.StepPlan;
import org.jspecify.annotations.Nullable;

/**
 * Why an entry cannot be run, as the exception its request ends with; the others of the step go on.
 */
final class EntryCheck {
  private final KvCacheShape kvCache;
  private final int maxModelLen;
  private final int vocabularySize;

  EntryCheck(KvCacheShape kvCache, int maxModelLen, int vocabularySize) {
    this.kvCache = kvCache;
    this.maxModelLen = maxModelLen;
    this.vocabularySize = vocabularySize;
  }

  /** Looks at what the plan says of an entry; null if it can be run. */
  @Nullable RuntimeException refuse(StepPlan plan, int entry) {
    final int end = plan.computedTokens(entry) + plan.scheduledTokens(entry);
    if (plan.request(entry).request().lora().isPresent()) {
      return refusal("this executor has no LoRA adapters: request='%s'", plan, entry);
    }
    if (end > maxModelLen) {
      return new IllegalArgumentException(
          "a context must not be longer than the executor's: tokens="
              + end
              + ", maxModelLen="
              + maxModelLen
              + "; lower the engine's maxModelLen");
    }
    final int needed = kvCache.blocksFor(end);
    if (plan.blockCount(entry) < needed) {
      return refusal(
          "the block table must reach the last token to compute: blocks="
              + plan.blockCount(entry)
              + ", needed="
              + needed
              + ", request='%s'",
          plan,
          entry);
    }
    return null;
  }

  /** Looks at a row of the block table; null if all blocks are in the cache. */
  @Nullable RuntimeException refuseBlocks(
      int[] table, int from, int count, StepPlan plan, int entry) {
    for (int i = from; i < from + count; i++) {
      if (table[i] < 1 || table[i] >= kvCache.numBlocks()) {
        return refusal(
            "blocks must be in [1, numBlocks): block="
                + table[i]
                + ", numBlocks="
                + kvCache.numBlocks()
                + ", request='%s'",
            plan,
            entry);
      }
    }
    return null;
  }

  /** Looks at tokens; null if all are in the vocabulary. */
  @Nullable RuntimeException refuseTokens(int[] tokens, int from, int count, int firstPosition) {
    for (int i = 0; i < count; i++) {
      final int token = tokens[from + i];
      if (token < 0 || token >= vocabularySize) {
        return new IllegalArgumentException(
            "token ids must be in [0, vocab_size): tokenId="
                + token
                + ", position="
                + (firstPosition + i)
                + ", vocab_size="
                + vocabularySize);
      }
    }
    return null;
  }

  private static RuntimeException refusal(String text, StepPlan plan, int entry) {
    return new IllegalArgumentException(text.replace("%s", plan.request(entry).id()));
  }
}
