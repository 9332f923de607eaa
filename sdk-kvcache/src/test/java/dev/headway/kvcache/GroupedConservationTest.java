package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.chunks;
import static dev.headway.kvcache.GroupedFixture.full;
import static dev.headway.kvcache.GroupedFixture.states;
import static dev.headway.kvcache.GroupedFixture.window;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random use of several groups with up to three steps out at once. A little executor runs each step
 * when it is planned: it copies blocks, then looks whether the layers of every group find the right
 * tokens where they look, then writes. After every step each block is accounted for exactly once.
 */
class GroupedConservationTest {

  private static final int MAX_MODEL_LEN = 64;

  private static final List<List<KvGroup>> SHAPES =
      List.of(
          List.of(full(4), window(4, 6)),
          List.of(full(8), window(4, 8)),
          List.of(window(4, 8)),
          List.of(full(4), window(4, 6), window(4, 10)),
          List.of(chunks(4, 8)),
          List.of(full(4), chunks(4, 8)),
          List.of(full(4), states(4, 0)),
          List.of(states(8, 1), full(8)),
          List.of(full(4), states(8, 0)),
          List.of(full(8), states(8, 0), states(8, 0)));

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 60);
  }

  static LongStream manySeeds() {
    return LongStream.rangeClosed(1_000, 1_099);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldAccountForEveryBlockAndServeTheRightTokens(long seed) {
    new World(seed).run(300);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("manySeeds")
  void shouldAccountForEveryBlockInLongRuns(long seed) {
    new World(seed).run(10_000);
  }

  /** A sequence, its request, and how far it is. */
  private static final class Held {
    final FakeRequest request;
    final KvSequence sequence;
    int computed;
    int inFlight;
    long lastStep;

    Held(FakeRequest request, KvSequence sequence) {
      this.request = request;
      this.sequence = sequence;
    }
  }

  /** Tokens {@code [from, to)} of a request, in one step. */
  private record Chunk(Held held, int from, int to) {}

  private static final class World implements KvBlockWork {
    private final long seed;
    private final Random random;
    private final List<KvGroup> groups;
    private final int usable;
    private final GroupedKvCacheManager manager;
    private final List<Held> idle = new ArrayList<>();
    private final List<Held> active = new ArrayList<>();
    private final Deque<List<Chunk>> inFlight = new ArrayDeque<>();
    private final String[] contentOfBlock;
    private List<Chunk> planned = new ArrayList<>();
    private long step;

    World(long seed) {
      this.seed = seed;
      random = new Random(seed);
      groups = SHAPES.get((int) (seed % SHAPES.size()));
      final boolean hasStates = groups.stream().anyMatch(KvGroup.Mamba.class::isInstance);
      final boolean hasChunks = groups.stream().anyMatch(KvGroup.ChunkedLocal.class::isInstance);
      final PrefixRetention retention =
          switch (random.nextInt(hasChunks ? 2 : 3)) {
            case 0 -> PrefixRetention.BOUNDARIES;
            case 1 -> PrefixRetention.DENSE;
            default -> PrefixRetention.every(16);
          };
      usable = 12 + random.nextInt(30);
      contentOfBlock = new String[usable + 1];
      manager =
          KvCacheManagers.builder(
                  KvCacheShape.builder()
                      .blockSize(groups.stream().mapToInt(KvGroup::blockSize).max().getAsInt())
                      .blocks(usable + 1)
                      .groups(groups)
                      .build(),
                  MAX_MODEL_LEN)
              .maxInFlightTokens(48)
              .prefixCache(prefixCache(random, hasStates, retention))
              .speculation(
                  hasChunks || random.nextInt(3) > 0
                      ? SpeculationOptions.NONE
                      : SpeculationOptions.of(SpeculativeMethod.EAGLE, 1))
              .compatibility(Compatibility.HEADWAY)
              .hasher(BlockHasher.fixedKey(seed, 0))
              .buildGrouped();
    }

    /** Now and then none, and hits inside a block where a state may end there. */
    private static PrefixCacheOptions prefixCache(
        Random random, boolean hasStates, PrefixRetention retention) {
      final boolean enabled = random.nextInt(6) > 0;
      final PrefixCacheOptions.Builder options = PrefixCacheOptions.builder().retention(retention);
      if (hasStates && random.nextBoolean()) {
        options.matchUnit(2);
      }
      return enabled ? options.build() : PrefixCacheOptions.disabled();
    }

    void run(int steps) {
      for (int i = 0; i < steps; i++) {
        open();
        plan();
        execute();
        while (inFlight.size() > random.nextInt(4)) {
          process();
        }
        check();
        if (random.nextInt(20) == 0) {
          reset();
        }
      }
    }

    private void open() {
      if (idle.size() > 4) {
        manager.close(idle.removeFirst().sequence);
      }
      final int[] tokens = new int[1 + random.nextInt(40)];
      for (int i = 0; i < tokens.length; i++) {
        tokens[i] = random.nextInt(12) == 0 ? 1 : 0;
      }
      final Request.Builder builder = Request.builder("r" + step, tokens).maxTokens(24);
      if (random.nextInt(5) == 0) {
        builder.cacheSalt("salt");
      }
      final FakeRequest request = FakeRequest.of(0, builder.build());
      idle.add(new Held(request, manager.open(request)));
    }

    private void plan() {
      manager.beginStep(++step);
      planned = new ArrayList<>();
      for (Held held : List.copyOf(active)) {
        if (random.nextInt(12) == 0) {
          release(held);
        } else if (random.nextInt(4) > 0) {
          extend(held);
        }
      }
      for (Held held : List.copyOf(idle)) {
        if (held.inFlight == 0) {
          allocate(held);
        }
      }
    }

    private void extend(Held held) {
      if (held.computed == held.request.knownTokens()) {
        if (held.inFlight > 0 || held.computed > 56) {
          release(held);
          return;
        }
        held.request.append(random.nextInt(2));
      }
      final int want = 1 + random.nextInt(held.request.knownTokens() - held.computed);
      final int tokens = manager.alignChunk(held.sequence, held.computed, want, 16);
      held.request.inFlightTokens(held.inFlight);
      if (tokens == 0) {
        return;
      }
      if (manager.extend(held.sequence, held.computed, tokens, 0).isAllocated()) {
        planned(held, held.computed, tokens);
      } else {
        release(held);
      }
    }

    private void allocate(Held held) {
      final int matched = manager.lookup(held.sequence);
      final int known = held.request.knownTokens();
      assertThat(matched).as(where()).isLessThan(known);
      final int want = 1 + random.nextInt(known - matched);
      final int tokens = manager.alignChunk(held.sequence, matched, want, 16);
      final int before = manager.freeBlocks();
      if (tokens == 0) {
        return;
      }
      final int reserve = random.nextBoolean() ? known : 0;
      if (manager.allocate(held.sequence, tokens, 0, reserve, 0).isAllocated()) {
        idle.remove(held);
        active.add(held);
        planned(held, matched, tokens);
      } else {
        assertThat(manager.freeBlocks()).as(where()).isEqualTo(before);
      }
    }

    private void planned(Held held, int from, int tokens) {
      held.computed = from + tokens;
      held.inFlight += tokens;
      held.lastStep = step;
      planned.add(new Chunk(held, from, from + tokens));
    }

    private void release(Held held) {
      manager.release(held.sequence, held.computed, held.lastStep);
      held.computed = 0;
      active.remove(held);
      idle.add(held);
    }

    /** States are read before the step writes, keys and values while it does. */
    private void execute() {
      manager.endStep(this);
      planned.forEach(chunk -> forEachGroup(chunk, this::readState));
      planned.forEach(chunk -> forEachGroup(chunk, this::write));
      planned.forEach(chunk -> forEachGroup(chunk, this::readTokens));
      inFlight.add(planned);
    }

    private interface Access {
      void run(Chunk chunk, int group, KvGroup layers);
    }

    private void forEachGroup(Chunk chunk, Access access) {
      for (int group = 0; group < groups.size(); group++) {
        access.run(chunk, group, groups.get(group));
      }
    }

    private void readState(Chunk chunk, int group, KvGroup layers) {
      if (layers instanceof KvGroup.Mamba && chunk.from > 0) {
        final int index = (chunk.from - 1) / layers.blockSize();
        final int block = chunk.held.sequence.blockId(group, index);
        requireContent(chunk, group, block, contentOfBlock[block], prefix(chunk.held, chunk.from));
      }
    }

    private void write(Chunk chunk, int group, KvGroup layers) {
      final int size = layers.blockSize();
      final int last = (chunk.to - 1) / size;
      final int first = layers instanceof KvGroup.Mamba ? last : chunk.from / size;
      for (int i = first; i <= last; i++) {
        final int block = chunk.held.sequence.blockId(group, i);
        assertThat(block).as("a block to write to, " + where()).isPositive();
        contentOfBlock[block] = prefix(chunk.held, Math.min(chunk.to, (i + 1) * size));
      }
    }

    private void readTokens(Chunk chunk, int group, KvGroup layers) {
      if (layers instanceof KvGroup.Mamba) {
        return;
      }
      final int size = layers.blockSize();
      for (int i = firstToken(layers, chunk.from) / size; i <= (chunk.to - 1) / size; i++) {
        final int block = chunk.held.sequence.blockId(group, i);
        final String wanted = prefix(chunk.held, Math.min(chunk.to, (i + 1) * size));
        final String there = contentOfBlock[block];
        requireContent(
            chunk,
            group,
            block,
            there == null || there.length() < wanted.length()
                ? there
                : there.substring(0, wanted.length()),
            wanted);
      }
    }

    private static int firstToken(KvGroup layers, int position) {
      return switch (layers) {
        case KvGroup.SlidingWindow window -> Math.max(0, position - window.windowTokens() + 1);
        case KvGroup.ChunkedLocal local -> position / local.chunkTokens() * local.chunkTokens();
        default -> 0;
      };
    }

    private void requireContent(Chunk chunk, int group, int block, String there, String wanted) {
      if (block == 0 || !wanted.equals(there)) {
        assertThat(there)
            .as(
                "group %d, block %d, tokens [%d, %d), %s",
                group, block, chunk.from, chunk.to, where())
            .isEqualTo(wanted);
        assertThat(block).as(where()).isPositive();
      }
    }

    private void process() {
      manager.acknowledge(step - inFlight.size() + 1);
      for (Chunk chunk : inFlight.removeFirst()) {
        chunk.held.inFlight -= chunk.to - chunk.from;
      }
    }

    @Override
    public void copy(int source, int target) {
      contentOfBlock[target] = contentOfBlock[source];
    }

    @Override
    public void zero(int block) {
      contentOfBlock[block] = null;
    }

    private void reset() {
      assertThat(manager.reset()).as(where()).isEqualTo(manager.freeBlocks() == usable);
    }

    private void check() {
      final Set<Integer> held = new HashSet<>();
      for (Held one : active) {
        for (int group = 0; group < groups.size(); group++) {
          for (int i = 0; i < one.sequence.blockCount(group); i++) {
            held.add(one.sequence.blockId(group, i));
          }
          checkNothingProcessedIsMissing(one, group, groups.get(group));
        }
      }
      held.remove(0);
      final int[] free = manager.freeBlocksInOrder();
      final Set<Integer> seen = new HashSet<>(held);
      IntStream.of(free)
          .forEach(
              block -> assertThat(seen.add(block)).as("free twice or held, " + where()).isTrue());
      assertThat(free.length + held.size() + manager.quarantinedBlocks())
          .as("free + held + quarantined, " + where())
          .isEqualTo(usable);
    }

    /** Drafts in flight may be rejected: what the first of them looks at must still be there. */
    private void checkNothingProcessedIsMissing(Held held, int group, KvGroup layers) {
      if (layers instanceof KvGroup.Mamba) {
        return;
      }
      final int first = firstToken(layers, held.computed - held.inFlight);
      for (int i = first / layers.blockSize(); i <= (held.computed - 1) / layers.blockSize(); i++) {
        assertThat(held.sequence.blockId(group, i)).as("block %d, %s", i, where()).isPositive();
      }
    }

    private String prefix(Held held, int tokens) {
      final StringBuilder text =
          new StringBuilder(Objects.requireNonNullElse(held.request.request().cacheSalt(), "-   "));
      for (int i = 0; i < tokens; i++) {
        text.append(held.request.tokenId(i));
      }
      return text.toString();
    }

    private String where() {
      return "seed=" + seed + ", step=" + step;
    }
  }
}
