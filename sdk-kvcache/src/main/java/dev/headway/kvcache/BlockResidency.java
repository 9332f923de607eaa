package dev.headway.kvcache;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.kvcache.KvResidency;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * How long a sample of blocks stays. A block that is taken is drawn with a probability, and counted
 * when it is taken again. The clock is read for blocks of the sample only; the draws are the same
 * in every run. One thread, but for {@link #snapshot}; allocates nothing once made.
 *
 * <p>Source: vLLM's {@code KVCacheMetricsCollector}, its four latest hits among them.
 */
final class BlockResidency {

  /** Hits that are remembered; a power of two. */
  private static final int HITS = 4;

  private static final long SEED = 0x9e3779b97f4a7c15L;

  private final LongSupplier clock;

  /** Of 2^32 draws, so many are of the sample. */
  private final long sampled;

  private final long[] takenNs;
  private final long[] hitNs;
  private final int[] hits;
  private final DurationCounts lifetime = new DurationCounts();
  private final DurationCounts idle = new DurationCounts();
  private final DurationCounts gaps = new DurationCounts();
  private long random = SEED;

  BlockResidency(int numBlocks, double share, LongSupplier clock) {
    this.clock = clock;
    sampled = Math.round(share * (1L << 32));
    takenNs = new long[numBlocks];
    hitNs = new long[HITS * numBlocks];
    hits = new int[numBlocks];
    Arrays.fill(takenNs, ABSENT);
  }

  /** A block is taken for new content. */
  void taken(int block) {
    if (takenNs[block] != ABSENT) {
      count(block, clock.getAsLong());
      takenNs[block] = ABSENT;
    }
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    if (random >>> 32 < sampled) {
      takenNs[block] = clock.getAsLong();
      hits[block] = 0;
    }
  }

  /** A lookup has found a block, and its request holds it. */
  void hit(int block) {
    if (takenNs[block] != ABSENT) {
      hitNs[HITS * block + hits[block]++ % HITS] = clock.getAsLong();
    }
  }

  /** Contents are forgotten without being taken over. */
  void clear() {
    Arrays.fill(takenNs, ABSENT);
  }

  private void count(int block, long nowNs) {
    lifetime.add(nowNs - takenNs[block]);
    final int last = hits[block] - 1;
    idle.add(nowNs - (last < 0 ? takenNs[block] : hitAt(block, last)));
    for (int hit = Math.max(0, last - HITS + 1); hit < last; hit++) {
      gaps.add(hitAt(block, hit + 1) - hitAt(block, hit));
    }
  }

  private long hitAt(int block, int hit) {
    return hitNs[HITS * block + hit % HITS];
  }

  /** Any thread. */
  KvResidency snapshot() {
    return new KvResidency(lifetime.snapshot(), idle.snapshot(), gaps.snapshot());
  }
}
