package dev.headway.api.kvcache;

import dev.headway.api.request.MultiModalItem;
import java.util.ArrayList;
import java.util.List;

/**
 * What an item adds to the name of a block that it overlaps: two blocks of equal tokens hold the
 * same KV only if their keys are equal, one by one.
 *
 * <p>Source: vLLM 0.28, {@code kv_cache_utils.generate_block_hash_extra_keys}.
 *
 * @param itemHash {@link MultiModalItem#hash()}
 * @param offset the item's first token, counted from the block's; negative if it begins before
 */
public record ItemKey(String itemHash, int offset) {

  /**
   * Returns the keys of a block, in the order of the items; none if no item overlaps it. Allocates
   * nothing then.
   *
   * @param items of a request
   * @param firstToken the block's first position in the prompt
   * @param tokens the block's size
   */
  public static List<ItemKey> ofBlock(List<MultiModalItem> items, int firstToken, int tokens) {
    int at = firstBehind(items, firstToken);
    if (at == items.size() || items.get(at).offset() >= firstToken + tokens) {
      return List.of();
    }
    final List<ItemKey> keys = new ArrayList<>(1);
    for (; at < items.size() && items.get(at).offset() < firstToken + tokens; at++) {
      keys.add(new ItemKey(items.get(at).hash(), items.get(at).offset() - firstToken));
    }
    return List.copyOf(keys);
  }

  /** Index of the first item that ends behind {@code position}. */
  private static int firstBehind(List<MultiModalItem> items, int position) {
    int low = 0;
    int high = items.size();
    while (low < high) {
      final int middle = (low + high) >>> 1;
      if (items.get(middle).end() <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
