package dev.headway.kvcache;

import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.request.KvReport;
import org.jspecify.annotations.Nullable;

/**
 * Prefixes of sequences in the {@link PrefixIndex}: the longest one known, and which full blocks
 * become findable. Used only where prefix caching is on.
 *
 * <p>One thread; allocates nothing once warm.
 */
final class PagedPrefixes {

  private final PrefixIndex index;
  private final BlockPool pool;
  private final InFlightDependencies dependencies;
  private final @Nullable HostHits host;
  private final KvCacheEvents events;
  private final PagedRange range;
  private final int blockSize;
  private final int[] blockTokens;
  private final boolean recomputesLastHit;

  /** Tokens behind a block that must be computed before drafting modules have filled it too. */
  private final int lag;

  PagedPrefixes(
      PrefixIndex index,
      BlockPool pool,
      InFlightDependencies dependencies,
      @Nullable HostHits host,
      SpeculationOptions speculation,
      KvCacheEvents events,
      int[] blockTokens) {
    this.index = index;
    this.pool = pool;
    this.dependencies = dependencies;
    this.host = host;
    this.events = events;
    this.blockTokens = blockTokens;
    blockSize = blockTokens.length;
    range = new PagedRange(events, blockSize);
    recomputesLastHit = speculation.recomputesLastHit();
    lag = Math.max(0, speculation.prefillLookaheadTokens() - 1);
  }

  /**
   * Looks for the longest prefix, on the device and then in the host; leaves it in the sequence.
   */
  void find(PagedSequence seq) {
    seq.matchedBlocks = 0;
    seq.matchedLoads = 0;
    if (!seq.reusesPrefix) {
      return;
    }
    final int most = seq.request.knownTokens() - 1; // one is left to be computed
    int parent = seq.root;
    for (int at = 0; (at + 1) * blockSize <= most; at++) {
      final int content = findBlock(seq, at, parent);
      if (content == PrefixIndex.NONE) {
        break;
      }
      if (at == 0) {
        seq.ensureCapacity(most / blockSize);
      }
      final int block = index.firstBlockOf(content);
      if (block != PrefixIndex.NONE) {
        seq.blocks[at] = block;
      } else if (host == null || !host.finds(seq, at, content)) {
        break;
      }
      seq.matchedBlocks++;
      parent = content;
    }
    if (recomputesLastHit && seq.matchedBlocks > 0) {
      seq.matchedBlocks--;
      seq.matchedLoads -= seq.isToLoad(seq.matchedBlocks) ? 1 : 0;
    }
    if (seq.matchedBlocks > 0 && seq.request.request().kvReport() == KvReport.FULL) {
      events.stored(range.of(seq, 0, seq.matchedBlocks));
    }
  }

  /** Reads the block's tokens only if there may be a content with their hash: most lookups miss. */
  private int findBlock(PagedSequence seq, int block, int parent) {
    if (seq.hashes.has(block) && !index.mayFind(seq.hash(block))) {
      return PrefixIndex.NONE;
    }
    return index.find(seq.hashes.load(block), parent, blockTokens, 0, seq.items(block));
  }

  /**
   * Makes the blocks that {@code computed} tokens fill findable; step {@code writer} fills them.
   */
  void register(PagedSequence seq, int computed, long writer) {
    if (computed - lag < (seq.cachedBlocks + 1) * blockSize) {
      return;
    }
    final int full = (Math.min(computed, seq.request.knownTokens()) - lag) / blockSize;
    if (full <= seq.cachedBlocks) {
      return;
    }
    final int from = findableThrough(seq);
    if (full - from > 1) {
      readAhead(seq, from, full);
    }
    int parent = from == 0 ? seq.root : index.contentOf(seq.blocks[from - 1]);
    for (int i = from; i < full; i++) {
      final long hash = seq.hashes.load(i);
      parent = index.store(seq.blocks[i], hash, parent, blockTokens, 0, seq.items(i));
      if (i >= seq.cachedBlocks) {
        dependencies.writes(seq.blocks[i], seq.epoch, writer);
      }
    }
    seq.cachedBlocks = full;
    events.stored(range.of(seq, from, full));
  }

  /**
   * Blocks behind whose last content more can be stored. Another sequence whose load has failed may
   * have made blocks not findable that are good in this one, which has found them too: they are
   * stored again.
   */
  private int findableThrough(PagedSequence seq) {
    int blocks = seq.cachedBlocks;
    while (blocks > 0 && index.contentOf(seq.blocks[blocks - 1]) == PrefixIndex.NONE) {
      blocks--;
    }
    return blocks;
  }

  private void readAhead(PagedSequence seq, int from, int to) {
    for (int i = from; i < to; i++) {
      seq.hashes.load(i);
    }
    index.touch(seq, from, to);
  }

  /**
   * Makes what lies behind the first {@code computed} tokens not findable. Of what the sequence has
   * not found but computed itself the drafting modules lag behind.
   */
  void forget(PagedSequence seq, int computed) {
    final int sure = sureBlocks(seq, computed);
    for (int i = seq.cachedBlocks - 1; i >= sure; i--) {
      pool.forget(seq.blocks[i]);
    }
    seq.cachedBlocks = Math.min(seq.cachedBlocks, sure);
  }

  /** Leading blocks that stay findable when a sequence is released with {@code computed} tokens. */
  int sureBlocks(PagedSequence seq, int computed) {
    final int found = Math.min(seq.matchedBlocks * blockSize, computed);
    return Math.max(found, computed - lag) / blockSize;
  }

  /** Tokens up to which nothing more becomes findable. */
  int registeredThrough(PagedSequence seq) {
    return (seq.cachedBlocks + 1) * blockSize - 1 + lag;
  }
}
