package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.request.KvCacheRetention;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FreeBlocksTest {

  private static final int USUAL = KvCacheRetention.DEFAULT_PRIORITY;
  private static final int[] LEVELS = {0, 1, USUAL, 63, 64, 99, 100, KvCacheRetention.PINNED};

  @Test
  void shouldStartWithAllBlocksButTheNullBlockInOrder() {
    final FreeBlocks given = new FreeBlocks(5);

    assertThat(order(given)).containsExactly(1, 2, 3, 4);
    assertThat(given.size()).isEqualTo(4);
  }

  @Test
  void shouldTakeABlockOutOfTheMiddle() {
    final FreeBlocks given = new FreeBlocks(5);

    given.remove(3);

    assertThat(order(given)).containsExactly(1, 2, 4);
  }

  @Test
  void shouldTakeEmptyBlocksFirstAndThenTheLowestPriority() {
    final FreeBlocks given = new FreeBlocks(8);
    for (int block = 1; block <= 6; block++) {
      given.remove(block);
    }

    given.addLast(1, 100);
    given.addLast(2, USUAL);
    given.addLast(3, 0);
    given.addLast(4, USUAL);
    given.addLast(5, 64);
    given.insertAfter(0, 6);

    assertThat(order(given)).containsExactly(6, 7, 3, 2, 4, 5, 1);
  }

  @Test
  void shouldNotTakeWhatIsPinned() {
    final FreeBlocks given = new FreeBlocks(3);
    given.remove(1);
    given.remove(2);

    given.addLast(1, KvCacheRetention.PINNED);

    assertThat(given.size()).isZero();
    assertThat(given.pinned()).isEqualTo(1);
    assertThat(given.isPinned(1)).isTrue();
    assertThatThrownBy(given::takeFirst)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a block is taken although none is free");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldBehaveAsListsUnderRandomUse(long seed) {
    final Random random = new Random(seed);
    final FreeBlocks free = new FreeBlocks(33);
    final TreeMap<Integer, List<Integer>> lists = new TreeMap<>();
    lists.put(-1, new ArrayList<>(order(free)));
    for (int level : LEVELS) {
      lists.put(level, new ArrayList<>());
    }
    final Deque<Integer> taken = new ArrayDeque<>();

    for (int i = 0; i < 5_000; i++) {
      final List<Integer> pinned = lists.get(KvCacheRetention.PINNED);
      final List<Integer> expected = new ArrayList<>();
      lists.headMap(KvCacheRetention.PINNED).values().forEach(expected::addAll);
      assertThat(order(free)).as("seed=%d, operation=%d", seed, i).isEqualTo(expected);
      assertThat(free.size()).as("seed=%d, operation=%d", seed, i).isEqualTo(expected.size());
      assertThat(free.pinned()).as("seed=%d, operation=%d", seed, i).isEqualTo(pinned.size());
      if (!taken.isEmpty() && random.nextBoolean()) {
        final int block = taken.remove();
        final List<Integer> empty = lists.get(-1);
        if (random.nextInt(3) == 0) {
          final int position = random.nextInt(empty.size() + 1);
          free.insertAfter(position == 0 ? 0 : empty.get(position - 1), block);
          empty.add(position, block);
        } else {
          final int level = LEVELS[random.nextInt(LEVELS.length)];
          free.addLast(block, level);
          lists.get(level).add(block);
        }
      } else if (!expected.isEmpty() && random.nextBoolean()) {
        final Integer first = expected.getFirst();
        assertThat(free.takeFirst()).as("seed=%d, operation=%d", seed, i).isEqualTo(first);
        lists.values().forEach(list -> list.remove(first));
        taken.add(first);
      } else {
        expected.addAll(pinned);
        if (!expected.isEmpty()) {
          final Integer block = expected.get(random.nextInt(expected.size()));
          free.remove(block);
          lists.values().forEach(list -> list.remove(block));
          taken.add(block);
        }
      }
    }
  }

  private static List<Integer> order(FreeBlocks free) {
    final List<Integer> order = new ArrayList<>();
    for (int block = free.following(0); block != 0; block = free.following(block)) {
      order.add(block);
    }
    return order;
  }
}
