package dev.headway.scheduler.policy.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeastServedTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldKnowTheLeastAfterAnyChange(long seed) {
    final Random random = new Random(seed);
    final LeastServed given = new LeastServed();
    final Map<Integer, Double> model = new HashMap<>();

    for (int change = 0; change < 5_000; change++) {
      final int account = random.nextInt(60);
      if (model.containsKey(account) && random.nextInt(3) == 0) {
        given.remove(account);
        model.remove(account);
      } else {
        final double served = random.nextInt(100);
        given.put(account, served);
        model.put(account, served);
      }

      assertThat(given.isEmpty()).as("seed=%d, change=%d", seed, change).isEqualTo(model.isEmpty());
      if (!model.isEmpty()) {
        assertThat(given.least())
            .as("seed=%d, change=%d", seed, change)
            .isEqualTo(
                model.values().stream().mapToDouble(Double::doubleValue).min().orElseThrow());
      }
    }
  }
}
