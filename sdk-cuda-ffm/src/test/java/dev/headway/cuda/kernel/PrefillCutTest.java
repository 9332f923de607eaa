package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.emulation.TestSeed;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of items against what every list must be. */
class PrefillCutTest {
  private static final int BATCHES = 20_000; // of each of five models
  private static final int MOST_CHUNKS = 6;
  private static final int MOST_ROWS = 2_048;
  private static final int MOST_KEYS = 1 << 17;

  private final PrefillCut of8b = new PrefillCut(new AttentionKernelShape(32, 8, 128, 16));

  /** Blocks of a tile are heads, or pairs of them. */
  @ParameterizedTest
  @CsvSource({"16, 512, 16, 8, 1", "32, 512, 8, 4, 1", "8, 256, 32, 16, 2", "1, 64, 32, 32, 16"})
  void shouldFillADeviceAndNoMore(int blocks, int minKeys, int one, int two, int sixteen) {
    final PrefillCut cut = new PrefillCut(blocks);

    assertThat(cut.minKeys()).isEqualTo(minKeys);
    assertThat(cut.maxParts(2)).isEqualTo(one);
    assertThat(cut.maxParts(100)).isEqualTo(two);
    assertThat(cut.maxParts(1_024)).isEqualTo(sixteen);
  }

  /** An 8B model, whose items were thought through for these lengths. */
  @Test
  void shouldCutShortChunksOnLongContexts() {
    assertThat(of8b.items(100, 0)).isEqualTo(2);
    assertThat(of8b.items(100, 900)).isEqualTo(2);
    assertThat(of8b.items(100, 8_000)).isEqualTo(16);
    assertThat(of8b.items(100, 128_000)).isEqualTo(16);
    assertThat(of8b.items(16, 8_000)).isBetween(13, 16);
    assertThat(of8b.items(512, 8_000)).isEqualTo(16);
    assertThat(of8b.items(576, 8_000)).isEqualTo(27); // two turns of 216 blocks each
  }

  /** What fills a device by itself is not cut, nor is a prompt of any length without a context. */
  @Test
  void shouldLeaveLongPromptsAsTheyAre() {
    for (int rows = 2; rows <= MOST_ROWS; rows++) {
      final int tiles = Shapes.ceilDiv(rows, PrefillCut.TILE_ROWS);
      assertThat(of8b.items(rows, 0)).as("rows=%d", rows).isEqualTo(tiles);
      if (rows > 12 * PrefillCut.TILE_ROWS) {
        assertThat(of8b.items(rows, 100_000)).as("rows=%d", rows).isEqualTo(tiles);
      }
    }
  }

  /** 10^5 random batches, contexts of up to 131,072 keys. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 8, 16, 40})
  void shouldCoverEveryKeyOnceByItsChunkAlone(int blocks) {
    final PrefillCut cut = new PrefillCut(blocks);
    final Random random = new Random(TestSeed.VALUE + blocks);
    final int mostItems = cut.mostItems(MOST_ROWS, MOST_CHUNKS, MOST_KEYS);
    final int[] list = new int[mostItems * PrefillCut.ITEM_INTS];
    final int[] alone = new int[list.length];
    for (int batch = 0; batch < BATCHES; batch++) {
      int left = MOST_ROWS;
      int at = 0;
      int firstRow = 0;
      for (int chunk = 0; chunk < MOST_CHUNKS && left >= 2; chunk++) {
        final int rows = 2 + random.nextInt(Math.min(left - 1, 1 << random.nextInt(1, 12)));
        final int before = random.nextInt(1 << random.nextInt(18)) / 2;
        final String what =
            "rows=%d, before=%d, blocks=%d, seed=%d"
                .formatted(rows, before, blocks, TestSeed.VALUE);
        final int end = write(what, cut, list, at, rows, before, firstRow, chunk);
        final int aloneEnd = write(what, cut, alone, 0, rows, before, 0, 0);
        assertThat(end - at).as(what).isEqualTo(aloneEnd);
        assertThat(end - at).as(what).isEqualTo(cut.items(rows, before) * PrefillCut.ITEM_INTS);
        for (int i = 0; i < aloneEnd; i += PrefillCut.ITEM_INTS) {
          final boolean same =
              Arrays.equals(list, at + i + 3, at + i + 7, alone, i + 3, i + 7)
                  && list[at + i + 1] == alone[i + 1]
                  && list[at + i] == firstRow + alone[i];
          assertThat(same).as("%s: cut differently beside others", what).isTrue();
        }
        at = end;
        firstRow += rows;
        left -= rows;
      }
    }
  }

  /** Writes a chunk's items and looks at each of its tiles. */
  private static int write(
      String what, PrefillCut cut, int[] list, int at, int rows, int before, int row, int table) {
    int to = at;
    for (int done = 0; done < rows; done += PrefillCut.TILE_ROWS) {
      final int record = 1_000 * done;
      final int end = cut.write(list, to, rows, before, done, row, table, record);
      final int tileRows = Math.min(PrefillCut.TILE_ROWS, rows - done);
      final int parts = (end - to) / PrefillCut.ITEM_INTS;
      int covered = 0;
      boolean right = parts >= 1 && parts <= cut.maxParts(rows);
      right &= cut.records(rows, before, done) == (parts == 1 ? 0 : parts * tileRows);
      right &= cut.records(rows, before, done) <= cut.mostRecords(MOST_ROWS, MOST_KEYS);
      for (int part = 0; part < parts; part++, to += PrefillCut.ITEM_INTS) {
        right &= list[to] == row + done && list[to + 1] == tileRows && list[to + 2] == table;
        right &= list[to + 3] == before + done && list[to + 4] == covered;
        right &= covered % 64 == 0 && covered <= before + done; // seen by every row of the tile
        covered = list[to + 5];
        right &= covered - list[to + 4] >= cut.minKeys() || part == parts - 1;
        right &= list[to + 6] == (part << 16 | parts);
        right &= list[to + 7] == record + part * tileRows;
      }
      right &= to == end && covered == before + done + tileRows;
      assertThat(right).as("%s, done=%d: %d items", what, done, parts).isTrue();
    }
    return to;
  }

  /** No chunk of a step may need more than what the step's largest sizes were counted for. */
  @Test
  void shouldBoundItemsAndRecordsByTheSizesOfAStep() {
    for (int blocks : new int[] {1, 2, 3, 8, 12, 14, 16, 24, 40, 64, 300}) {
      final PrefillCut cut = new PrefillCut(blocks);
      for (int rows = 2; rows <= 1_100; rows += 1 + rows / 7) {
        for (int keys = rows; keys < MOST_KEYS; keys += 1 + keys / 9) {
          final int before = keys - rows;
          assertThat(cut.items(rows, before))
              .as("blocks=%d, rows=%d, keys=%d", blocks, rows, keys)
              .isLessThanOrEqualTo(cut.mostItems(rows, 1, keys));
          for (int done = 0; done < rows; done += PrefillCut.TILE_ROWS) {
            assertThat(cut.records(rows, before, done))
                .isLessThanOrEqualTo(cut.mostRecords(rows, keys));
          }
        }
      }
    }
  }

  /** 8B, 2,048 tokens a step: 70 MB beside a cache of gigabytes. */
  @Test
  void shouldKeepTheScratchSmall() {
    assertThat(of8b.mostRecords(2_048, 131_072)).isEqualTo(4_224);
    assertThat(of8b.mostRecords(2_048, 1_000)).isZero();
    assertThat(of8b.mostRecords(512, 8_192)).isEqualTo(2_048);
    assertThat(of8b.mostRecords(64, 8_192)).isEqualTo(1_024);
    assertThat(of8b.mostRecords(10, 8_192)).isEqualTo(160);
  }
}
