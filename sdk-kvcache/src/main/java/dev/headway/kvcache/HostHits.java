package dev.headway.kvcache;

import dev.headway.api.kvcache.KvCacheEvents;

/**
 * Blocks of a prefix that only the host tier has: they are found with the others, kept while the
 * admission takes blocks, and loaded to new blocks, where later lookups find them at once.
 *
 * <p>One thread; allocates only to grow.
 */
final class HostHits {

  private final HostTier tier;
  private final PrefixIndex index;
  private final BlockPool pool;
  private final InFlightDependencies dependencies;
  private final KvCacheEvents events;
  private final PagedRange range;

  HostHits(
      HostTier tier,
      PrefixIndex index,
      BlockPool pool,
      InFlightDependencies dependencies,
      KvCacheEvents events,
      int blockSize) {
    this.tier = tier;
    this.index = index;
    this.pool = pool;
    this.dependencies = dependencies;
    this.events = events;
    range = new PagedRange(events, blockSize);
  }

  /** Whether the host has {@code content}, which is entry {@code at} of the sequence's lookup. */
  boolean finds(PagedSequence seq, int at, int content) {
    final int hostBlock = tier.find(content);
    if (hostBlock == PrefixIndex.NONE) {
      return false;
    }
    seq.matchInHost(at, hostBlock);
    return true;
  }

  /** What the host has at {@code at} is not given up for what is taken from now on. */
  void keep(PagedSequence seq, int at) {
    tier.keep(seq.hostBlock(at));
  }

  /** Takes blocks for those of the first {@code hits} that only the host has. */
  void load(PagedSequence seq, int hits) {
    int from = 0;
    for (int i = 0; i < hits; i++) {
      if (seq.isToLoad(i)) {
        loadOne(seq, i);
      } else {
        tellStored(seq, from, i);
        from = i + 1;
      }
    }
    tellStored(seq, from, hits);
  }

  private void loadOne(PagedSequence seq, int at) {
    final int block = pool.take();
    index.hold(block, tier.load(seq.request, seq.hostBlock(at), block));
    dependencies.writes(block, seq.epoch);
    seq.blocks[at] = block;
  }

  private void tellStored(PagedSequence seq, int from, int to) {
    if (to > from) {
      events.stored(range.of(seq, from, to));
    }
  }
}
