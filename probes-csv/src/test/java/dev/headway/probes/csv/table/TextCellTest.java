package dev.headway.probes.csv.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class TextCellTest {

  private static final String CHARS = "ab\"\",{}[]: \n\r#;é'";
  private static final int TEXTS = 20_000;

  @Test
  void shouldQuoteAsCommonsCsvDoes() throws Exception {
    final long seed = 7;
    final Random random = new Random(seed);
    for (int i = 0; i < TEXTS; i++) {
      final StringBuilder text = new StringBuilder();
      for (int length = random.nextInt(12); length > 0; length--) {
        text.append(CHARS.charAt(random.nextInt(CHARS.length())));
      }
      final StringBuilder cell = new StringBuilder();
      final StringBuilder expected = new StringBuilder();

      TextCell.quote(cell, text);

      TextCell.FORMAT.print(text.toString(), expected, true);
      assertThat(cell.toString())
          .as("text=%s, seed=%d, number=%d", text, seed, i)
          .isEqualTo(expected.toString());
    }
  }
}
