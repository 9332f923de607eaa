package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FreeBlockQueueTest {

  @Test
  void shouldStartWithAllBlocksButTheNullBlockInOrder() {
    final FreeBlockQueue given = new FreeBlockQueue(5);

    assertThat(order(given)).containsExactly(1, 2, 3, 4);
    assertThat(given.size()).isEqualTo(4);
  }

  @Test
  void shouldTakeFromTheFront() {
    final FreeBlockQueue given = new FreeBlockQueue(4);

    final int taken = given.takeFirst();

    assertThat(taken).isEqualTo(1);
    assertThat(order(given)).containsExactly(2, 3);
  }

  @Test
  void shouldTakeABlockOutOfTheMiddle() {
    final FreeBlockQueue given = new FreeBlockQueue(5);

    given.remove(3);

    assertThat(order(given)).containsExactly(1, 2, 4);
  }

  @Test
  void shouldPutABlockInFrontBehindAnotherOrAtTheEnd() {
    final FreeBlockQueue given = new FreeBlockQueue(5);
    given.remove(2);
    given.remove(3);
    given.remove(4);

    given.insertAfter(0, 3);
    given.insertAfter(3, 4);
    given.addLast(2);

    assertThat(order(given)).containsExactly(3, 4, 1, 2);
  }

  @Test
  void shouldGoOnAfterItWasEmpty() {
    final FreeBlockQueue given = new FreeBlockQueue(2);
    given.takeFirst();

    given.addLast(1);

    assertThat(order(given)).containsExactly(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldBehaveAsAListUnderRandomUse(long seed) {
    final Random random = new Random(seed);
    final FreeBlockQueue queue = new FreeBlockQueue(33);
    final List<Integer> expected = new ArrayList<>(order(queue));
    final Deque<Integer> taken = new ArrayDeque<>();

    for (int i = 0; i < 5_000; i++) {
      if (expected.isEmpty() || !taken.isEmpty() && random.nextBoolean()) {
        final int block = taken.remove();
        final int position = random.nextInt(expected.size() + 1);
        if (position == expected.size()) {
          queue.addLast(block);
        } else {
          queue.insertAfter(position == 0 ? 0 : expected.get(position - 1), block);
        }
        expected.add(position, block);
      } else if (random.nextBoolean()) {
        assertThat(queue.takeFirst()).as("seed=%d", seed).isEqualTo(expected.getFirst());
        taken.add(expected.removeFirst());
      } else {
        final int block = expected.remove(random.nextInt(expected.size()));
        queue.remove(block);
        taken.add(block);
      }
      assertThat(order(queue)).as("seed=%d, operation=%d", seed, i).isEqualTo(expected);
      assertThat(queue.size()).as("seed=%d, operation=%d", seed, i).isEqualTo(expected.size());
    }
  }

  private static List<Integer> order(FreeBlockQueue queue) {
    final List<Integer> order = new ArrayList<>();
    for (int block = queue.following(0); block != 0; block = queue.following(block)) {
      order.add(block);
    }
    return order;
  }
}
