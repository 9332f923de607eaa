package dev.headway.executor.speculation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NgramDrafterTest {

  @Test
  void shouldProposeWhatFollowedTheLongestEndWhereItFirstWas() {
    final NgramDrafter drafter = new NgramDrafter(new NgramOptions(1, 3));
    final int[] text = {1, 2, 3, 9, 8, 1, 2, 3, 7, 2, 3, 6, 1, 2, 3};

    assertThat(drafter.firstDraft(text, text.length, 2)).isEqualTo(3); // 9, 8
    assertThat(drafter.firstDraft(text, 11, 2)).isEqualTo(3); // ends with 2, 3, first of the two
    assertThat(drafter.firstDraft(text, 4, 2)).as("9 was not there before").isEqualTo(4);
    assertThat(drafter.firstDraft(text, text.length, 0)).isEqualTo(text.length);
  }

  @Test
  void shouldLookUpNoShorterEnd() {
    final NgramDrafter drafter = new NgramDrafter(new NgramOptions(2, 4));

    assertThat(drafter.firstDraft(new int[] {5, 6, 7, 6}, 4, 3)).isEqualTo(4);
    assertThat(drafter.firstDraft(new int[] {5, 6, 7, 5, 6}, 5, 3)).isEqualTo(2);
    assertThat(drafter.firstDraft(new int[] {5}, 1, 3)).isEqualTo(1);
    assertThat(drafter.firstDraft(new int[] {}, 0, 3)).isZero();
  }

  @Test
  void shouldAgreeWithASearchOfEveryPlace() {
    final long firstSeed = System.nanoTime();
    int found = 0;
    for (long seed = firstSeed; seed < firstSeed + 4_000; seed++) {
      final Random random = new Random(seed);
      final int min = 1 + random.nextInt(4);
      final int max = min + random.nextInt(4);
      final int[] text = random.ints(random.nextInt(40), 0, 1 + random.nextInt(4)).toArray();
      final int expected = search(text, min, max);

      final NgramDrafter drafter = new NgramDrafter(new NgramOptions(min, max));
      drafter.firstDraft(text, text.length / 2, 1); // leaves nothing behind
      assertThat(drafter.firstDraft(text, text.length, 1))
          .as("seed=%d, min=%d, max=%d, text=%s", seed, min, max, Arrays.toString(text))
          .isEqualTo(expected);
      found += expected < text.length ? 1 : 0;
    }
    assertThat(found).isBetween(1_000, 3_900);
  }

  private static int search(int[] text, int min, int max) {
    for (int length = Math.min(max, text.length - 1); length >= min; length--) {
      for (int from = 0; from + length < text.length; from++) {
        if (Arrays.equals(text, from, from + length, text, text.length - length, text.length)) {
          return from + length;
        }
      }
    }
    return text.length;
  }

  @Test
  void shouldRefuseEndsOfNoLength() {
    assertThatThrownBy(() -> new NgramOptions(0, 3)).hasMessageContaining("minTokens=0");
    assertThatThrownBy(() -> new NgramOptions(3, 2)).hasMessageContaining("maxTokens=2");
  }
}
