package dev.headway.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LongMapTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldBeAMap(long seed) {
    final Random random = new Random(seed);
    final LongMap map = new LongMap();
    final Map<Long, Long> truth = new HashMap<>();

    for (int i = 0; i < 50_000; i++) {
      final long key = random.nextInt(300) * 0x100000001L;
      final long value = random.nextInt(3);
      map.put(key, value);
      truth.put(key, value);
      final long other = random.nextInt(300) * 0x100000001L;
      assertThat(map.get(other))
          .as("seed %d, step %d", seed, i)
          .isEqualTo(truth.getOrDefault(other, 0L));
    }
  }
}
