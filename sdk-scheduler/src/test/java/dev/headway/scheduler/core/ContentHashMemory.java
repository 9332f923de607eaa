package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SyncDriver;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A model of the one thing an executor does with blocks. A slot holds the hash of its token and of
 * the slot before it, as found through the block table; a generated token is a hash of every slot
 * the request can see. So whoever sees a wrong, stale or never computed block answers another token
 * than {@link #tokenAfter} says for the request alone.
 *
 * <p>Entries are computed in plan order: a block that is shared within a step belongs to an earlier
 * entry.
 */
final class ContentHashMemory {

  /** An entry of a plan. */
  private record Work(int[] blocks, int from, int[] tokens, boolean samples) {}

  private final int blockSize;
  private final int vocabularySize;
  private final long[] slots;

  /** Makes a memory full of rubbish. */
  ContentHashMemory(KvCacheShape shape, int vocabularySize, long seed) {
    this.blockSize = shape.blockSize();
    this.vocabularySize = vocabularySize;
    slots = new Random(seed).longs((long) shape.numBlocks() * blockSize).toArray();
  }

  /**
   * Copies what it needs of a plan, as executors do since requests and block tables move on; what
   * it returns writes the slots, early or late, and answers a token where one is due.
   */
  SyncDriver.Answer submit(StepPlan plan) {
    final List<Work> work = new ArrayList<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      final int[] blocks = new int[plan.blocks().count(entry, 0)];
      plan.blocks().of(entry).copyBlockIds(0, 0, blocks, 0, blocks.length);
      final int from = plan.computedTokens(entry);
      final int[] tokens = new int[plan.scheduledTokens(entry)];
      plan.request(entry).copyTokenIds(from, tokens, 0, tokens.length);
      work.add(new Work(blocks, from, tokens, plan.samples(entry)));
    }
    return (same, output) -> compute(work, output);
  }

  private void compute(List<Work> work, StepOutput output) {
    for (int entry = 0; entry < work.size(); entry++) {
      final Work one = work.get(entry);
      int position = one.from();
      for (int token : one.tokens()) {
        final long before = position == 0 ? 0 : slots[slotOf(one, position - 1)];
        slots[slotOf(one, position++)] = mix(before, token);
      }
      if (one.samples()) {
        long seen = 0;
        for (int read = 0; read < position; read++) {
          seen = mix(seen, slots[slotOf(one, read)]);
        }
        output.addToken(entry, tokenOf(seen));
      }
    }
  }

  private int slotOf(Work one, int position) {
    return one.blocks()[position / blockSize] * blockSize + position % blockSize;
  }

  /** The token that follows a request's first {@code known} tokens when nothing goes wrong. */
  int tokenAfter(RequestView request, int known) {
    long slot = 0;
    long seen = 0;
    for (int position = 0; position < known; position++) {
      slot = mix(slot, request.tokenId(position));
      seen = mix(seen, slot);
    }
    return tokenOf(seen);
  }

  private int tokenOf(long hash) {
    return (int) Long.remainderUnsigned(hash, vocabularySize);
  }

  private static long mix(long a, long b) {
    long z = a * 0x9e3779b97f4a7c15L + b + 0x632be59bd9b4e019L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
