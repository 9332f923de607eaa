package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentSlotsTest {

  private static final int CONTENTS = 40;

  private final ContentSlots slots = new ContentSlots(CONTENTS);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldFindWhatIsThereAndNothingElse(long seed) {
    final Random random = new Random(seed);
    final Map<Integer, Long> there = new HashMap<>();

    for (int change = 0; change < 5_000; change++) {
      final int content = random.nextInt(CONTENTS);
      final Long known = there.remove(content);
      if (known != null) {
        slots.remove(content, known);
      } else {
        final long hash = clustered(random);
        slots.add(content, hash);
        there.put(content, hash);
      }
      for (int other = 0; other < CONTENTS; other++) {
        final Long hash = there.get(other);
        assertThat(hash != null && finds(other, hash))
            .as("seed=%d, change=%d, content=%d", seed, change, other)
            .isEqualTo(hash != null);
      }
      final int half = (int) clustered(random);
      assertThat(visited(half))
          .as("seed=%d, change=%d, half=%d", seed, change, half)
          .isEqualTo(there.values().stream().filter(hash -> hash.intValue() == half).count());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 39, 64, 65, 1_000})
  void shouldHaveRoomForAllContents(int contents) {
    final ContentSlots given = new ContentSlots(contents);

    for (int content = 0; content < contents; content++) {
      given.add(content, 7L);
    }

    int found = 0;
    for (int slot = given.first(7L); slot != ContentSlots.NONE; slot = given.next(slot, 7L)) {
      assertThat(given.content(slot)).isEqualTo(found++);
    }
    assertThat(found).isEqualTo(contents);
    assertThat(given.first(8L)).isEqualTo(ContentSlots.NONE);
  }

  /** Few homes, among them the last slots, so that runs of entries go over the end of the table. */
  private static long clustered(Random random) {
    final long high = random.nextInt(3);
    return high << 60 | (random.nextInt(6) - 3) & 0xffff_ffffL;
  }

  private boolean finds(int content, long hash) {
    for (int slot = slots.first(hash); slot != ContentSlots.NONE; slot = slots.next(slot, hash)) {
      if (slots.content(slot) == content) {
        return true;
      }
    }
    return false;
  }

  private int visited(long hash) {
    int visited = 0;
    for (int slot = slots.first(hash); slot != ContentSlots.NONE; slot = slots.next(slot, hash)) {
      visited++;
    }
    return visited;
  }
}
