package dev.headway.benchmarks;

import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.KvCacheManagers;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Looks up a prompt of 1,024 tokens in a cache whose every block is filled, however many blocks it
 * has: a hit finds 63 of 64 blocks, a miss fails at the first.
 *
 * <p>{@code first} is the lookup of a new request, which hashes what it looks for and makes room
 * for what it finds; {@code again} that of a request that waits, which knows its hashes and
 * allocates nothing. The prompts that hit lie all over the cache, so large ones show what memory
 * costs.
 */
public class PrefixLookupBenchmark extends NanosPerOperation {

  private static final int LOOKUPS = 256;
  private static final int PROMPT_TOKENS = 1_024;
  private static final int PROMPT_BLOCKS = PROMPT_TOKENS / SchedulerLoop.BLOCK_SIZE;

  /** Blocks of the cache. */
  @Param({"256", "4096", "65536", "1048576"})
  int blocks = 256;

  /** Whether the prompts are in the cache: hit or miss. */
  @Param({"hit", "miss"})
  String prompt = "hit";

  private KvCacheManager kv = newCache(1 + PROMPT_BLOCKS);
  private final List<RequestView> requests = new ArrayList<>();
  private final KvSequence[] known = new KvSequence[LOOKUPS];
  private final KvSequence[] fresh = new KvSequence[LOOKUPS];

  /** What the lookups allocate: bytes over lookups. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Allocation {
    /** Bytes allocated by the measured lookups. */
    public long allocatedBytes;

    /** Measured lookups. */
    public long lookups;
  }

  private static KvCacheManager newCache(int blocks) {
    return KvCacheManagers.builder(
            KvCacheShape.builder().blockSize(SchedulerLoop.BLOCK_SIZE).blocks(blocks).build(),
            PROMPT_TOKENS + 1)
        .hasher(BlockHasher.fixedKey(1, 2))
        .build();
  }

  /** Fills the cache and picks the prompts. */
  @Setup(Level.Trial)
  public void fill() {
    kv = newCache(blocks);
    // makes the views; never steps, and forgets each at once
    final SchedulerLoop views =
        new SchedulerLoop(SchedulerLoop.config(1, 2_048, 2_048), 256, new Probe() {});
    final int prompts = (blocks - 1) / PROMPT_BLOCKS;
    final int apart = Math.max(1, prompts / LOOKUPS);
    for (int i = 0; i < prompts; i++) {
      final RequestView request = viewOf(views);
      store(request);
      if (prompt.equals("hit") && i % apart == 0 && requests.size() < LOOKUPS) {
        requests.add(request);
      }
    }
    while (prompt.equals("miss") && requests.size() < LOOKUPS) {
      requests.add(viewOf(views));
    }
    for (int i = 0; i < LOOKUPS; i++) {
      known[i] = kv.open(requests.get(i % requests.size()));
      requireExpected(kv.lookup(known[i]));
    }
  }

  private static RequestView viewOf(SchedulerLoop views) {
    final RequestView request = views.add(PROMPT_TOKENS, 1);
    views.scheduler.finish(request, FinishReason.ABORTED, null);
    return request;
  }

  private void store(RequestView request) {
    final KvSequence sequence = kv.open(request);
    if (!kv.allocate(sequence, PROMPT_TOKENS, 0, 0, 0).isAllocated()) {
      throw new IllegalStateException("the prompt must fit: free=" + kv.freeBlocks());
    }
    kv.release(sequence, PROMPT_TOKENS, 0L);
    kv.close(sequence);
  }

  private void requireExpected(int found) {
    final int expected = prompt.equals("hit") ? PROMPT_TOKENS - SchedulerLoop.BLOCK_SIZE : 0;
    if (found != expected) {
      throw new IllegalStateException(
          "a " + prompt + " must find " + expected + " tokens: found=" + found);
    }
  }

  /** Opens the requests that {@link #first} looks up. */
  @Setup(Level.Invocation)
  public void open() {
    for (int i = 0; i < LOOKUPS; i++) {
      fresh[i] = kv.open(requests.get(i % requests.size()));
    }
  }

  /** Closes them. */
  @TearDown(Level.Invocation)
  public void close() {
    for (KvSequence sequence : fresh) {
      kv.close(sequence);
    }
  }

  /** Looks up new requests; the score is the time of one. */
  @Benchmark
  @OperationsPerInvocation(LOOKUPS)
  public long first(Allocation allocation) {
    return lookUp(fresh, allocation);
  }

  /** Looks up waiting requests; the score is the time of one. */
  @Benchmark
  @OperationsPerInvocation(LOOKUPS)
  public long again(Allocation allocation) {
    return lookUp(known, allocation);
  }

  private long lookUp(KvSequence[] sequences, Allocation allocation) {
    final long before = SchedulerLoop.allocatedBytes();
    long found = 0;
    for (KvSequence sequence : sequences) {
      found += kv.lookup(sequence);
    }
    allocation.allocatedBytes += SchedulerLoop.allocatedBytes() - before;
    allocation.lookups += sequences.length;
    return found;
  }
}
