package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProductRowsTest {
  @Test
  void shouldHoldAllRowsInFewNumbers() {
    for (int rows = 1; rows <= 8_192; rows++) {
      final int held = ProductRows.holding(rows);

      assertThat(held).as("rows=%d", rows).isBetween(rows, Math.max(2 * rows - 1, rows));
      assertThat(ProductRows.holding(held)).as("rows=%d", rows).isEqualTo(held);
      if (rows > 1_024) {
        assertThat(held).as("rows=%d", rows).isLessThan((int) (1.0625 * rows) + 1);
      }
    }
    assertThat(IntStream.rangeClosed(1, 8_192).map(ProductRows::holding).distinct().count())
        .isEqualTo(180);
  }
}
