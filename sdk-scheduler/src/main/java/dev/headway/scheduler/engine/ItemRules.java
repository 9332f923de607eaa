package dev.headway.scheduler.engine;

import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests whose items the encoder can never compute. With drafting modules, which look
 * ahead of a chunk, it must have room for all items that lie so close that one is still in use when
 * the next is needed.
 */
final class ItemRules {

  private ItemRules() {}

  /** Returns why the request can never run, or null. */
  static RequestRules.@Nullable Refusal check(SchedulerConfig config, Request request) {
    final List<MultiModalItem> items = request.items();
    for (int index = 0; index < items.size(); index++) {
      final String fault = faultOf(config, items, index);
      if (fault != null) {
        return new RequestRules.Refusal(
            RejectReason.ENCODER_TOO_SMALL, fault + ": id=" + request.id());
      }
    }
    return null;
  }

  /**
   * Returns why a further input of a session could never be computed, or null.
   *
   * @param all the items of all inputs up to this one, as if nothing had been generated between
   *     them, so that none are closer than they can be
   * @param first the first of this input
   */
  static @Nullable String fault(SchedulerConfig config, List<MultiModalItem> all, int first) {
    // what modules look ahead to may begin in earlier inputs
    final int from = config.speculation().prefillLookaheadTokens() > 0 ? 0 : first;
    for (int index = from; index < all.size(); index++) {
      final String fault = faultOf(config, all, index);
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  private static @Nullable String faultOf(
      SchedulerConfig config, List<MultiModalItem> items, int index) {
    final EncoderOptions encoder = config.encoder();
    final MultiModalItem item = items.get(index);
    if (item.embeddings() > encoder.maxItemEmbeddings()) {
      return "embeddings of an item must be <= maxItemEmbeddings of EncoderOptions: item="
          + index
          + ", embeddings="
          + item.embeddings()
          + ", maxItemEmbeddings="
          + encoder.maxItemEmbeddings()
          + "; raise that, or use an item without encoder";
    }
    final int lookahead = config.speculation().prefillLookaheadTokens();
    final long together = embeddingsWithin(items, index, 2 * lookahead);
    final int room = Math.min(encoder.computeBudget(), encoder.cacheSlots());
    if (lookahead > 0 && together > room) {
      return "embeddings of items that drafting modules need at once must be <="
          + " maxNumEncoderInputTokens and encoderCacheSize: firstItem="
          + index
          + ", embeddings="
          + together
          + ", room="
          + room;
    }
    final int whole = item.length() + lookahead;
    if (lookahead > 0
        && item.embeddings() > 0
        && encoder.chunkedMmInput() == ChunkedMmInput.DISABLED
        && whole > largestChunk(config)) {
      return "an item that must not be cut, and the tokens in front of it that drafting modules look"
          + " ahead from, must fit into a step: item="
          + index
          + ", tokens="
          + whole
          + ", largestChunk="
          + largestChunk(config);
    }
    return null;
  }

  private static long embeddingsWithin(List<MultiModalItem> items, int first, int tokens) {
    final long end = (long) items.get(first).end() + tokens;
    long sum = 0;
    for (int index = first; index < items.size() && items.get(index).offset() < end; index++) {
      sum += items.get(index).embeddings();
    }
    return sum;
  }

  private static int largestChunk(SchedulerConfig config) {
    final int slots = config.limits().maxNumBatchedTokens() - config.speculation().draftSlots();
    final int cap = unlessZero(config.longPrefillTokenThreshold(), slots);
    return Math.min(Math.min(slots, cap), unlessZero(config.maxNumScheduledTokens(), slots));
  }

  private static int unlessZero(int limit, int otherwise) {
    return limit == 0 ? otherwise : limit;
  }
}
