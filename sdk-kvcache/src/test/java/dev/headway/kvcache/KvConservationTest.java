package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random use of a manager with several steps out at once. After every operation each block is
 * accounted for exactly once, and every block table holds the content that its tokens say: a
 * block's content is written down here whenever it is taken or filled, and read back through the
 * tables.
 */
class KvConservationTest {

  private static final int BLOCK_SIZE = 2;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 24);
  }

  static LongStream manySeeds() {
    return LongStream.rangeClosed(1_000, 1_059);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldAccountForEveryBlockAfterEveryOperation(long seed) {
    new World(seed).run(4_000);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("manySeeds")
  void shouldAccountForEveryBlockInLongRuns(long seed) {
    new World(seed).run(100_000);
  }

  /** A sequence, its request, and how far it is. */
  private static final class Held {
    final FakeRequest request;
    final KvSequence sequence;
    int computed;
    long lastStep;

    Held(FakeRequest request, KvSequence sequence) {
      this.request = request;
      this.sequence = sequence;
    }
  }

  private static final class World {
    private final long seed;
    private final Random random;
    private final int usable;
    private final boolean caching;
    private final PagedKvCacheManager manager;
    private final List<Held> idle = new ArrayList<>();
    private final List<Held> active = new ArrayList<>();
    private final String[] contentOfBlock;

    /** Blocks that a step out may still write, by that step. */
    private final Map<Integer, Long> fenceOfBlock = new HashMap<>();

    private long step = 1;
    private long acknowledged;
    private int operation;

    World(long seed) {
      this.seed = seed;
      random = new Random(seed);
      usable = 3 + random.nextInt(20);
      caching = random.nextInt(4) > 0;
      contentOfBlock = new String[usable + 1];
      manager =
          (PagedKvCacheManager)
              KvCacheManagers.builder(
                      KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(usable + 1).build(), 64)
                  .prefixCache(caching ? PrefixCacheOptions.DEFAULT : PrefixCacheOptions.disabled())
                  .compatibility(Compatibility.HEADWAY)
                  .hasher(BlockHasher.fixedKey(seed, 0))
                  .build();
    }

    void run(int operations) {
      for (operation = 0; operation < operations; operation++) {
        switch (random.nextInt(10)) {
          case 0, 1 -> open();
          case 2, 3, 4 -> allocate();
          case 5, 6 -> extend();
          case 7 -> release();
          case 8 -> acknowledge();
          default -> reset();
        }
        step += random.nextInt(3) == 0 ? 1 : 0;
        check();
      }
    }

    private void open() {
      if (idle.size() > 6) {
        manager.close(idle.removeFirst().sequence);
      }
      final int[] tokens = new int[1 + random.nextInt(12)];
      for (int i = 0; i < tokens.length; i++) {
        tokens[i] = random.nextInt(2);
      }
      final Request.Builder builder = Request.builder("r" + operation, tokens).maxTokens(32);
      if (random.nextInt(4) == 0) {
        builder.cacheSalt("salt");
      }
      final FakeRequest request = FakeRequest.of(0, builder.build());
      idle.add(new Held(request, manager.open(request)));
    }

    private void allocate() {
      if (idle.isEmpty()) {
        return;
      }
      final Held held = idle.get(random.nextInt(idle.size()));
      final int known = held.request.knownTokens();
      final int matched = manager.lookup(held.sequence);
      assertThat(matched).as(where()).isLessThan(known);
      final int tokens = 1 + random.nextInt(known - matched);
      final int before = manager.freeBlocks();
      final int reserve = random.nextBoolean() ? known : 0;
      if (!manager.allocate(held.sequence, tokens, 0, reserve, random.nextInt(2)).isAllocated()) {
        assertThat(manager.freeBlocks()).as(where()).isEqualTo(before);
        return;
      }
      for (int i = 0; i < matched / BLOCK_SIZE; i++) {
        assertThat(contentOfBlock[held.sequence.blockId(0, i)])
            .as(where())
            .isEqualTo(prefix(held, (i + 1) * BLOCK_SIZE));
      }
      idle.remove(held);
      active.add(held);
      write(held, matched, tokens);
    }

    private void extend() {
      if (active.isEmpty()) {
        return;
      }
      final Held held = active.get(random.nextInt(active.size()));
      if (held.computed == held.request.knownTokens()) {
        if (held.computed > 40) {
          return;
        }
        held.request.append(random.nextInt(2));
      }
      final int tokens = 1 + random.nextInt(held.request.knownTokens() - held.computed);
      if (manager.extend(held.sequence, held.computed, tokens, 0).isAllocated()) {
        write(held, held.computed, tokens);
      }
    }

    /** Does what the executor would: fills the blocks of the step's tokens. */
    private void write(Held held, int from, int tokens) {
      held.lastStep = step;
      held.computed = from + tokens;
      for (int i = from / BLOCK_SIZE; i < held.sequence.blockCount(0); i++) {
        final int block = held.sequence.blockId(0, i);
        contentOfBlock[block] = prefix(held, Math.min(held.computed, (i + 1) * BLOCK_SIZE));
      }
      for (int i = 0; i < held.sequence.blockCount(0); i++) {
        fenceOfBlock.merge(held.sequence.blockId(0, i), step, Math::max);
      }
    }

    private void release() {
      if (active.isEmpty()) {
        return;
      }
      final Held held = active.remove(random.nextInt(active.size()));
      final int blocks = held.sequence.blockCount(0);
      assertThat(manager.release(held.sequence, held.computed, held.lastStep))
          .as(where())
          .isEqualTo(blocks);
      if (random.nextBoolean()) {
        idle.add(held);
      } else {
        manager.close(held.sequence);
      }
    }

    private void acknowledge() {
      acknowledged += random.nextInt((int) (step - acknowledged) + 1);
      manager.acknowledge(acknowledged);
    }

    private void reset() {
      final boolean done = manager.reset();
      assertThat(done).as(where()).isEqualTo(manager.freeBlocks() == usable);
      if (done) {
        assertThat(manager.cachedContents()).as(where()).isZero();
      }
    }

    private void check() {
      final Set<Integer> held = new HashSet<>();
      for (Held one : active) {
        for (int i = 0; i < one.sequence.blockCount(0); i++) {
          held.add(one.sequence.blockId(0, i));
        }
        for (int i = 0; i < one.computed / BLOCK_SIZE; i++) {
          if (!contentOfBlock[one.sequence.blockId(0, i)].equals(
              prefix(one, (i + 1) * BLOCK_SIZE))) {
            assertThat(contentOfBlock[one.sequence.blockId(0, i)])
                .as(where())
                .isEqualTo(prefix(one, (i + 1) * BLOCK_SIZE));
          }
        }
      }
      final int[] free = manager.freeBlocksInOrder();
      final Set<Integer> seen = new HashSet<>(held);
      for (int block : free) {
        if (!seen.add(block) || block < 1 || block > usable) {
          assertThat(block).as("free twice or held, " + where()).isNegative();
        }
        if (fenceOfBlock.getOrDefault(block, 0L) > acknowledged) {
          assertThat(block).as("free before its step is acknowledged, " + where()).isNegative();
        }
      }
      if (free.length + held.size() + manager.quarantinedBlocks() != usable) {
        assertThat(free.length + held.size() + manager.quarantinedBlocks())
            .as("free + held + quarantined, " + where())
            .isEqualTo(usable);
      }
    }

    private String prefix(Held held, int tokens) {
      final StringBuilder text =
          new StringBuilder(Objects.requireNonNullElse(held.request.request().cacheSalt(), ""));
      for (int i = 0; i < tokens; i++) {
        text.append(held.request.tokenId(i));
      }
      return text.toString();
    }

    private String where() {
      return "seed=" + seed + ", operation=" + operation;
    }
  }
}
