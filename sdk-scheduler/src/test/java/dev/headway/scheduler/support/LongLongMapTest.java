package dev.headway.scheduler.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LongLongMapTest {

  @Test
  void shouldAgreeWithAHashMap() {
    final LongLongMap given = new LongLongMap();
    final Map<Long, Long> expected = new HashMap<>();
    final Random random = new Random(5);
    for (int i = 0; i < 200_000; i++) {
      final long number = random.nextInt(i < 100_000 ? 40 : 1_000);
      if (random.nextInt(3) == 0) {
        given.remove(number);
        expected.remove(number);
      } else {
        given.put(number, i);
        expected.put(number, (long) i);
      }
      final long asked = random.nextInt(1_000);
      assertThat(given.get(asked, -7)).isEqualTo(expected.getOrDefault(asked, -7L));
      assertThat(given.size()).isEqualTo(expected.size());
    }
  }
}
