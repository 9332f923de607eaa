package dev.headway.routing.kvevents;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A prefix cache that stores prompts which share beginnings, block by block, keeps equal blocks
 * more than once, and loses any block at any time.
 */
final class FakeEngine {

  static final int BLOCK = 4;
  private static final int BLOCKS = 6;
  private static final int PROMPTS = 5;

  private final Random random;
  private final long secret;
  private final List<int[]> prompts = new ArrayList<>();

  /** Copies by name. */
  private final Map<Long, Integer> copies = new TreeMap<>();

  FakeEngine(Random random) {
    this.random = random;
    secret = random.nextLong();
    for (int i = 0; i < PROMPTS; i++) {
      final int[] prompt = new int[BLOCK * BLOCKS + 1];
      Arrays.setAll(prompt, at -> at);
      final int own = BLOCK * (i % BLOCKS);
      for (int at = own; at < prompt.length; at++) {
        prompt[at] += 1_000 * (i + 1);
      }
      prompts.add(prompt);
    }
  }

  List<int[]> prompts() {
    return prompts;
  }

  int distinctBlocks() {
    return copies.size();
  }

  int cachedTokens(int... prompt) {
    int blocks = 0;
    while (blocks < BLOCKS && copies.containsKey(name(prompt, blocks))) {
      blocks++;
    }
    return blocks * BLOCK;
  }

  /** What a step changes: a prompt stored from its first missing block on, blocks lost. */
  List<CacheChange> step() {
    final List<CacheChange> changes = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0 && !copies.isEmpty(); i--) {
      final List<Long> names = List.copyOf(copies.keySet());
      final long name = names.get(random.nextInt(names.size()));
      copies.merge(name, -1, (a, b) -> a + b == 0 ? null : a + b);
      changes.add(new CacheChange.Removed(name, 0));
    }
    if (random.nextInt(60) == 0) {
      copies.clear();
      changes.add(new CacheChange.Cleared());
    }
    if (random.nextInt(3) > 0) {
      final int[] prompt = prompts.get(random.nextInt(PROMPTS));
      final int from = cachedTokens(prompt) / BLOCK;
      final int to = from + random.nextInt(BLOCKS - from + 1);
      if (to > from) {
        changes.add(stored(prompt, from, to));
      }
    }
    return changes;
  }

  private CacheChange stored(int[] prompt, int from, int to) {
    final long[] names = new long[to - from];
    for (int block = from; block < to; block++) {
      names[block - from] = name(prompt, block);
      copies.merge(name(prompt, block), 1, Integer::sum);
    }
    return new CacheChange.Stored(
        names,
        from == 0,
        from == 0 ? 0 : name(prompt, from - 1),
        Arrays.copyOfRange(prompt, from * BLOCK, to * BLOCK),
        BLOCK,
        0,
        null,
        0,
        null);
  }

  /** Of all tokens up to the end of a block, and of the engine. */
  private long name(int[] prompt, int block) {
    long hash = secret;
    for (int i = 0; i < (block + 1) * BLOCK; i++) {
      hash = hash * 0x9e3779b97f4a7c15L + prompt[i] + 1;
      hash ^= hash >>> 29;
    }
    return hash;
  }
}
