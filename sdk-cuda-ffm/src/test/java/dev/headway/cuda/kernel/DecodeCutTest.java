package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.emulation.TestSeed;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of items against what every list must be. */
class DecodeCutTest {
  private static final int BATCHES = 20_000; // of each of five models
  private static final int MOST_ROWS = 40;

  @ParameterizedTest
  @CsvSource({"8, 256, 32", "4, 128, 64", "2, 64, 128", "1, 64, 256", "40, 256, 32"})
  void shouldMakeItemsThatFillADevice(int unitsPerItem, int minKeys, int maxItems) {
    final DecodeCut cut = new DecodeCut(unitsPerItem);

    assertThat(cut.minKeys()).isEqualTo(minKeys);
    assertThat(cut.maxItems()).isEqualTo(maxItems);
    assertThat(cut.items(0)).isEqualTo(1);
    assertThat(cut.items(minKeys + minKeys / 4)).isEqualTo(1);
    assertThat(cut.items(minKeys + minKeys / 4 + 1)).isEqualTo(2);
    assertThat(cut.items(minKeys * maxItems)).isEqualTo(maxItems);
    assertThat(cut.items(1_000_000)).isBetween(maxItems * 9 / 10, maxItems);
  }

  /** An 8B model, whose items were thought through for these lengths. */
  @Test
  void shouldGiveALongRowManyItems() {
    final DecodeCut cut = new DecodeCut(new AttentionKernelShape(32, 8, 128, 16));

    assertThat(cut.items(300)).isEqualTo(1);
    assertThat(cut.items(1_024)).isEqualTo(4);
    assertThat(cut.items(8_000)).isEqualTo(31);
    assertThat(cut.items(128 * 1_024)).isEqualTo(32);
    assertThat(cut.isLong(8_000)).isFalse();
    assertThat(cut.isLong(128 * 1_024)).isTrue();
  }

  /** 10^5 random batches, of lengths up to 131,072. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 40})
  void shouldCoverEveryKeyOnceByItsRowAlone(int unitsPerItem) {
    final DecodeCut cut = new DecodeCut(unitsPerItem);
    final Random random = new Random(TestSeed.VALUE + unitsPerItem);
    final int[] items = new int[MOST_ROWS * cut.maxItems() * DecodeCut.ITEM_INTS];
    final int[] alone = new int[cut.maxItems() * DecodeCut.ITEM_INTS];
    for (int batch = 0; batch < BATCHES; batch++) {
      final int rows = 1 + random.nextInt(MOST_ROWS);
      final int longest = 1 << random.nextInt(18);
      int at = 0;
      for (int row = 0; row < rows; row++) {
        final int keys = random.nextInt(longest + 1);
        final int end = cut.write(items, at, row, keys);
        final String what = "keys=" + keys + ", units=" + unitsPerItem + ", seed=" + TestSeed.VALUE;
        assertCovers(what, cut, items, at, end, row, keys);
        assertThat(cut.write(alone, 0, row, keys)).as(what).isEqualTo(end - at);
        for (int i = 0; i < end - at; i++) {
          if (alone[i] != items[at + i]) {
            throw new AssertionError(what + ": cut differently beside other rows");
          }
        }
        at = end;
      }
    }
  }

  private static void assertCovers(
      String what, DecodeCut cut, int[] items, int at, int end, int row, int keys) {
    final int count = (end - at) / DecodeCut.ITEM_INTS;
    int covered = 0;
    boolean right = count == cut.items(keys) && count >= 1 && count <= cut.mostItems(keys);
    for (int item = 0; item < count; item++) {
      final int first = at + item * DecodeCut.ITEM_INTS;
      right &= items[first] == row && items[first + 1] == covered;
      right &= covered % 16 == 0; // pieces of 16 keys lie in one block of the cache
      covered = items[first + 2];
      right &= covered > items[first + 1] || keys == 0;
      right &= items[first + 3] >> 16 == item && (items[first + 3] & 0xffff) == count;
    }
    assertThat(right && covered == keys).as("%s: %d items cover %d", what, count, covered).isTrue();
  }

  /** The scratch of a step is sized for its longest contexts, so more keys must not make fewer. */
  @Test
  void shouldBoundItemsByTheLongestContext() {
    for (int units : new int[] {1, 2, 4, 8, 40}) {
      final DecodeCut cut = new DecodeCut(units);
      int most = 0;
      for (int keys = 0; keys <= 40_000; keys++) {
        most = Math.max(most, cut.items(keys));
        assertThat(most).as("keys=%d", keys).isLessThanOrEqualTo(cut.mostItems(keys));
      }
    }
  }
}
