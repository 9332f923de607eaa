package dev.headway.events.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RequestTableTest {

  @Test
  void shouldHoldWhatAMapHoldsWhateverComesAndGoes() {
    for (long seed = 1; seed <= 20; seed++) {
      final SplittableRandom random = new SplittableRandom(seed);
      final RequestTable<String> table = new RequestTable<>();
      final TreeMap<Long, String> expected = new TreeMap<>();

      for (int i = 0; i < 5_000; i++) {
        final long number = random.nextInt(-2, i < 2_500 ? 600 : 60);
        if (random.nextInt(3) > 0) {
          final boolean isFree = number >= 0 && !expected.containsKey(number);
          assertThat(table.add(number, "r" + i)).as("seed=%s, i=%s", seed, i).isEqualTo(isFree);
          if (isFree) {
            expected.put(number, "r" + i);
          }
        } else {
          table.remove(number);
          expected.remove(number);
        }
        final long asked = random.nextInt(-2, 600);
        assertThat(table.get(asked)).as("seed=%s, i=%s", seed, i).isEqualTo(expected.get(asked));
        assertThat(table.size()).as("seed=%s, i=%s", seed, i).isEqualTo(expected.size());
      }

      assertThat(table.inOrder()).as("seed=%s", seed).isEqualTo(List.copyOf(expected.values()));
    }
  }
}
