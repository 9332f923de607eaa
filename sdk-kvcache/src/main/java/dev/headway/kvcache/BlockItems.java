package dev.headway.kvcache;

import dev.headway.api.kvcache.ItemKey;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.RequestView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a request's items add to the names of its blocks, block by block: placeholder tokens of
 * different items are equal, their KV is not. One thread; allocates where a session gets more of
 * them.
 */
final class BlockItems {

  private static final int[] NO_WORDS = {};

  private final RequestView request;
  private final int blockSize;
  private List<MultiModalItem> known = List.of();

  private final List<List<ItemKey>> ofBlocks = new ArrayList<>();

  private final List<int[]> words = new ArrayList<>();

  /** Those of a request that has some, or may get some. */
  BlockItems(RequestView request, int blockSize) {
    this.request = request;
    this.blockSize = blockSize;
    extend();
  }

  /** All items so far. */
  List<MultiModalItem> all() {
    return request.request().items();
  }

  /** A session has got more of them, behind what is named by now. */
  private void extend() {
    final List<MultiModalItem> all = all();
    final int end = all.isEmpty() ? 0 : all.getLast().end();
    final int changed = known.size() < all.size() ? all.get(known.size()).offset() / blockSize : 0;
    while (ofBlocks.size() > changed) {
      ofBlocks.removeLast();
      words.removeLast();
    }
    for (int first = ofBlocks.size() * blockSize; first < end; first += blockSize) {
      final List<ItemKey> keys = ItemKey.ofBlock(all, first, blockSize);
      ofBlocks.add(keys);
      words.add(
          keys.isEmpty() ? NO_WORDS : keys.stream().flatMapToInt(BlockItems::words).toArray());
    }
    known = all;
  }

  private void update() {
    if (all().size() != known.size()) { // they only become more
      extend();
    }
  }

  private static IntStream words(ItemKey key) {
    final byte[] text = key.itemHash().getBytes(StandardCharsets.UTF_8);
    return IntStream.concat(
        IntStream.of(key.offset()), IntStream.range(0, text.length).map(i -> text[i]));
  }

  /** The keys of a block; null for none. */
  @Nullable List<ItemKey> of(int block) {
    update();
    final List<ItemKey> keys = block < ofBlocks.size() ? ofBlocks.get(block) : List.of();
    return keys.isEmpty() ? null : keys;
  }

  /** The keys of a block as numbers, for hashing; empty for none. */
  int[] words(int block) {
    update();
    return block < words.size() ? words.get(block) : NO_WORDS;
  }
}
