package dev.headway.kvcache;

import dev.headway.api.kvcache.ItemKey;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.RequestView;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The block table of a request, and the hashes of its full blocks.
 *
 * <p>Behind {@code count} the array may hold the blocks of the latest lookup; they are not held
 * until the sequence is admitted.
 */
final class PagedSequence implements KvSequence {

  /** Placeholder in a lookup's table for a block that is to be loaded. */
  private static final int NOT_ON_DEVICE = 0;

  final SequenceEpoch epoch;
  final RequestView request;
  final int root;

  /** Hashes of its blocks from the first on. */
  final BlockHashes hashes;

  /** Whether lookups are made for it. */
  final boolean reusesPrefix;

  private final int blockSize;
  private final @Nullable BlockItems items;

  int[] blocks = new int[8];
  int count;

  /** What is asked for its blocks; null for nothing. */
  @Nullable RetentionWishes wishes;

  /** Whether it has ever held blocks. */
  boolean wasAdmitted;

  /** Blocks whose content is in the index, from the front. */
  int cachedBlocks;

  /** See {@link #allocatedThrough()}; kept by the manager. */
  int allocatedThrough;

  /** Blocks the latest lookup found. */
  int matchedBlocks;

  /** How many of those only the host tier has, see {@link #isToLoad}. */
  int matchedLoads;

  /** Host blocks of the latest lookup, at the places of those. */
  private int[] hostBlocks = {};

  PagedSequence(
      SequenceEpoch epoch,
      RequestView request,
      int root,
      BlockHashChain.Factory chains,
      int[] blockTokens) {
    this.epoch = epoch;
    blockSize = blockTokens.length;
    this.request = request;
    this.root = root;
    reusesPrefix = request.request().prefixReuse() != PrefixReuse.SKIPPED;
    items = PrefixScope.canHaveItems(request.request()) ? new BlockItems(request, blockSize) : null;
    hashes = new BlockHashes(chains.open(request.request(), items), request, blockTokens);
  }

  @Override
  public int groupCount() {
    return 1;
  }

  @Override
  public int blockCount(int group) {
    return count;
  }

  @Override
  public int allocatedThrough() {
    return allocatedThrough;
  }

  @Override
  public int sharedPrefixTokens() {
    return cachedBlocks * blockSize;
  }

  @Override
  public int blockId(int group, int index) {
    if (index >= count) {
      throw new IndexOutOfBoundsException(
          "block index must be in [0, blockCount): index=" + index + ", blockCount=" + count);
    }
    return blocks[index];
  }

  @Override
  public void copyBlockIds(int group, int from, int[] target, int offset, int length) {
    if (from < 0 || from + length > count) {
      throw new IndexOutOfBoundsException(
          "blocks must be in [0, blockCount): from="
              + from
              + ", length="
              + length
              + ", blockCount="
              + count);
    }
    System.arraycopy(blocks, from, target, offset, length);
  }

  /** Forgets all blocks, which must have been given back. */
  void clear() {
    count = 0;
    cachedBlocks = 0;
    matchedBlocks = 0;
    matchedLoads = 0;
    allocatedThrough = 0;
  }

  void ensureCapacity(int capacity) {
    if (blocks.length < capacity) {
      blocks = Arrays.copyOf(blocks, Math.max(capacity, 2 * blocks.length));
    }
  }

  /** Makes room for a whole sequence, so that growing it step by step allocates nothing. */
  void reserve(int capacity) {
    ensureCapacity(capacity);
    hashes.reserve(capacity);
  }

  /** As {@link #reserve}, for lookups in the host. */
  void reserveHostBlocks(int capacity) {
    if (hostBlocks.length < capacity) {
      hostBlocks = Arrays.copyOf(hostBlocks, capacity);
    }
  }

  /** The latest lookup has found the content at {@code at} in {@code host} only. */
  void matchInHost(int at, int host) {
    if (hostBlocks.length <= at) {
      hostBlocks = Arrays.copyOf(hostBlocks, Math.max(at + 1, 2 * hostBlocks.length));
    }
    hostBlocks[at] = host;
    blocks[at] = NOT_ON_DEVICE;
    matchedLoads++;
  }

  /** Whether the block that the latest lookup has found at {@code at} is in the host only. */
  boolean isToLoad(int at) {
    return blocks[at] == NOT_ON_DEVICE;
  }

  int hostBlock(int at) {
    return hostBlocks[at];
  }

  @Override
  public long prefixHash(int tokens) {
    final int last = tokens / blockSize - 1;
    return tokens % blockSize == 0 && hashes.has(last) ? hashes.get(last) : 0;
  }

  /** Keys of the items that overlap a block; null for none. */
  @Nullable List<ItemKey> items(int block) {
    return items == null ? null : items.of(block);
  }

  /** The hash of a block that was looked up or registered. */
  long hash(int block) {
    return hashes.get(block);
  }
}
