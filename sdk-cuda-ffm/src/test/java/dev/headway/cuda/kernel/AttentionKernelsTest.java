package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.model.E4m3;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Attention over shuffled pages, all three kernels against double precision. */
@OnCudaDriver
class AttentionKernelsTest {

  /** Heads, KV heads, head dimension, block size; groups of 1, 2, 4, 5, 8, 9 and 16 heads. */
  @ParameterizedTest
  @CsvSource({
    "2, 2, 8, 4",
    "4, 2, 16, 16",
    "8, 1, 32, 16",
    "5, 1, 64, 8",
    "8, 2, 64, 16",
    "16, 1, 64, 32",
    "4, 2, 96, 16",
    "2, 1, 96, 3",
    "4, 1, 128, 16",
    "9, 1, 128, 16",
    "3, 3, 128, 1",
    "4, 2, 256, 16"
  })
  void shouldDecodeRowsOfAnyLength(int heads, int kvHeads, int headDim, int blockSize) {
    final AttentionKernelShape shape = new AttentionKernelShape(heads, kvHeads, headDim, blockSize);
    final int[] lengths = {1, blockSize, blockSize + 1, 100, 37};
    KernelFixture.inEveryOrder(
        given -> {
          final AttentionScene scene = new AttentionScene(given, shape, lengths);
          for (int sequence = lengths.length - 1; sequence >= 0; sequence--) {
            scene.row(sequence, lengths[sequence] - 1);
          }
          scene.padding();
          scene.upload();
          final double[] expected = scene.expected();

          for (int keysPerItem : new int[] {112, 48, 16}) {
            assertRounded(
                given, "decode by " + keysPerItem, expected, scene.decodeItems(keysPerItem));
          }
        });
  }

  /** Pages of codes, in decode and prefill, with windows, blocks of any size and ragged ends. */
  @ParameterizedTest
  @CsvSource({
    "2, 2, 8, 4, 0",
    "4, 2, 8, 16, 40",
    "4, 2, 16, 16, 0",
    "3, 1, 32, 16, 0",
    "4, 1, 64, 16, 0",
    "16, 1, 64, 16, 50",
    "3, 3, 64, 8, 0",
    "4, 1, 96, 16, 0",
    "2, 1, 128, 16, 0",
    "12, 1, 128, 16, 33",
    "2, 1, 128, 5, 0",
    "4, 2, 256, 32, 70"
  })
  void shouldReadCodes(int heads, int kvHeads, int headDim, int blockSize, int window) {
    final AttentionKernelShape shape = new AttentionKernelShape(heads, kvHeads, headDim, blockSize);
    final PageScales scales = new PageScales(0.037f, 1.7f);
    KernelFixture.inEveryOrder(
        given -> {
          final AttentionScene decode = new AttentionScene(given, shape, 150, 1, 37);
          decode.eightBits(scales).window(window == 0 ? Integer.MAX_VALUE : window);
          decode.row(0, 149);
          decode.row(1, 0);
          decode.row(2, 36);
          decode.upload();
          final AttentionScene prefill = new AttentionScene(given, shape, 130, 70);
          prefill.eightBits(scales).window(window == 0 ? Integer.MAX_VALUE : window);
          prefill.tile(0, 66, 64);
          prefill.tile(1, 40, 30);
          prefill.upload();

          assertRounded(given, "decode", decode.expected(), decode.decodeItems(48));
          assertRounded(given, "prefill", prefill.expected(), prefill.prefill());
          assertRounded(given, "shared", prefill.expected(), prefill.prefillItems(64));
        });
  }

  /** A read before the write would be one. */
  @Test
  void shouldNotHideCodesThatAreNoNumbers() {
    final AttentionKernelShape shape = new AttentionKernelShape(2, 1, 64, 16);
    try (KernelFixture given = new KernelFixture()) {
      for (int at = 0; at < 8; at++) {
        final AttentionScene scene = new AttentionScene(given, shape, 40);
        scene.eightBits(PageScales.ONE);
        scene.tile(0, 0, 40);
        scene.values[scene.at(0, 17, 0) + 8 + at] = (short) (at % 2 == 0 ? 0x7fff : 0xffff);
        scene.upload();

        final short[] prefill = scene.prefill();

        for (int row = 17; row < 40; row++) { // the first that see it
          for (int other = 0; other < 8; other++) {
            assertThat(Float.isNaN(Bf16.toFloat(prefill[row * 128 + 8 + other])))
                .as("row %d, dimension %d", row, 8 + other)
                .isEqualTo(other == at);
          }
        }
      }
    }
  }

  /** More items than lanes that merge them, and more units than the grid has blocks. */
  @ParameterizedTest
  @CsvSource({"8, 2, 64, 16", "4, 2, 8, 16", "4, 2, 256, 32"})
  void shouldMergeManyItemsOfARow(int heads, int kvHeads, int headDim, int blockSize) {
    final AttentionKernelShape shape = new AttentionKernelShape(heads, kvHeads, headDim, blockSize);
    KernelFixture.inEveryOrder(
        given -> {
          final AttentionScene scene = new AttentionScene(given, shape, 700, 90);
          scene.row(0, 699);
          scene.row(1, 89);
          scene.upload();
          final double[] expected = scene.expected();

          assertRounded(given, "44 items", expected, scene.decodeItems(16));
          assertRounded(given, "as the executor cuts", expected, scene.decode());
        });
  }

  @Test
  void shouldLeaveItsScratchAsItWasForTheNextLaunch() {
    final AttentionKernelShape shape = new AttentionKernelShape(4, 2, 16, 16);
    try (KernelFixture given = new KernelFixture()) {
      final AttentionScene scene = new AttentionScene(given, shape, 150, 40);
      scene.row(0, 149);
      scene.row(1, 39);
      scene.upload();
      final long scratch = scene.scratch();

      final short[] first = scene.decodeItems(16, scratch);
      final short[] second = scene.decodeItems(16, scratch);
      final short[] other = scene.decodeItems(64, scratch);

      assertThat(second).isEqualTo(first);
      assertRounded(given, "another list", scene.expected(), other);
      assertThat(given.downloadInts(scratch, 16)).containsOnly(0);
    }
  }

  /** What the rows beside it are, and how many, is nothing to a row. */
  @Test
  void shouldGiveARowTheSameBitsInAnyBatch() {
    final AttentionKernelShape shape = new AttentionKernelShape(4, 1, 64, 16);
    try (KernelFixture given = new KernelFixture()) {
      final AttentionScene scene = new AttentionScene(given, shape, 300, 5, 520, 64);
      scene.row(0, 299);
      scene.row(1, 4);
      scene.row(2, 519);
      scene.row(3, 63);
      scene.padding();
      scene.upload();
      final int width = shape.heads() * shape.headDim();

      final short[] together = scene.decode();

      for (int row = 0; row < 4; row++) {
        final short[] alone = scene.decode(row);
        assertThat(Arrays.copyOfRange(alone, row * width, (row + 1) * width))
            .as("row %d", row)
            .isEqualTo(Arrays.copyOfRange(together, row * width, (row + 1) * width));
      }
      assertThat(Arrays.copyOfRange(together, 4 * width, 5 * width)).containsOnly((short) 0);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2, 2, 8, 4",
    "4, 2, 8, 16",
    "4, 2, 16, 16",
    "3, 1, 32, 16",
    "4, 1, 32, 1",
    "2, 1, 64, 8",
    "3, 3, 64, 16",
    "4, 1, 96, 16",
    "1, 1, 96, 32",
    "2, 1, 128, 16",
    "4, 2, 128, 32",
    "1, 1, 128, 3",
    "4, 2, 256, 16",
    "1, 1, 256, 6"
  })
  void shouldPrefillChunksAnywhereInASequence(int heads, int kvHeads, int headDim, int blockSize) {
    final AttentionKernelShape shape = new AttentionKernelShape(heads, kvHeads, headDim, blockSize);
    final int[] lengths = {330, 1, 65, 20};
    KernelFixture.inEveryOrder(
        given -> {
          final AttentionScene scene = new AttentionScene(given, shape, lengths);
          scene.tile(0, 60, 64); // across the tiles of keys, ends inside one
          scene.tile(0, 124, 6);
          scene.tile(0, 256, 64); // its last items begin where it does
          scene.tile(0, 320, 10);
          scene.tile(1, 0, 1);
          scene.tile(2, 0, 64);
          scene.tile(2, 64, 1);
          scene.tile(3, 3, 17);
          scene.upload();
          final double[] expected = scene.expected();

          given.assertClose("reference", expected, scene.reference());
          assertRounded(given, "prefill", expected, scene.prefill());
          for (int keysPerItem : new int[] {64, 192}) {
            assertRounded(
                given, "prefill by " + keysPerItem, expected, scene.prefillItems(keysPerItem));
          }
        });
  }

  /** More items than a lane fetches at once. */
  @ParameterizedTest
  @CsvSource({"4, 2, 8, 16", "2, 1, 64, 16", "3, 1, 96, 16", "4, 2, 128, 16", "1, 1, 256, 32"})
  void shouldMergeManyItemsOfATile(int heads, int kvHeads, int headDim, int blockSize) {
    final AttentionKernelShape shape = new AttentionKernelShape(heads, kvHeads, headDim, blockSize);
    KernelFixture.inEveryOrder(
        given -> {
          final AttentionScene scene = new AttentionScene(given, shape, 720, 150);
          scene.tile(0, 700, 20);
          scene.tile(1, 147, 3);
          scene.upload();
          final double[] expected = scene.expected();

          assertRounded(given, "11 items", expected, scene.prefillItems(64));
          assertRounded(given, "as the executor cuts", expected, scene.prefillCut(0, 1));
        });
  }

  @Test
  void shouldLeaveTheScratchOfPrefillAsItWasForTheNextLaunch() {
    final AttentionKernelShape shape = new AttentionKernelShape(4, 2, 16, 16);
    try (KernelFixture given = new KernelFixture()) {
      final AttentionScene scene = new AttentionScene(given, shape, 260, 140);
      scene.tile(0, 200, 60);
      scene.tile(1, 130, 10);
      scene.upload();
      final long scratch = scene.prefillScratch();

      final short[] first = scene.prefillItems(64, scratch);
      final short[] second = scene.prefillItems(64, scratch);
      final short[] other = scene.prefillItems(128, scratch);

      assertThat(second).isEqualTo(first);
      assertRounded(given, "another list", scene.expected(), other);
      final int[] tickets = given.downloadInts(scratch, 2 * AttentionScene.MOST_RECORDS);
      assertThat(tickets).containsOnly(0);
    }
  }

  /** With tickets one too few no block is the last of its tile: nobody may merge. */
  @Test
  void shouldMergeOnlyInTheBlockThatEndsLast() {
    final AttentionKernelShape shape = new AttentionKernelShape(4, 2, 16, 16);
    KernelFixture.inEveryOrder(
        given -> {
          final AttentionScene scene = new AttentionScene(given, shape, 260);
          scene.tile(0, 200, 60);
          scene.upload();
          final long bytes = scene.kernels().prefillScratchBytes(AttentionScene.MOST_RECORDS);

          final short[] actual = scene.prefillItems(64, given.filled(bytes, (byte) -1));

          assertThat(actual).containsOnly(AttentionScene.UNTOUCHED);
        });
  }

  /**
   * What the chunks beside it are, how many, and in which order, is nothing to a chunk; nor is the
   * order of blocks.
   */
  @Test
  void shouldGiveAChunkTheSameBitsInAnyBatch() {
    final AttentionKernelShape shape = new AttentionKernelShape(4, 2, 64, 16);
    final List<short[]> inOrders = new ArrayList<>();
    KernelFixture.inEveryOrder(
        given -> {
          final AttentionScene scene = new AttentionScene(given, shape, 420, 70, 300, 66);
          scene.tile(0, 380, 40);
          scene.tile(1, 0, 64);
          scene.tile(1, 64, 6); // the same chunk
          scene.tile(2, 298, 2);
          scene.tile(3, 64, 2);
          scene.upload();
          final int width = shape.heads() * shape.headDim();

          final short[] together = scene.prefillCut(0, 1, 2, 3);
          final short[] turned = scene.prefillCut(2, 3, 1, 0);

          assertThat(turned).isEqualTo(together);
          for (int chunk = 0; chunk < 4; chunk++) {
            final short[] alone = scene.prefillCut(chunk);
            final int begin = scene.firstRow(chunk) * width;
            final int end = begin + scene.rowsOf(chunk) * width;
            assertThat(Arrays.copyOfRange(alone, begin, end))
                .as("chunk %d", chunk)
                .isEqualTo(Arrays.copyOfRange(together, begin, end));
          }
          inOrders.add(together);
        });
    for (short[] one : inOrders) {
      assertThat(one).isEqualTo(inOrders.getFirst());
    }
  }

  @Test
  void shouldLeaveATileOfPaddingAlone() {
    final AttentionKernelShape shape = new AttentionKernelShape(2, 1, 16, 16);
    try (KernelFixture given = new KernelFixture()) {
      final AttentionScene scene = new AttentionScene(given, shape, 20);
      scene.tileOfPadding(3);
      scene.tile(0, 17, 2);
      scene.upload();
      final int width = shape.heads() * shape.headDim();

      final short[] actual = scene.prefill();

      assertThat(Arrays.copyOf(actual, 3 * width)).containsOnly(AttentionScene.UNTOUCHED);
      assertThat(actual[3 * width]).isNotEqualTo(AttentionScene.UNTOUCHED);
    }
  }

  /**
   * Windows that end inside pieces, pages and blocks, hold a part of one piece, or more than there
   * is; what lies before them is NaN.
   */
  @ParameterizedTest
  @CsvSource({
    "2, 2, 8, 4, 21",
    "8, 1, 32, 16, 16",
    "5, 1, 64, 8, 1",
    "8, 2, 64, 16, 70",
    "4, 2, 96, 16, 33",
    "4, 1, 128, 16, 100",
    "3, 3, 128, 1, 37",
    "4, 1, 256, 16, 50",
    "1, 1, 256, 6, 1000"
  })
  void shouldSeeTheLastKeysOnly(int heads, int kvHeads, int headDim, int blockSize, int window) {
    final AttentionKernelShape shape = new AttentionKernelShape(heads, kvHeads, headDim, blockSize);
    KernelFixture.inEveryOrder(
        given -> {
          final AttentionScene decoding =
              new AttentionScene(given, shape, 1, 100, 37, 300).window(window);
          for (int sequence = 0; sequence < 4; sequence++) {
            decoding.row(sequence, decoding.length(sequence) - 1);
          }
          decoding.padding();
          decoding.upload();
          final double[] decoded = decoding.expected();

          given.assertClose("reference", decoded, decoding.reference());
          assertRounded(given, "decode as the executor cuts", decoded, decoding.decode());
          for (int keysPerItem : new int[] {112, 16}) {
            assertRounded(
                given, "decode by " + keysPerItem, decoded, decoding.decodeItems(keysPerItem));
          }

          final AttentionScene chunks =
              new AttentionScene(given, shape, 330, 65, 20, 260).window(window);
          chunks.tile(0, 200, 64); // across the tiles of keys, ends inside one
          chunks.tile(0, 264, 6);
          chunks.tile(1, 0, 64);
          chunks.tile(1, 64, 1);
          chunks.tile(2, 3, 17);
          chunks.tile(3, 256, 4);
          chunks.upload();
          final double[] expected = chunks.expected();

          given.assertClose("reference", expected, chunks.reference());
          assertRounded(given, "prefill", expected, chunks.prefill());
          assertRounded(
              given, "prefill as the executor cuts", expected, chunks.prefillCut(0, 1, 2, 3));
          for (int keysPerItem : new int[] {64, 192}) {
            assertRounded(
                given, "prefill by " + keysPerItem, expected, chunks.prefillItems(keysPerItem));
          }
        });
  }

  /**
   * A score more in the sum of weights, once, however keys are cut: one that counts for something,
   * and in the last heads one that takes all and one that takes nothing.
   */
  @ParameterizedTest
  @CsvSource({
    "2, 2, 8, 4, 0, false",
    "4, 2, 16, 16, 21, false",
    "8, 1, 32, 16, 0, true",
    "8, 1, 64, 16, 40, false",
    "16, 2, 64, 16, 0, true",
    "9, 1, 64, 8, 0, false",
    "4, 2, 96, 16, 33, false",
    "4, 1, 128, 16, 0, false",
    "12, 1, 128, 16, 50, true",
    "4, 2, 256, 16, 0, false",
    "3, 1, 256, 16, 37, true"
  })
  void shouldWeighTheSinkOfEachHead(
      int heads, int kvHeads, int headDim, int blockSize, int window, boolean codes) {
    final AttentionKernelShape shape = new AttentionKernelShape(heads, kvHeads, headDim, blockSize);
    KernelFixture.inEveryOrder(
        given -> {
          final float[] sinks = new float[heads];
          for (int head = 0; head < heads; head++) {
            sinks[head] = (float) (4 + given.random.nextGaussian());
          }
          sinks[heads - 1] = heads > 2 ? 1_000 : sinks[heads - 1];
          sinks[heads - 2] = heads > 2 ? -1_000 : sinks[heads - 2];
          final AttentionScene decoding =
              new AttentionScene(given, shape, 1, 150, 37, 300).sinks(sinks).window(window);
          final AttentionScene chunks =
              new AttentionScene(given, shape, 330, 65, 20).sinks(sinks).window(window);
          if (codes) {
            decoding.eightBits(PageScales.ONE);
            chunks.eightBits(PageScales.ONE);
          }
          for (int sequence = 0; sequence < 4; sequence++) {
            decoding.row(sequence, decoding.length(sequence) - 1);
          }
          decoding.padding();
          decoding.upload();
          chunks.tile(0, 240, 64);
          chunks.tile(0, 304, 6);
          chunks.tile(1, 0, 64);
          chunks.tile(1, 64, 1);
          chunks.tile(2, 3, 17);
          chunks.upload();

          final double[] decoded = decoding.expected();
          for (int keysPerItem : new int[] {1 << 20, 48, 16}) {
            assertRounded(
                given, "decode by " + keysPerItem, decoded, decoding.decodeItems(keysPerItem));
          }
          assertRounded(given, "decode as the executor cuts", decoded, decoding.decode());
          final double[] expected = chunks.expected();
          assertRounded(given, "prefill", expected, chunks.prefill());
          assertRounded(given, "prefill by 64", expected, chunks.prefillItems(64));
          assertRounded(
              given, "prefill as the executor cuts", expected, chunks.prefillCut(0, 1, 2));
          if (!codes) {
            given.assertClose("reference", decoded, decoding.reference());
            given.assertClose("reference", expected, chunks.reference());
          }
        });
  }

  /** In its head, and in no other. */
  @Test
  void shouldNotHideASinkThatIsNoNumber() {
    final AttentionKernelShape shape = new AttentionKernelShape(4, 2, 16, 16);
    try (KernelFixture given = new KernelFixture()) {
      final AttentionScene scene = new AttentionScene(given, shape, 70);
      scene.sinks(0, Float.NaN, 0, 0);
      scene.tile(0, 66, 4);
      scene.upload();

      for (short[] actual :
          List.of(
              scene.decodeItems(16),
              scene.decodeItems(1 << 20),
              scene.prefill(),
              scene.prefillItems(64))) {
        for (int i = 0; i < actual.length; i++) {
          assertThat(Float.isNaN(Bf16.toFloat(actual[i])))
              .as("value %d", i)
              .isEqualTo(i / 16 % 4 == 1);
        }
      }
    }
  }

  /** A maximum that only comes late, or weights that all underflow but one. */
  @Test
  void shouldStandLargeScores() {
    final AttentionKernelShape shape = new AttentionKernelShape(2, 1, 64, 16);
    KernelFixture.inEveryOrder(
        given -> {
          final AttentionScene scene = new AttentionScene(given, shape, 150);
          scene.scaleScores(30);
          scene.tile(0, 100, 50);
          scene.upload();
          final double[] expected = scene.expected();

          given.assertClose("reference", expected, scene.reference());
          assertRounded(given, "prefill", expected, scene.prefill());
          assertRounded(given, "prefill by 64", expected, scene.prefillItems(64));
          for (int keysPerItem : new int[] {160, 48}) { // warps of several pieces and of one
            assertRounded(
                given, "decode by " + keysPerItem, expected, scene.decodeItems(keysPerItem));
          }
        });
  }

  /**
   * Tensor cores take the weights as bf16 as well: a second rounding, of up to 2^-9 of the values
   * that are summed, which may be larger than what they sum up to.
   */
  private static void assertRounded(
      KernelFixture given, String what, double[] expected, short[] actual) {
    given.assertClose(what, expected, Bf16.toDoubles(actual), 1.0 / 64);
  }

  @Test
  void shouldLeaveRowsAloneThatAreNotNamed() {
    final AttentionKernelShape shape = new AttentionKernelShape(2, 1, 16, 4);
    try (KernelFixture given = new KernelFixture()) {
      final AttentionScene scene = new AttentionScene(given, shape, 9, 5);
      scene.row(0, 8);
      scene.row(1, 4);
      scene.upload();

      final short[] actual = scene.decode(1);

      assertThat(actual[0]).isEqualTo(AttentionScene.UNTOUCHED);
      assertThat(actual[shape.heads() * shape.headDim()]).isNotEqualTo(AttentionScene.UNTOUCHED);
    }
  }

  @Test
  void shouldNameWhatIsOutOfRange() {
    try (KernelFixture given = new KernelFixture()) {
      final AttentionKernels attention =
          given.kernels.attention(new AttentionKernelShape(2, 1, 16, 4));
      final AttentionBatch batch = new AttentionBatch(0, 0, 0, 1);

      assertThatThrownBy(
              () ->
                  attention.decode(given.stream, batch, new LayerCache(0, 0, 8), 0, 0, 0, 0, 0, 0))
          .hasMessage("attention_decode: mostItems must be in [1, 2147483647]: mostItems=0");
    }
  }

  /** Sequences in shuffled pages, query rows on them, and what attention has to make of that. */
  private static final class AttentionScene {
    static final short UNTOUCHED = Bf16.of(1234);
    private static final int MOST_ITEMS = 256;
    static final int MOST_RECORDS = 2_048;

    private final KernelFixture given;
    private final AttentionKernelShape shape;
    private final int maxBlocks;
    private final int stride;
    private final int[] table;
    private final short[] keys;
    private final short[] values;
    private final List<int[]> rows = new ArrayList<>(); // sequence, position
    private final List<int[]> tiles = new ArrayList<>();
    private final int[] lengths;
    private int window;
    private double scale = 1;
    private short[] qkv = new short[0];
    private LayerCache cache = new LayerCache(0, 0, 8);
    private @Nullable PageScales scales;
    private float[] sinks = new float[0];
    private long deviceSinks;
    private AttentionBatch batch = new AttentionBatch(0, 0, 0, 1);
    private long deviceQkv;

    AttentionScene(KernelFixture given, AttentionKernelShape shape, int... lengths) {
      this.given = given;
      this.shape = shape;
      this.lengths = lengths;
      int longest = 1;
      for (int length : lengths) {
        longest = Math.max(longest, length);
      }
      maxBlocks = Shapes.ceilDiv(longest, shape.blockSize());
      final int blocks = lengths.length * maxBlocks;
      table = given.random.ints(0, blocks).distinct().limit(blocks).toArray();
      stride = shape.blockValues() + 8 * given.random.nextInt(4); // other layers lie between
      keys = given.randomBf16(blocks * stride, 1);
      values = given.randomBf16(blocks * stride, 1);
      for (int sequence = 0; sequence < lengths.length; sequence++) {
        poison(sequence, lengths[sequence]);
      }
    }

    /**
     * What lies behind the end of a sequence must not be read, or be multiplied by 0 and not NaN.
     */
    private void poison(int sequence, int length) {
      poison(sequence, length, maxBlocks * shape.blockSize());
    }

    private void poison(int sequence, int from, int to) {
      for (int position = from; position < to; position++) {
        for (int head = 0; head < shape.kvHeads(); head++) {
          final int at = at(sequence, position, head);
          Arrays.fill(keys, at, at + shape.headDim(), (short) 0x7fff);
          Arrays.fill(values, at, at + shape.headDim(), (short) 0x7fff);
        }
      }
    }

    private int at(int sequence, int position, int kvHead) {
      final int block = table[sequence * maxBlocks + position / shape.blockSize()];
      return block * stride
          + (kvHead * shape.blockSize() + position % shape.blockSize()) * shape.headDim();
    }

    /** The pages are codes. */
    AttentionScene eightBits(PageScales of) {
      scales = of;
      return this;
    }

    /** Of some values, which become what the codes are. */
    private static byte[] codes(short[] values, float scale) {
      final byte[] codes = new byte[values.length];
      for (int i = 0; i < codes.length; i++) {
        codes[i] = E4m3.toBits(Bf16.toFloat(values[i]) / scale);
        values[i] = Bf16.of((double) E4m3.toFloat(codes[i]) * scale);
      }
      return codes;
    }

    /** One of each head. */
    AttentionScene sinks(float... ofHeads) {
      sinks = ofHeads;
      return this;
    }

    AttentionScene window(int keys) {
      window = keys;
      return this;
    }

    int length(int sequence) {
      return lengths[sequence];
    }

    /** What no row of a sequence sees must not be read either. */
    private void poisonBeforeWindows() {
      final int[] first = new int[lengths.length];
      Arrays.fill(first, Integer.MAX_VALUE);
      for (int[] row : rows) {
        if (row[1] >= 0) {
          first[row[0]] = Math.min(first[row[0]], AttentionBatch.firstKey(row[1], window));
        }
      }
      for (int sequence = 0; sequence < lengths.length; sequence++) {
        for (int position = 0;
            position < Math.min(first[sequence], lengths[sequence]);
            position++) {
          poison(sequence, position, position + 1);
        }
      }
    }

    void scaleScores(double factor) {
      scale = factor;
    }

    void row(int sequence, int position) {
      rows.add(new int[] {sequence, position});
    }

    void padding() {
      rows.add(new int[] {0, -1});
    }

    /** Follows the tile before, in one chunk, where that is the same sequence up to here. */
    void tile(int sequence, int position, int count) {
      tiles.add(new int[] {rows.size(), count, sequence, position});
      for (int i = 0; i < count; i++) {
        row(sequence, position + i);
      }
    }

    void tileOfPadding(int count) {
      tiles.add(new int[] {rows.size(), count, 0, PrefillCut.PADDING});
      for (int i = 0; i < count; i++) {
        padding();
      }
    }

    void upload() {
      poisonBeforeWindows();
      qkv = given.randomBf16(rows.size() * shape.qkvWidth(), scale);
      deviceQkv = given.upload(qkv);
      deviceSinks = sinks.length == 0 ? 0 : given.upload(sinks);
      cache =
          scales == null
              ? new LayerCache(given.upload(keys), given.upload(values), stride)
              : new LayerCache(
                  given.upload(codes(keys, scales.keys())),
                  given.upload(codes(values, scales.values())),
                  stride,
                  scales);
      batch =
          new AttentionBatch(
              given.upload(rows.stream().mapToInt(row -> row[0]).toArray()),
              given.upload(rows.stream().mapToInt(row -> row[1]).toArray()),
              given.upload(table),
              maxBlocks,
              window);
    }

    double[] expected() {
      final int d = shape.headDim();
      final double[] result = new double[rows.size() * shape.heads() * d];
      for (int row = 0; row < rows.size(); row++) {
        for (int head = 0; head < shape.heads(); head++) {
          attend(row, head, result, (row * shape.heads() + head) * d);
        }
      }
      return result;
    }

    private void attend(int row, int head, double[] result, int target) {
      final int d = shape.headDim();
      final int sequence = rows.get(row)[0];
      final int kvHead = head / (shape.heads() / shape.kvHeads());
      final double[] weight = new double[rows.get(row)[1] + 1];
      final int first = AttentionBatch.firstKey(rows.get(row)[1], window);
      final double sink = sinks.length == 0 ? Double.NEGATIVE_INFINITY : sinks[head];
      double max = sink;
      for (int key = first; key < weight.length; key++) {
        final int at = at(sequence, key, kvHead);
        for (int i = 0; i < d; i++) {
          weight[key] +=
              (double) Bf16.toFloat(qkv[row * shape.qkvWidth() + head * d + i])
                  * Bf16.toFloat(keys[at + i]);
        }
        weight[key] /= Math.sqrt(d);
        max = Math.max(max, weight[key]);
      }
      double sum = Math.exp(sink - max);
      for (int key = first; key < weight.length; key++) {
        weight[key] = Math.exp(weight[key] - max);
        sum += weight[key];
      }
      for (int key = first; key < weight.length; key++) {
        final int at = at(sequence, key, kvHead);
        for (int i = 0; i < d; i++) {
          result[target + i] += weight[key] / sum * Bf16.toFloat(values[at + i]);
        }
      }
    }

    short[] reference() {
      final long out = out();
      kernels().reference(given.stream, batch, cache, out, deviceQkv, deviceSinks, rows.size());
      return download(out);
    }

    /** All tiles, one item each. */
    short[] prefill() {
      return prefillItems(1 << 20);
    }

    short[] prefillItems(int keysPerItem) {
      return prefillItems(keysPerItem, prefillScratch());
    }

    /** All tiles, in items of so many keys, a multiple of 64. */
    short[] prefillItems(int keysPerItem, long scratch) {
      final int[] items = new int[4096];
      int end = 0;
      int records = 0;
      for (int[] tile : tiles) {
        final int first = Math.max(0, AttentionBatch.firstKey(tile[3], window));
        final int base = first / 64 * 64;
        final int count = Math.max(1, Shapes.ceilDiv(tile[3] + 1 - base, keysPerItem));
        for (int item = 0; item < count; item++) {
          System.arraycopy(tile, 0, items, end, 4);
          items[end + 4] = item == 0 ? first : base + item * keysPerItem;
          items[end + 5] = item == count - 1 ? tile[3] + tile[1] : base + (item + 1) * keysPerItem;
          items[end + 6] = item << 16 | count;
          items[end + 7] = records + item * tile[1];
          end += PrefillCut.ITEM_INTS;
        }
        records += count == 1 ? 0 : count * tile[1];
      }
      return prefill(items, end, records, scratch);
    }

    /** The chunks that are named, cut as the executor does. */
    short[] prefillCut(int... named) {
      final PrefillCut cut = kernels().prefillCut();
      final int[] items = new int[4096];
      int end = 0;
      int records = 0;
      for (int chunk : named) {
        final int[] first = tiles.get(chunks().get(chunk)[0]);
        final int count = rowsOf(chunk);
        for (int done = 0; done < count; done += PrefillCut.TILE_ROWS) {
          end = cut.write(items, end, count, first[3], done, first[0], first[2], records, window);
          records += cut.records(count, first[3], done, window);
        }
      }

      return prefill(items, end, records, prefillScratch());
    }

    int firstRow(int chunk) {
      return tiles.get(chunks().get(chunk)[0])[0];
    }

    int rowsOf(int chunk) {
      int count = 0;
      for (int tile : chunks().get(chunk)) {
        count += tiles.get(tile)[1];
      }
      return count;
    }

    /** The tiles of each chunk. */
    private List<int[]> chunks() {
      final List<int[]> chunks = new ArrayList<>();
      for (int i = 0; i < tiles.size(); i++) {
        final int[] before = i == 0 ? new int[4] : tiles.get(i - 1);
        if (before[1] == 64 && before[2] == tiles.get(i)[2]) {
          chunks.add(new int[] {chunks.removeLast()[0], i});
        } else {
          chunks.add(new int[] {i});
        }
      }
      return chunks;
    }

    long prefillScratch() {
      return given.zeros(kernels().prefillScratchBytes(MOST_RECORDS));
    }

    private short[] prefill(int[] items, int end, int records, long scratch) {
      final long out = out();
      assertThat(records).isLessThanOrEqualTo(MOST_RECORDS);
      final long list = given.upload(Arrays.copyOf(items, end));
      final int count = end / PrefillCut.ITEM_INTS;
      kernels()
          .prefill(
              given.stream,
              batch,
              cache,
              out,
              deviceQkv,
              deviceSinks,
              list,
              count,
              MOST_RECORDS,
              scratch);
      return download(out);
    }

    /** All rows, cut as the executor does. */
    short[] decode() {
      return decode(IntStream.range(0, rows.size()).toArray());
    }

    /** The rows that are named. */
    short[] decode(int... named) {
      final DecodeCut cut = kernels().decodeCut();
      final int[] items = new int[4096];
      int end = DecodeCut.HEADER_INTS;
      for (int row : named) {
        final int position = rows.get(row)[1];
        end = cut.write(items, end, row, AttentionBatch.firstKey(position, window), position + 1);
      }
      return decode(items, end, scratch());
    }

    short[] decodeItems(int keysPerItem) {
      return decodeItems(keysPerItem, scratch());
    }

    /** All rows, in items of so many keys, a multiple of 16. */
    short[] decodeItems(int keysPerItem, long scratch) {
      final int[] items = new int[4096];
      int end = DecodeCut.HEADER_INTS;
      for (int row = 0; row < rows.size(); row++) {
        final int keys = rows.get(row)[1] + 1;
        final int first = AttentionBatch.firstKey(keys - 1, window);
        final int base = first / 16 * 16;
        final int count = Math.max(1, Shapes.ceilDiv(keys - base, keysPerItem));
        for (int item = 0; item < count; item++) {
          items[end++] = row;
          items[end++] = item == 0 ? first : base + item * keysPerItem;
          items[end++] = Math.min(keys, base + (item + 1) * keysPerItem);
          items[end++] = item << 16 | count;
        }
      }
      return decode(items, end, scratch);
    }

    long scratch() {
      return given.zeros(kernels().decodeScratchBytes(MOST_ITEMS));
    }

    private short[] decode(int[] items, int end, long scratch) {
      final long out = out();
      items[0] = (end - DecodeCut.HEADER_INTS) / DecodeCut.ITEM_INTS;
      assertThat(items[0]).isLessThanOrEqualTo(MOST_ITEMS);
      final long work = given.upload(Arrays.copyOf(items, end));
      kernels()
          .decode(
              given.stream, batch, cache, out, deviceQkv, deviceSinks, work, MOST_ITEMS, scratch);
      return download(out);
    }

    private AttentionKernels kernels() {
      return given.kernels.attention(shape);
    }

    private long out() {
      final short[] before = new short[rows.size() * shape.heads() * shape.headDim()];
      Arrays.fill(before, UNTOUCHED);
      return given.upload(before);
    }

    private short[] download(long out) {
      return given.downloadBf16(out, rows.size() * shape.heads() * shape.headDim());
    }
  }
}
