package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.model.ExpertRouting;
import dev.headway.executor.model.ExpertRouting.Scoring;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.reference.ExpertChoice;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Routing against the reference, grouping by hand, products and sums in double precision. */
@OnCudaDriver
class ExpertKernelsTest {

  /** The kernels with what a step hands from one to the next. */
  private static final class Experts {
    final KernelFixture given;
    final ExpertKernels kernels;
    final RouterShape shape;
    final int rows;
    final long chosen;
    final long weights;
    final long places;
    final long slots;
    final long tiles;

    Experts(KernelFixture given, RouterShape shape, int rows) {
      this.given = given;
      this.kernels = given.kernels.experts();
      this.shape = shape;
      this.rows = rows;
      chosen = given.allocate(4L * count());
      weights = given.allocate(4L * count());
      places = given.allocate(4L * count());
      slots = given.allocate(4L * count());
      tiles = given.allocate(ExpertKernels.tileBytes(rows, shape));
    }

    int count() {
      return rows * shape.perRow();
    }

    void route(float[] logits, float[] correction) {
      route(logits, correction, 0);
    }

    void route(float[] logits, float[] correction, long positions) {
      kernels.route(
          given.stream,
          chosen,
          weights,
          given.upload(logits),
          given.upload(correction),
          positions,
          rows,
          shape);
    }

    void group(long chosen) {
      kernels.group(given.stream, places, slots, tiles, chosen, rows, shape);
    }

    int[] ints(long address) {
      return given.downloadInts(address, count());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 8, 2, SOFTMAX, true, 1, 1",
    "5, 128, 8, SOFTMAX, true, 1, 1",
    "3, 60, 4, SOFTMAX, false, 1, 1",
    "4, 1, 1, SOFTMAX, true, 1, 1",
    "2, 1024, 40, SOFTMAX, true, 1, 1",
    "5, 160, 8, SIGMOID, true, 1, 1",
    "4, 256, 8, SIGMOID, true, 8, 4",
    "3, 12, 3, SIGMOID, false, 6, 2",
    "2, 1024, 8, SIGMOID, true, 512, 9"
  })
  void shouldChooseAsTheReference(
      int rows,
      int experts,
      int perRow,
      Scoring scoring,
      boolean renormalise,
      int groups,
      int kept) {
    final ExpertRouting routing = new ExpertRouting(scoring, renormalise, 2.5, groups, kept);
    final ExpertsShape shape = new ExpertsShape(experts, perRow, 1, routing, 0, List.of());
    KernelFixture.inEveryOrder(
        given -> {
          final float[] logits = floats(given, rows * experts, 2);
          final float[] correction = floats(given, experts, 0.2);
          final Experts made = new Experts(given, router(shape), rows);

          made.route(logits, correction);

          final ExpertChoice choice = new ExpertChoice(shape);
          final int[] chosen = made.ints(made.chosen);
          final float[] weights = given.downloadFloats(made.weights, made.count());
          for (int slot = 0; slot < made.count(); slot++) {
            choice.choose(logits, slot / perRow * experts, correction);
            assertThat(chosen[slot])
                .as("slot=%d, seed=%d", slot, given.seed)
                .isEqualTo(choice.expert(slot % perRow));
            assertThat(weights[slot]).isCloseTo(choice.weight(slot % perRow), within(1e-5f));
          }
        });
  }

  @Test
  void shouldTakeTheLowerIndexOfEqualExpertsAndPassOverWhatIsNoNumber() {
    KernelFixture.inEveryOrder(
        given -> {
          final float none = Float.NaN;
          final Experts made = new Experts(given, new RouterShape(40, 2, false, true, 1, 1, 1), 4);
          final float[] logits = new float[4 * 40]; // the first row: all equal
          Arrays.fill(logits, 40, 80, -5);
          logits[40 + 33] = 0f;
          logits[40 + 39] = -0f;
          logits[40 + 5] = 0f; // the second: three zeros, of whatever sign
          Arrays.fill(logits, 80, 120, none); // the third: as padding may be
          Arrays.fill(logits, 120, 160, none);
          logits[120 + 38] = -1e30f;
          logits[120 + 2] = Float.NEGATIVE_INFINITY;

          made.route(logits, new float[40]);

          assertThat(made.ints(made.chosen)).containsExactly(0, 1, 5, 33, 0, 1, 2, 38);
        });
  }

  @ParameterizedTest
  @CsvSource({"1, 8, 2", "7, 8, 2", "64, 128, 8", "300, 6, 4", "513, 16, 1", "2, 1024, 40"})
  void shouldGroupSlotsByExpertInTheirOrder(int rows, int experts, int perRow) {
    final RouterShape shape = new RouterShape(experts, perRow, false, true, 1, 1, 1);
    KernelFixture.inEveryOrder(
        given -> {
          final Experts made = new Experts(given, shape, rows);
          final int[] chosen = choices(given, shape, rows);

          made.group(given.upload(chosen));

          final int[] expected =
              IntStream.range(0, chosen.length)
                  .boxed()
                  .sorted((a, b) -> Integer.compare(chosen[a], chosen[b])) // stable
                  .mapToInt(Integer::intValue)
                  .toArray();
          assertThat(made.ints(made.slots)).as("seed=%d", given.seed).isEqualTo(expected);
          final int[] places = made.ints(made.places);
          for (int place = 0; place < expected.length; place++) {
            assertThat(places[expected[place]]).isEqualTo(place);
          }
          assertTilesCover(made, Arrays.stream(expected).map(slot -> chosen[slot]).toArray());
        });
  }

  /**
   * Padding between rows and behind them; its logits, states and what is made of it are no numbers.
   */
  @ParameterizedTest
  @CsvSource({"1, 1, 8, 2, SOFTMAX", "3, 5, 8, 2, SIGMOID", "40, 24, 16, 4, SOFTMAX"})
  void shouldLeavePaddingToNoExpertAndCountThoseThatCompute(
      int rows, int padding, int experts, int perRow, Scoring scoring) {
    final RouterShape shape =
        new RouterShape(experts, perRow, scoring == Scoring.SIGMOID, true, 1, 1, 1);
    final int all = rows + padding;
    final int dim = 24;
    KernelFixture.inEveryOrder(
        given -> {
          final float[] logits = floats(given, all * experts, 1);
          final short[] x = given.randomBf16(all * dim, 1);
          final short[] hidden = given.randomBf16(all * dim, 1);
          final int[] positions = new int[all];
          for (int pad = 0; pad < padding; pad++) {
            final int row = pad == 0 ? 0 : all - pad; // the first one, and the last ones
            positions[row] = -1;
            Arrays.fill(logits, row * experts, (row + 1) * experts, Float.NaN);
            Arrays.fill(x, row * dim, (row + 1) * dim, Bf16.of(Float.NaN));
          }
          final float[] correction = floats(given, experts, 1);
          final long w = given.upload(given.randomBf16(experts * dim * dim, 1));
          final Experts made = new Experts(given, shape, all);
          final long states = given.allocate(2L * made.count() * dim);
          final long out = given.allocate(2L * made.count() * dim);
          final long sum = given.upload(hidden);
          given.stream.synchronize();

          final long places = given.upload(positions);
          int before = given.downloadInts(made.tiles, 2)[1];
          for (int layer = 0; layer < 2; layer++) {
            made.route(logits, correction, places);
            made.group(made.chosen);

            final int[] chosen = made.ints(made.chosen);
            final long distinct = Arrays.stream(chosen).filter(e -> e >= 0).distinct().count();
            final int counted = given.downloadInts(made.tiles, 2)[1];
            assertThat(counted - before).as("seed=%d", given.seed).isEqualTo((int) distinct);
            before = counted;
          }
          made.kernels.gather(given.stream, states, given.upload(x), made.slots, all, dim, shape);
          made.kernels.multiply(
              given.stream, out, states, new WeightMatrix(w, 0, dim, dim), made.tiles, all, shape);
          made.kernels.combine(
              given.stream, sum, out, made.weights, made.places, 0, all, dim, shape);

          final int[] chosen = made.ints(made.chosen);
          final int[] expertAt = Arrays.stream(chosen).filter(e -> e >= 0).sorted().toArray();
          assertThat(expertAt).hasSize(rows * perRow);
          assertTilesCover(made, expertAt);
          final short[] summed = given.downloadBf16(sum, all * dim);
          for (int row = 0; row < all; row++) {
            final short[] ofRow = Arrays.copyOfRange(summed, row * dim, (row + 1) * dim);
            if (positions[row] < 0) {
              assertThat(ofRow).isEqualTo(Arrays.copyOfRange(hidden, row * dim, (row + 1) * dim));
            } else {
              assertThat(Arrays.stream(Bf16.toDoubles(ofRow))).allMatch(Double::isFinite);
            }
          }
        });
  }

  /** Tiles follow each other, each of one expert. */
  private static void assertTilesCover(Experts made, int[] expertAt) {
    final int ints = (int) (ExpertKernels.tileBytes(made.rows, made.shape) / 4);
    final int[] tiles = made.given.downloadInts(made.tiles, ints);
    int place = 0;
    for (int tile = 0; tile < tiles[0]; tile++) {
      final int at = 4 + 4 * tile;
      assertThat(tiles[at + 1]).isEqualTo(place);
      assertThat(tiles[at + 2]).isPositive();
      for (int i = 0; i < tiles[at + 2]; i++) {
        assertThat(expertAt[place++]).isEqualTo(tiles[at]);
      }
    }
    assertThat(place).isEqualTo(expertAt.length);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 8, 2, 24, 16, false",
    "3, 4, 2, 33, 20, true",
    "5, 128, 8, 8, 40, true",
    "30, 8, 3, 140, 72, false",
    "30, 8, 3, 140, 72, true",
    "200, 8, 2, 40, 24, true",
    "9, 5, 1, 7, 9, true"
  })
  void shouldMultiplyEachRowByItsExpertsAndSumThem(
      int rows, int experts, int perRow, int dim, int inner, boolean biases) {
    final RouterShape shape = new RouterShape(experts, perRow, false, true, 1, 1, 1);
    KernelFixture.inEveryOrder(
        given -> {
          final Experts made = new Experts(given, shape, rows);
          final int[] chosen = choices(given, shape, rows);
          final float[] weights = floats(given, chosen.length, 1);
          final short[] x = given.randomBf16(rows * dim, 1);
          final short[] w = given.randomBf16(experts * inner * dim, 1);
          final short[] back = given.randomBf16(experts * dim * inner, 1);
          final short[] bias = biases ? given.randomBf16(experts * inner, 3) : null;
          final short[] backBias = biases ? given.randomBf16(experts * dim, 30) : null;
          final short[] shared = given.randomBf16(rows * dim, 20);
          final short[] hidden = given.randomBf16(rows * dim, 20);
          made.group(given.upload(chosen));

          final long states = given.allocate(2L * chosen.length * dim);
          final long y = given.allocate(2L * chosen.length * inner);
          made.kernels.gather(given.stream, states, given.upload(x), made.slots, rows, dim, shape);
          made.kernels.multiply(
              given.stream,
              y,
              states,
              new WeightMatrix(given.upload(w), upload(given, bias), inner, dim),
              made.tiles,
              rows,
              shape);
          made.kernels.multiply(
              given.stream,
              states,
              y,
              new WeightMatrix(given.upload(back), upload(given, backBias), dim, inner),
              made.tiles,
              rows,
              shape);
          final long sum = given.upload(hidden);
          made.kernels.combine(
              given.stream,
              sum,
              states,
              given.upload(weights),
              made.places,
              given.upload(shared),
              rows,
              dim,
              shape);

          final double[] expected = Bf16.toDoubles(hidden);
          for (int slot = 0; slot < chosen.length; slot++) {
            final int row = slot / perRow;
            final short[] once = product(x, row * dim, w, bias, chosen[slot], inner, dim);
            final short[] twice = product(once, 0, back, backBias, chosen[slot], dim, inner);
            for (int i = 0; i < dim; i++) {
              expected[row * dim + i] += (double) weights[slot] * Bf16.toFloat(twice[i]);
            }
          }
          for (int i = 0; i < expected.length; i++) {
            expected[i] += Bf16.toFloat(shared[i]);
          }
          given.assertClose("sum", expected, given.downloadBf16(sum, expected.length));
        });
  }

  /** Scales of blocks, of rows, and of the matrices of several experts. */
  @ParameterizedTest
  @CsvSource({
    "2, 128, 3, 64, true",
    "30, 64, 2, 64, false",
    "40, 200, 3, 200, true",
    "300, 136, 0, 136, true"
  })
  void shouldMultiplyCodesByExpert(
      int rows, int dim, int rowShift, int columns, boolean withBiases) {
    final RouterShape shape = new RouterShape(6, 2, false, true, 1, 1, 1);
    final int inner = 144;
    KernelFixture.inEveryOrder(
        given -> {
          final Experts made = new Experts(given, shape, rows);
          final int[] chosen = choices(given, shape, rows);
          final short[] x = given.randomBf16(rows * dim, 1);
          final Codes codes = Codes.random(given, shape.experts() * inner, dim, rowShift, columns);
          final short[] bias = withBiases ? given.randomBf16(shape.experts() * inner, 3) : null;
          made.group(given.upload(chosen));
          final long states = given.allocate(2L * chosen.length * dim);
          final long y = given.allocate(2L * chosen.length * inner);
          final WeightMatrix matrix = codes.upload(given, upload(given, bias), inner);

          made.kernels.gather(given.stream, states, given.upload(x), made.slots, rows, dim, shape);
          made.kernels.multiply(given.stream, y, states, matrix, made.tiles, rows, shape);

          final int[] places = given.downloadInts(made.places, chosen.length);
          final double[] expected = new double[chosen.length * inner];
          for (int slot = 0; slot < chosen.length; slot++) {
            for (int column = 0; column < inner; column++) {
              double sum = bias == null ? 0 : Bf16.toFloat(bias[chosen[slot] * inner + column]);
              for (int i = 0; i < dim; i++) {
                sum +=
                    codes.weight(chosen[slot] * inner + column, i)
                        * Bf16.toFloat(x[slot / 2 * dim + i]);
              }
              expected[places[slot] * inner + column] = sum;
            }
          }
          given.assertClose("products", expected, given.downloadBf16(y, expected.length));
        });
  }

  /** Alone, among others, whose padding is no number: the same bits, whatever the tiles. */
  @ParameterizedTest
  @CsvSource({"3, 8", "3, 40", "20, 300"})
  void shouldGiveARowTheSameBitsWhateverTheOthersAre(int rows, int more) {
    final int dim = 200;
    final RouterShape shape = new RouterShape(8, 2, false, true, 1, 1, 1);
    KernelFixture.inEveryOrder(
        given -> {
          final short[] x = given.randomBf16(more * dim, 1);
          Arrays.fill(x, rows * dim, more * dim, Bf16.of(Float.NaN));
          final float[] logits = floats(given, more * 8, 1);
          final long w = given.upload(given.randomBf16(8 * dim * dim, 1));
          final short[] hidden = given.randomBf16(more * dim, 1);

          final short[] among = layer(given, shape, more, dim, x, logits, w, hidden);
          final short[] alone = layer(given, shape, rows, dim, x, logits, w, hidden);

          assertThat(Arrays.copyOf(among, rows * dim)).as("seed=%d", given.seed).isEqualTo(alone);
        });
  }

  private static short[] layer(
      KernelFixture given,
      RouterShape shape,
      int rows,
      int dim,
      short[] x,
      float[] logits,
      long w,
      short[] hidden) {
    final Experts made = new Experts(given, shape, rows);
    made.route(Arrays.copyOf(logits, rows * shape.experts()), new float[shape.experts()]);
    made.group(made.chosen);
    final long in = given.allocate(2L * made.count() * dim);
    final long out = given.allocate(2L * made.count() * dim);
    final long sum = given.upload(Arrays.copyOf(hidden, rows * dim));
    final long rowsOfX = given.upload(Arrays.copyOf(x, rows * dim));
    made.kernels.gather(given.stream, in, rowsOfX, made.slots, rows, dim, shape);
    made.kernels.multiply(
        given.stream, out, in, new WeightMatrix(w, 0, dim, dim), made.tiles, rows, shape);
    made.kernels.combine(given.stream, sum, out, made.weights, made.places, 0, rows, dim, shape);
    return given.downloadBf16(sum, rows * dim);
  }

  @Test
  void shouldRefuseWhatThereIsNoRoomFor() {
    assertThatThrownBy(() -> new RouterShape(1025, 1, false, true, 1, 1, 1))
        .hasMessage("route_tokens: experts must be in [1, 1024]: experts=1025");
    assertThatThrownBy(() -> new RouterShape(8, 2, true, true, 5, 1, 1))
        .hasMessage("route_tokens: groups must be in [1, 4]: groups=5");
  }

  @Test
  void shouldUseTheLargestTileFromSoManyRowsOn() {
    assertThat(ExpertKernels.rowsOfTheLargestTile(new RouterShape(8, 2, false, true, 1, 1, 1)))
        .isEqualTo(128);
    assertThat(ExpertKernels.rowsOfTheLargestTile(new RouterShape(128, 8, false, true, 1, 1, 1)))
        .isEqualTo(512);
  }

  private static RouterShape router(ExpertsShape shape) {
    return new RouterShape(
        shape.experts(),
        shape.expertsPerToken(),
        shape.hasCorrection(),
        shape.routing().renormalise(),
        shape.routing().groups(),
        shape.routing().groupsPerToken(),
        (float) shape.routing().scalingFactor());
  }

  private static float[] floats(KernelFixture given, int count, double scale) {
    final float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) (scale * given.random.nextGaussian());
    }
    return values;
  }

  /** Experts of each row, ascending; most rows have the first ones, some experts nobody. */
  private static int[] choices(KernelFixture given, RouterShape shape, int rows) {
    final int[] chosen = new int[rows * shape.perRow()];
    for (int row = 0; row < rows; row++) {
      final int spare = shape.experts() - shape.perRow();
      final int first = given.random.nextInt(3) > 0 ? 0 : given.random.nextInt(spare + 1);
      for (int i = 0; i < shape.perRow(); i++) {
        chosen[row * shape.perRow() + i] = first + i;
      }
    }
    return chosen;
  }

  private static long upload(KernelFixture given, short @Nullable [] values) {
    return values == null ? 0 : given.upload(values);
  }

  /** A row times an expert's matrix and its bias, rounded to bf16. */
  private static short[] product(
      short[] x, int xAt, short[] w, short @Nullable [] bias, int expert, int n, int k) {
    final short[] y = new short[n];
    for (int column = 0; column < n; column++) {
      double sum = bias == null ? 0 : Bf16.toFloat(bias[expert * n + column]);
      for (int i = 0; i < k; i++) {
        sum += (double) Bf16.toFloat(x[xAt + i]) * Bf16.toFloat(w[(expert * n + column) * k + i]);
      }
      y[column] = Bf16.of(sum);
    }
    return y;
  }
}
