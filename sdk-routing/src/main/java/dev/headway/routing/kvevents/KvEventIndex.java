package dev.headway.routing.kvevents;

import dev.headway.routing.kvevents.codec.KvBatch;
import dev.headway.routing.kvevents.codec.KvBlockHash;
import dev.headway.routing.kvevents.codec.KvEvent;
import dev.headway.routing.kvevents.codec.KvEvent.AllBlocksCleared;
import dev.headway.routing.kvevents.codec.KvEvent.BlockRemoved;
import dev.headway.routing.kvevents.codec.KvEvent.BlockStored;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.WorkerPrefixes;
import dev.headway.routing.policy.WorkerSet;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Knows which worker has which prefix, from the events that the workers publish. Any thread.
 *
 * <p>Blocks are found by a chain of hashes over their tokens that is made here, so that workers may
 * name blocks as they like, and each differently; a worker's own names only lead from its removals
 * to blocks. A block whose parent is not known is left out: its prefix is unknown.
 *
 * <p>Bounded: a worker's blocks beyond {@code maxBlocksPerWorker} are not kept, and counted.
 */
public final class KvEventIndex implements WorkerPrefixes {

  /** Enough for 64 million tokens in blocks of 16 per worker. */
  public static final int DEFAULT_BLOCKS_PER_WORKER = 1 << 22;

  private static final int DEVICE = 1;
  private static final int ELSEWHERE = 2;

  private final int maxBlocksPerWorker;
  private final TokenChain chain = TokenChain.random();
  private final Map<String, Holder> holders = new HashMap<>();
  private final BitSet slots = new BitSet();

  /** Workers that have a block, by the block's place in its chain. */
  private final Map<Long, BitSet> workersByBlock = new HashMap<>();

  /** How many blocks there are of each size. */
  private final Map<Integer, Integer> blockSizes = new TreeMap<>();

  private final Set<String> adapters = new HashSet<>();
  private long orphans;
  private long overflowed;

  /** Makes an empty index of the default size. */
  public KvEventIndex() {
    this(DEFAULT_BLOCKS_PER_WORKER);
  }

  /**
   * Makes an empty index.
   *
   * @throws IllegalArgumentException if the bound is smaller than 1
   */
  public KvEventIndex(int maxBlocksPerWorker) {
    if (maxBlocksPerWorker < 1) {
      throw new IllegalArgumentException(
          "maxBlocksPerWorker must be >= 1: maxBlocksPerWorker=" + maxBlocksPerWorker);
    }
    this.maxBlocksPerWorker = maxBlocksPerWorker;
  }

  /** Where the events of a worker go. */
  public KvEventSink worker(String workerId) {
    return new KvEventSink() {
      @Override
      public void apply(KvBatch batch) {
        synchronized (KvEventIndex.this) {
          final Holder holder = holder(workerId);
          batch.events().forEach(event -> KvEventIndex.this.apply(holder, event));
        }
      }

      @Override
      public void reset() {
        synchronized (KvEventIndex.this) {
          clear(holder(workerId));
        }
      }
    };
  }

  /** Forgets a worker. */
  public synchronized void removeWorker(String workerId) {
    final Holder holder = holders.remove(workerId);
    if (holder != null) {
      clear(holder);
      slots.clear(holder.slot);
    }
  }

  @Override
  public synchronized void match(
      RoutingRequest request, WorkerSet candidates, int[] matchedTokens) {
    final String model = request.model();
    final String adapter = model != null && adapters.contains(model) ? model : null;
    for (int blockSize : blockSizes.keySet()) {
      match(request.tokens(), blockSize, adapter, candidates, matchedTokens);
    }
  }

  private void match(
      int[] tokens,
      int blockSize,
      @Nullable String adapter,
      WorkerSet candidates,
      int[] matchedTokens) {
    final int[] slotsOf = new int[candidates.size()];
    final BitSet left = new BitSet();
    for (int i = 0; i < slotsOf.length; i++) {
      final Holder holder = holders.get(candidates.get(i).id());
      slotsOf[i] = holder == null ? -1 : holder.slot;
      if (holder != null) {
        left.set(holder.slot);
      }
    }
    long block = chain.begin(blockSize);
    for (int from = 0; !left.isEmpty() && tokens.length - from >= blockSize; from += blockSize) {
      block = chain.next(block, tokens, from, blockSize, adapter, null);
      final BitSet workers = workersByBlock.get(block);
      if (workers == null) {
        return;
      }
      left.and(workers);
      for (int i = 0; i < slotsOf.length; i++) {
        if (slotsOf[i] >= 0 && left.get(slotsOf[i])) {
          matchedTokens[i] = Math.max(matchedTokens[i], from + blockSize);
        }
      }
    }
  }

  /** Blocks that a worker has; 0 if it is not known. */
  public synchronized int blocks(String workerId) {
    final Holder holder = holders.get(workerId);
    return holder == null ? 0 : holder.blocks.size();
  }

  /** Blocks left out because what is in front of them is not known. */
  public synchronized long orphans() {
    return orphans;
  }

  /** Blocks left out because their worker has too many. */
  public synchronized long overflowed() {
    return overflowed;
  }

  private Holder holder(String workerId) {
    return holders.computeIfAbsent(
        workerId,
        id -> {
          final int slot = slots.nextClearBit(0);
          slots.set(slot);
          return new Holder(slot);
        });
  }

  private void apply(Holder holder, KvEvent event) {
    switch (event) {
      case BlockStored stored -> store(holder, stored);
      case BlockRemoved removed -> remove(holder, removed);
      case AllBlocksCleared cleared -> clear(holder);
    }
  }

  private void store(Holder holder, BlockStored stored) {
    if (!isWholeContext(stored)) {
      return;
    }
    final int blockSize = stored.blockSize();
    long place = chain.begin(blockSize);
    if (stored.parent() != null) {
      final Held parent = holder.blocks.get(stored.parent().low64());
      if (parent == null) {
        orphans += stored.hashes().size();
        return;
      }
      place = parent.place;
    }
    final String adapter = adapter(stored);
    if (adapter != null) {
      adapters.add(adapter);
    }
    final int tier = tier(stored.medium());
    for (int i = 0; i < stored.hashes().size(); i++) {
      place =
          chain.next(
              place,
              stored.tokens(),
              i * blockSize,
              blockSize,
              adapter,
              stored.extraKeys() == null ? null : stored.extraKeys().of(i));
      keep(holder, stored.hashes().get(i), new Held(place, blockSize, stored.group()), tier);
    }
  }

  private void keep(Holder holder, KvBlockHash hash, Held fresh, int tier) {
    final Held before = holder.blocks.get(hash.low64());
    if (before != null && before.place == fresh.place) {
      before.tiers |= tier;
      return;
    }
    if (before != null) {
      drop(holder, hash); // the name is that of another block now
    }
    if (holder.blocks.size() == maxBlocksPerWorker) {
      overflowed++;
      return;
    }
    fresh.tiers = tier;
    holder.blocks.put(hash.low64(), fresh);
    blockSizes.merge(fresh.blockSize, 1, Integer::sum);
    if (holder.copies.merge(fresh.place, 1, Integer::sum) == 1) {
      workersByBlock.computeIfAbsent(fresh.place, place -> new BitSet()).set(holder.slot);
    }
  }

  private void remove(Holder holder, BlockRemoved removed) {
    for (KvBlockHash hash : removed.hashes()) {
      final Held held = holder.blocks.get(hash.low64());
      final boolean other =
          held != null
              && removed.group() != null
              && held.group != null
              && !removed.group().equals(held.group);
      if (held != null && !other) {
        held.tiers &= ~tier(removed.medium());
        if (held.tiers == 0) {
          drop(holder, hash);
        }
      }
    }
  }

  private void drop(Holder holder, KvBlockHash hash) {
    final Held held = holder.blocks.remove(hash.low64());
    if (held == null) {
      return;
    }
    blockSizes.computeIfPresent(held.blockSize, (size, count) -> count == 1 ? null : count - 1);
    if (holder.copies.merge(held.place, -1, (a, b) -> a + b == 0 ? null : a + b) == null) {
      final BitSet workers = workersByBlock.get(held.place);
      if (workers != null) {
        workers.clear(holder.slot);
        if (workers.isEmpty()) {
          workersByBlock.remove(held.place);
        }
      }
    }
  }

  private void clear(Holder holder) {
    Set.copyOf(holder.blocks.keySet()).forEach(hash -> drop(holder, KvBlockHash.ofLong(hash)));
  }

  /** Windows and recurrent states do not show whether a prefix is there. */
  private static boolean isWholeContext(BlockStored stored) {
    final String kind = stored.groupKind();
    if (kind == null) {
      return stored.group() == null || stored.group() == 0;
    }
    return kind.equals(KvEvent.FULL_ATTENTION) || kind.contains("mla") || kind.contains("sink");
  }

  private static @Nullable String adapter(BlockStored stored) {
    if (stored.loraName() != null) {
      return stored.loraName();
    }
    return stored.loraId() == null ? null : "lora-id:" + stored.loraId();
  }

  private static int tier(@Nullable String medium) {
    return medium == null || medium.equalsIgnoreCase(KvEvent.GPU) ? DEVICE : ELSEWHERE;
  }

  /** What one worker has. */
  private static final class Holder {
    private final int slot;
    private final Map<Long, Held> blocks = new HashMap<>();

    /** How many of its blocks are the same. */
    private final Map<Long, Integer> copies = new HashMap<>();

    Holder(int slot) {
      this.slot = slot;
    }
  }

  /** A block of a worker. */
  private static final class Held {
    private final long place;
    private final int blockSize;
    private final @Nullable Integer group;
    private int tiers;

    Held(long place, int blockSize, @Nullable Integer group) {
      this.place = place;
      this.blockSize = blockSize;
      this.group = group;
    }
  }
}
