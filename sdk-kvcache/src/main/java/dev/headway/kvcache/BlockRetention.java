package dev.headway.kvcache;

import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.request.KvCacheRetention;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is wished for the content of each block, and what an {@link EvictionPolicy} makes of it when
 * the block becomes free. Only where there is such a policy or a request has wishes.
 *
 * <p>One thread; allocates nothing once made.
 */
final class BlockRetention {

  private static final System.Logger LOG = System.getLogger(BlockRetention.class.getName());

  private final EvictionPolicy policy;
  private final LongSupplier clock;
  private final FreeBlocks free;
  private final ExpiryHeap expiring;
  private final byte[] priorities;
  private final long[] durationsNs;
  private final int[] hits;
  private final int mostPinned;
  private final Candidate candidate = new Candidate();
  private boolean isPolicyTrusted = true;

  /**
   * Begins without wishes.
   *
   * @param clock nanoseconds; read only when something is kept for a time
   * @param mostPinned most blocks that can be pinned
   */
  BlockRetention(
      EvictionPolicy policy, LongSupplier clock, FreeBlocks free, int numBlocks, int mostPinned) {
    this.policy = policy;
    this.clock = clock;
    this.free = free;
    this.mostPinned = mostPinned;
    expiring = new ExpiryHeap(numBlocks);
    priorities = new byte[numBlocks];
    durationsNs = new long[numBlocks];
    hits = new int[numBlocks];
    Arrays.fill(priorities, (byte) KvCacheRetention.DEFAULT_PRIORITY);
    Arrays.fill(durationsNs, KvCacheRetention.NO_END);
  }

  /** A request wishes this for the content of a block. */
  void wish(int block, int priority, long durationNs) {
    priorities[block] = (byte) priority;
    durationsNs[block] = durationNs;
  }

  /** Whether the block is not to be given up when it is given back. */
  boolean isToBePinned(int block) {
    return priorities[block] == KvCacheRetention.PINNED;
  }

  /** A block got other content, or none. */
  void forget(int block) {
    removed(block);
    wish(block, KvCacheRetention.DEFAULT_PRIORITY, KvCacheRetention.NO_END);
    hits[block] = 0;
  }

  /** A lookup's hit is used. */
  void hit(int block) {
    hits[block]++;
  }

  /** The last request gives a block with content back. */
  void add(int block) {
    final int level = levelOf(block);
    free.addLast(block, level);
    if (durationsNs[block] != KvCacheRetention.NO_END) {
      expiring.add(block, clock.getAsLong() + durationsNs[block]);
    }
  }

  /** A free block is taken, or found again. */
  void removed(int block) {
    expiring.remove(block);
  }

  /** Gives blocks whose time is over the default priority. */
  void expire() {
    if (expiring.isEmpty()) {
      return;
    }
    final long nowNs = clock.getAsLong();
    while (expiring.isDue(nowNs)) {
      final int block = expiring.takeFirst();
      wish(block, KvCacheRetention.DEFAULT_PRIORITY, KvCacheRetention.NO_END);
      free.remove(block);
      free.addLast(block, levelOf(block));
    }
  }

  /** Pinned blocks are free again. */
  void unpin() {
    for (int block = 1; block < priorities.length; block++) {
      if (free.isPinned(block)) {
        free.remove(block);
        forget(block);
        free.addLast(block, KvCacheRetention.DEFAULT_PRIORITY);
      }
    }
  }

  private int levelOf(int block) {
    final int priority = priorities[block];
    if (priority == KvCacheRetention.PINNED) {
      return free.pinned() < mostPinned ? KvCacheRetention.PINNED : KvCacheRetention.MAX_PRIORITY;
    }
    return isPolicyTrusted ? ask(block, priority) : priority;
  }

  private int ask(int block, int priority) {
    try {
      candidate.block = block;
      final int answer = policy.priorityOf(candidate);
      if (answer >= 0 && answer <= KvCacheRetention.MAX_PRIORITY) {
        return answer;
      }
      distrust("priority=" + answer, null);
    } catch (RuntimeException e) {
      distrust("it threw", e);
    }
    return priority;
  }

  private void distrust(String what, @Nullable RuntimeException cause) {
    isPolicyTrusted = false;
    LOG.log(
        System.Logger.Level.ERROR,
        "an eviction policy must answer in [0, 100]; the cache goes on without it, least recently"
            + " used first: policy="
            + policy.getClass().getName()
            + ", "
            + what,
        cause);
  }

  private final class Candidate implements EvictionPolicy.Block {
    private int block;

    @Override
    public int id() {
      return block;
    }

    @Override
    public int priority() {
      return priorities[block];
    }

    @Override
    public int hits() {
      return hits[block];
    }
  }
}
