package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.KvReport;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The general manager with one full group beside the one made for that: the same random use must
 * give the same verdicts, blocks, free queue and events.
 */
class GroupedEqualsPagedTest {

  private static final int BLOCK_SIZE = 4;
  private static final int MAX_MODEL_LEN = 60;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 32);
  }

  static LongStream manySeeds() {
    return LongStream.rangeClosed(1_000, 1_059);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldDecideAlike(long seed) {
    new Pair(seed).run(2_000);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("manySeeds")
  void shouldDecideAlikeInLongRuns(long seed) {
    new Pair(seed).run(50_000);
  }

  /** One request in both managers. */
  private static final class Held {
    final FakeRequest request;
    final KvSequence paged;
    final KvSequence grouped;
    int computed;

    Held(FakeRequest request, KvSequence paged, KvSequence grouped) {
      this.request = request;
      this.paged = paged;
      this.grouped = grouped;
    }
  }

  private static final class Pair {
    private final long seed;
    private final Random random;
    private final PagedKvCacheManager paged;
    private final GroupedKvCacheManager grouped;
    private final Journal pagedJournal = new Journal();
    private final Journal groupedJournal = new Journal();
    private final int lookahead;
    private final List<Held> idle = new ArrayList<>();
    private final List<Held> active = new ArrayList<>();
    private long step = 1;
    private int operation;

    Pair(long seed) {
      this.seed = seed;
      random = new Random(seed);
      final SpeculationOptions speculation =
          switch (random.nextInt(4)) {
            case 0 -> SpeculationOptions.of(SpeculativeMethod.EAGLE, 2);
            case 1 -> SpeculationOptions.of(SpeculativeMethod.MTP_MULTI, 3);
            default -> SpeculationOptions.NONE;
          };
      lookahead = speculation.lookaheadTokens();
      final KvCacheManagers.Builder options =
          KvCacheManagers.builder(
                  KvCacheShape.builder()
                      .blockSize(BLOCK_SIZE)
                      .blocks(4 + random.nextInt(24))
                      .build(),
                  MAX_MODEL_LEN)
              .prefixCache(
                  random.nextInt(4) > 0
                      ? PrefixCacheOptions.DEFAULT
                      : PrefixCacheOptions.disabled())
              .compatibility(random.nextBoolean() ? Compatibility.HEADWAY : Compatibility.VLLM_0_28)
              .speculation(speculation)
              .hasher(BlockHasher.fixedKey(seed, 0));
      paged = (PagedKvCacheManager) options.listener(pagedJournal).build();
      grouped = options.listener(groupedJournal).buildGrouped();
    }

    void run(int operations) {
      for (operation = 0; operation < operations; operation++) {
        switch (random.nextInt(12)) {
          case 0, 1 -> open();
          case 2, 3, 4 -> allocate();
          case 5, 6, 7 -> extend();
          case 8 -> release();
          case 9 -> acknowledge();
          case 10 -> takeBack();
          default -> compare("reset", paged.reset(), grouped.reset());
        }
        compareState();
      }
    }

    private void open() {
      if (idle.size() > 6) {
        final Held closed = idle.removeFirst();
        paged.close(closed.paged);
        grouped.close(closed.grouped);
      }
      final int[] tokens = new int[1 + random.nextInt(24)];
      for (int i = 0; i < tokens.length; i++) {
        tokens[i] = random.nextInt(8) == 0 ? 1 : 0;
      }
      final Request.Builder builder = Request.builder("r" + operation, tokens).maxTokens(40);
      switch (random.nextInt(8)) {
        case 0 -> builder.cacheSalt("salt");
        case 1 -> builder.lora(new LoraAdapter(1, "adapter"));
        case 2 -> builder.prefixReuse(PrefixReuse.SKIPPED);
        case 3 -> builder.kvReport(KvReport.FULL);
        default -> {}
      }
      final FakeRequest request = FakeRequest.of(0, builder.build());
      idle.add(new Held(request, paged.open(request), grouped.open(request)));
    }

    private void allocate() {
      if (idle.isEmpty()) {
        return;
      }
      final Held held = idle.get(random.nextInt(idle.size()));
      final int matched = paged.lookup(held.paged);
      compare("matched", matched, grouped.lookup(held.grouped));
      if (matched > 0) {
        final long hash = held.paged.prefixHash(matched);
        assertThat(hash).as("seed=%d", seed).isNotZero();
        compare("prefixHash", hash, held.grouped.prefixHash(matched));
      }
      final int known = held.request.knownTokens();
      final int tokens = 1 + random.nextInt(known - matched);
      final int reserve = random.nextBoolean() ? known : 0;
      final int watermark = random.nextInt(3);
      final Allocation answer = paged.allocate(held.paged, tokens, lookahead, reserve, watermark);
      compare(answer, grouped.allocate(held.grouped, tokens, lookahead, reserve, watermark));
      if (answer.isAllocated()) {
        held.computed = matched + tokens;
        idle.remove(held);
        active.add(held);
      }
    }

    private void extend() {
      if (active.isEmpty()) {
        return;
      }
      final Held held = active.get(random.nextInt(active.size()));
      if (held.computed == held.request.knownTokens()) {
        if (held.computed >= MAX_MODEL_LEN - 1) {
          return;
        }
        held.request.append(random.nextInt(2));
      }
      final int tokens = 1 + random.nextInt(held.request.knownTokens() - held.computed);
      final Allocation answer = paged.extend(held.paged, held.computed, tokens, lookahead);
      compare(answer, grouped.extend(held.grouped, held.computed, tokens, lookahead));
      if (answer.isAllocated()) {
        held.computed += tokens;
      }
    }

    private void release() {
      if (active.isEmpty()) {
        return;
      }
      final Held held = active.remove(random.nextInt(active.size()));
      release(held, held.computed);
    }

    private void release(Held held, int computed) {
      compare(
          "released",
          paged.release(held.paged, computed, step),
          grouped.release(held.grouped, computed, step));
      idle.add(held);
      step++;
    }

    private void acknowledge() {
      final long done = step - random.nextInt(3);
      paged.acknowledge(done);
      grouped.acknowledge(done);
    }

    /** Takes back what no other request builds on. */
    private void takeBack() {
      if (active.isEmpty()) {
        return;
      }
      final Held held = active.get(random.nextInt(active.size()));
      final List<Integer> shared = new ArrayList<>();
      active.stream().filter(o -> o != held).forEach(o -> shared.addAll(blocks(o.paged)));
      int own = held.paged.blockCount(0);
      while (own > 0 && !shared.contains(held.paged.blockId(0, own - 1))) {
        own--;
      }
      final int least = Math.min(held.computed, own * BLOCK_SIZE);
      final int sure = least + random.nextInt(held.computed - least + 1);
      active.remove(held);
      release(held, sure);
    }

    private void compareState() {
      compare("free", ints(paged.freeBlocksInOrder()), ints(grouped.freeBlocksInOrder()));
      compare("quarantined", paged.quarantinedBlocks(), grouped.quarantinedBlocks());
      compare("contents", paged.cachedContents(), grouped.cachedContents());
      compare("events", pagedJournal.events, groupedJournal.events);
      pagedJournal.events.clear();
      groupedJournal.events.clear();
      for (Held held : active) {
        compare("blocks", blocks(held.paged), blocks(held.grouped));
        compare("findable", held.paged.sharedPrefixTokens(), held.grouped.sharedPrefixTokens());
        compare("common", common(paged, held.paged), common(grouped, held.grouped));
      }
    }

    private static int common(KvCacheManager manager, KvSequence sequence) {
      return manager.commonPrefixBlocks(sequence, 0);
    }

    private void compare(Allocation expected, Allocation actual) {
      compare("status", expected.status(), actual.status());
      compare("needed", expected.neededBlocks(), actual.neededBlocks());
    }

    private void compare(String what, Object expected, Object actual) {
      if (!expected.equals(actual)) {
        assertThat(actual)
            .as("%s, seed=%d, operation=%d", what, seed, operation)
            .isEqualTo(expected);
      }
    }

    private static List<Integer> blocks(KvSequence sequence) {
      final int[] blocks = new int[sequence.blockCount(0)];
      sequence.copyBlockIds(0, 0, blocks, 0, blocks.length);
      return ints(blocks);
    }

    private static List<Integer> ints(int[] values) {
      final List<Integer> list = new ArrayList<>();
      for (int value : values) {
        list.add(value);
      }
      return list;
    }
  }

  /** What a manager tells, word for word. */
  private static final class Journal implements KvCacheListener {
    final List<Object> events = new ArrayList<>();

    @Override
    public void onKvStored(KvBlocksStored blocks) {
      final List<Object> event = new ArrayList<>();
      event.add(blocks.request().id());
      event.add(blocks.hasParent() ? blocks.parentContentHash() : "first");
      for (int i = 0; i < blocks.count(); i++) {
        event.add(blocks.contentHash(i));
        event.add(blocks.firstToken(i));
      }
      event.add(List.of(blocks.group(), blocks.firstToken(), blocks.tokenCount()));
      event.add(blocks.blockSize());
      events.add(event);
    }

    @Override
    public void onKvRemoved(KvBlockRemoved event) {
      events.add(List.of("removed", event.contentHash(), event.group()));
    }

    @Override
    public void onKvCleared(KvCacheCleared event) {
      events.add("cleared");
    }
  }
}
