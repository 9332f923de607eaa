package dev.headway.kvcache;

import dev.headway.api.kvcache.ItemKey;
import dev.headway.api.request.MultiModalItem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a request's items add to the names of its blocks, block by block: placeholder tokens of
 * different items are equal, their KV is not. Immutable; allocates nothing once made.
 */
final class BlockItems {

  private static final int[] NO_WORDS = {};

  private final List<List<ItemKey>> ofBlocks = new ArrayList<>();

  private final List<int[]> words = new ArrayList<>();

  /** Of a request that has items. */
  BlockItems(List<MultiModalItem> items, int blockSize) {
    final int end = items.getLast().end();
    for (int first = 0; first < end; first += blockSize) {
      final List<ItemKey> keys = ItemKey.ofBlock(items, first, blockSize);
      ofBlocks.add(keys);
      words.add(
          keys.isEmpty() ? NO_WORDS : keys.stream().flatMapToInt(BlockItems::words).toArray());
    }
  }

  private static IntStream words(ItemKey key) {
    final byte[] text = key.itemHash().getBytes(StandardCharsets.UTF_8);
    return IntStream.concat(
        IntStream.of(key.offset()), IntStream.range(0, text.length).map(i -> text[i]));
  }

  /** The keys of a block; null for none. */
  @Nullable List<ItemKey> of(int block) {
    final List<ItemKey> keys = block < ofBlocks.size() ? ofBlocks.get(block) : List.of();
    return keys.isEmpty() ? null : keys;
  }

  /** The keys of a block as numbers, for hashing; empty for none. */
  int[] words(int block) {
    return block < words.size() ? words.get(block) : NO_WORDS;
  }
}
