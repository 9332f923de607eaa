package dev.headway.cuda.reference;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.StepPlan;
import dev.headway.cuda.model.ModelConfig;
import dev.headway.cuda.sampling.Penalties;

/**
 * A copy of what an entry of a plan is to compute: requests and block tables move on when {@code
 * submit} returns.
 *
 * @param tokenIds the tokens to compute
 * @param firstPosition position of the first of them
 * @param blockTable the request's blocks, up to the last token to compute
 * @param samples whether a token must be answered
 * @param knownTokens prompt and outputs, for penalties; empty without
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntryWork(
    int[] tokenIds,
    int firstPosition,
    int[] blockTable,
    boolean samples,
    SamplingParams sampling,
    int promptTokens,
    int[] knownTokens) {

  /**
   * Copies an entry.
   *
   * @throws IllegalArgumentException if the model or the cache cannot do what it asks
   */
  static EntryWork copy(StepPlan plan, int entry, ModelConfig config, KvCacheShape kvCache) {
    final RequestView request = plan.request(entry);
    final int first = plan.computedTokens(entry);
    final int count = plan.scheduledTokens(entry);
    final SamplingParams sampling = request.request().sampling();
    requireSupported(plan, entry, first + count, config);
    final int[] tokenIds = new int[count];
    request.copyTokenIds(first, tokenIds, 0, count);
    requireInVocabulary(tokenIds, first, config);
    final int[] blockTable = blockTable(plan, entry, first + count, kvCache);
    int[] known = {};
    if (plan.samples(entry) && Penalties.areOn(sampling)) {
      known = new int[first + count];
      request.copyTokenIds(0, known, 0, known.length);
    }
    return new EntryWork(
        tokenIds, first, blockTable, plan.samples(entry), sampling, request.promptTokens(), known);
  }

  /** Position of the token to be sampled. */
  int nextPosition() {
    return firstPosition + tokenIds.length;
  }

  private static void requireSupported(StepPlan plan, int entry, int end, ModelConfig config) {
    if (plan.request(entry).request().lora().isPresent()) {
      throw new IllegalArgumentException(
          "this executor has no LoRA adapters: request='" + plan.request(entry).id() + "'");
    }
    if (end > config.maxPositions()) {
      throw new IllegalArgumentException(
          "a context must not be longer than the model's: tokens="
              + end
              + ", max_position_embeddings="
              + config.maxPositions()
              + "; lower maxModelLen");
    }
  }

  private static int[] blockTable(StepPlan plan, int entry, int end, KvCacheShape kvCache) {
    final String id = plan.request(entry).id();
    final int needed = kvCache.blocksFor(end);
    if (plan.blockCount(entry) < needed) {
      throw new IllegalArgumentException(
          "the block table must reach the last token to compute: blocks="
              + plan.blockCount(entry)
              + ", needed="
              + needed
              + ", request='"
              + id
              + "'");
    }
    final int[] blockTable = new int[needed];
    plan.blocks(entry).copyBlockIds(0, blockTable, 0, needed);
    for (int block : blockTable) {
      if (block < 1 || block >= kvCache.numBlocks()) {
        throw new IllegalArgumentException(
            "blocks must be in [1, numBlocks): block="
                + block
                + ", numBlocks="
                + kvCache.numBlocks()
                + ", request='"
                + id
                + "'");
      }
    }
    return blockTable;
  }

  private static void requireInVocabulary(int[] tokenIds, int first, ModelConfig config) {
    for (int i = 0; i < tokenIds.length; i++) {
      if (tokenIds[i] < 0 || tokenIds[i] >= config.vocabularySize()) {
        throw new IllegalArgumentException(
            "token ids must be in [0, vocab_size): tokenId="
                + tokenIds[i]
                + ", position="
                + (first + i)
                + ", vocab_size="
                + config.vocabularySize());
      }
    }
  }
}
