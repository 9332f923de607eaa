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

  /** The same as numbers, for hashing. */
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

  /** Returns the hash of a block, of which {@code tokens} is that of its tokens. */
  long hash(BlockHasher hasher, int block, long tokens) {
    final int[] keys = block < words.size() ? words.get(block) : NO_WORDS;
    return keys.length == 0 ? tokens : hasher.block(tokens, keys, 0, keys.length);
  }
}
