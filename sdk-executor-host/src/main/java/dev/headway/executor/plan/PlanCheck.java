package dev.headway.executor.plan;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.TokenBias;
import dev.headway.api.step.StepPlan;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an executor cannot run: a whole plan, which throws, or an entry of it, whose request ends
 * with the exception while the others of the step go on. Any thread; refusals allocate.
 */
public final class PlanCheck {
  private final KvCacheShape kvCache;
  private final int hostBlocks;
  private final int maxModelLen;
  private final int vocabularySize;
  private final boolean speculates;
  private final Set<LoraAdapter> adapters;

  /**
   * Makes a check of an executor without drafts.
   *
   * @param maxModelLen longest context, in tokens
   */
  public PlanCheck(ExecutorShape shape, int maxModelLen) {
    this(shape, maxModelLen, false);
  }

  /**
   * Makes a check.
   *
   * @param maxModelLen longest context, in tokens
   * @param speculates whether the executor proposes drafts and verifies them
   * @throws IllegalArgumentException if a group is neither of full attention nor of a window, or
   *     has blocks of its own size
   */
  public PlanCheck(ExecutorShape shape, int maxModelLen, boolean speculates) {
    this(shape, maxModelLen, speculates, Set.of());
  }

  /**
   * Makes a check of an executor with adapters.
   *
   * @param maxModelLen longest context, in tokens
   * @param speculates whether the executor proposes drafts and verifies them
   * @param adapters that it has
   * @throws IllegalArgumentException as the other one
   */
  public PlanCheck(
      ExecutorShape shape, int maxModelLen, boolean speculates, Set<LoraAdapter> adapters) {
    this.adapters = Set.copyOf(adapters);
    this.speculates = speculates;
    this.kvCache = shape.kvCache();
    for (KvGroup group : kvCache.groups()) {
      requireAttention(group, kvCache.blockSize());
    }
    this.hostBlocks = shape.hostBlocks();
    this.maxModelLen = maxModelLen;
    this.vocabularySize = shape.vocabularySize();
  }

  private static void requireAttention(KvGroup group, int blockSize) {
    final boolean isKnown =
        group instanceof KvGroup.FullAttention || group instanceof KvGroup.SlidingWindow;
    if (!isKnown || group.blockSize() != blockSize) {
      throw new IllegalArgumentException(
          "groups must be of full attention or of a window, with the cache's block size: group="
              + group
              + ", blockSize="
              + blockSize);
    }
  }

  /**
   * Looks at what concerns all entries.
   *
   * @throws UnsupportedOperationException if no such plan can be run
   */
  public void requireRunnable(StepPlan plan) {
    if (!speculates && (!plan.drafts().isEmpty() || plan.drafts().toPropose() > 0)) {
      throw new UnsupportedOperationException(
          "this executor has no draft tokens: stepId="
              + plan.stepId()
              + "; give it a way to propose them, or switch the engine's speculation off");
    }
    if (plan.blocks().groupCount() != kvCache.groups().size()) {
      throw new UnsupportedOperationException(
          "a plan must have block tables for each of the executor's groups: groupCount="
              + plan.blocks().groupCount()
              + ", groups="
              + kvCache.groups());
    }
    if (!plan.encoderInputs().isEmpty()) {
      throw new UnsupportedOperationException(
          "this executor has no encoder for images: embeddings="
              + plan.encoderInputs().embeddings()
              + "; leave EncoderOptions out");
    }
    final int saves = plan.blockOperations().saves().size();
    final int loads = plan.blockOperations().loads().size();
    if (saves + loads > 0 && hostBlocks == 0) {
      throw new UnsupportedOperationException(
          "this executor has no KV blocks in host memory: saves="
              + saves
              + ", loads="
              + loads
              + "; give it hostBlocks");
    }
  }

  /** Returns why an entry cannot be run by what the plan says of it, or null if it can. */
  public @Nullable RuntimeException refuse(StepPlan plan, int entry) {
    final int end = plan.computedTokens(entry) + plan.scheduledTokens(entry);
    final LoraAdapter adapter = plan.request(entry).request().lora();
    if (adapter != null && !adapters.contains(adapter)) {
      return refusal(
          adapters.isEmpty()
              ? "this executor has no LoRA adapters: "
              : "the executor must have the request's adapter: adapter="
                  + adapter
                  + ", adapters="
                  + adapters
                  + ", ",
          plan,
          entry);
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
    for (int group = 0; group < kvCache.groups().size(); group++) {
      final int blocks = plan.blocks().count(entry, group);
      if (blocks < needed) {
        return refusal(
            "the block table must reach the last token to compute: blocks="
                + blocks
                + ", needed="
                + needed
                + (group == 0 ? ", " : ", group=" + group + ", "),
            plan,
            entry);
      }
    }
    return null;
  }

  /**
   * The first place in a group's block table that an entry reads: blocks before it left the window.
   */
  public int firstRead(StepPlan plan, int entry, int group) {
    return kvCache.groups().get(group) instanceof KvGroup.SlidingWindow window
        ? Math.max(0, plan.computedTokens(entry) - window.windowTokens() + 1) / kvCache.blockSize()
        : 0;
  }

  /**
   * Returns why a row of a block table cannot be followed, or null if all blocks are there that the
   * entry reads.
   *
   * @param from where the row begins in {@code table}
   * @param firstPlace of the row, in the block table of {@code group}
   */
  public @Nullable RuntimeException refuseBlocks(
      int[] table, int from, int count, int firstPlace, StepPlan plan, int entry, int group) {
    final int unread = Math.max(0, firstRead(plan, entry, group) - firstPlace);
    for (int i = from; i < from + count; i++) {
      final boolean isLeft = table[i] == KvCacheShape.NULL_BLOCK && i - from < unread;
      if ((table[i] < 1 || table[i] >= kvCache.numBlocks()) && !isLeft) {
        return refusal(
            "blocks must be in [1, numBlocks): block="
                + table[i]
                + ", numBlocks="
                + kvCache.numBlocks()
                + ", ",
            plan,
            entry);
      }
    }
    return null;
  }

  /** Returns why tokens cannot be looked up, or null if all are in the vocabulary. */
  public @Nullable RuntimeException refuseTokens(
      int[] tokens, int from, int count, int firstPosition) {
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

  /** Returns why biases and bans cannot be applied, or null if their tokens are there. */
  public @Nullable RuntimeException refuseBias(TokenBias bias) {
    if (bias.largestTokenId() >= vocabularySize) {
      return new IllegalArgumentException(
          "tokens of biases and banned sequences must be in the vocabulary: tokenId="
              + bias.largestTokenId()
              + ", vocab_size="
              + vocabularySize);
    }
    return null;
  }

  /** Tokens that there are logits for. */
  public int vocabularySize() {
    return vocabularySize;
  }

  private static RuntimeException refusal(String text, StepPlan plan, int entry) {
    return new IllegalArgumentException(text + "request='" + plan.request(entry).id() + "'");
  }
}
