package dev.headway.simulation.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.regression.LeastSquares.Penalty;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Small problems whose solutions are known. */
class LeastSquaresTest {

  private static Feature atLeast(double lowest) {
    return new Feature("f", "", lowest, Math.max(0, lowest));
  }

  private static Gram rows(double[][] rows, double... targets) {
    final Gram gram = new Gram(rows[0].length);
    for (int i = 0; i < rows.length; i++) {
      gram.add(rows[i], targets[i], 1);
    }
    return gram;
  }

  @Test
  void shouldSolveWhatHasASolution() {
    final Gram given = new Gram(2);
    given.add(new double[] {1, 2}, 8, 1);
    given.add(new double[] {3, 1}, 9, 5);
    final Feature[] free = {Feature.free("a", ""), Feature.free("b", "")};

    assertThat(LeastSquares.solve(given, free, Penalty.NONE))
        .containsExactly(new double[] {2, 3}, within(1e-8));
    assertThat(LeastSquares.ordinary(given, LeastSquares.independent(given)))
        .containsExactly(new double[] {2, 3}, within(1e-8));
    assertThat(LeastSquares.ridge(given, 1e-12)).containsExactly(new double[] {2, 3}, within(1e-8));
  }

  @Test
  void shouldStayAtABoundAndFitTheRestAroundIt() {
    final Gram given = rows(new double[][] {{1, 2}, {3, 1}}, 8, 9);

    final double[] found =
        LeastSquares.solve(given, new Feature[] {atLeast(3), atLeast(0)}, Penalty.NONE);

    // with the first at 3 the second minimizes (2 c - 5)^2 + (c - 0)^2
    assertThat(found).containsExactly(new double[] {3, 2}, within(1e-8));
  }

  /**
   * Columns that pass for independent one after the other, and together have hardly a direction.
   */
  @Test
  void shouldAnswerWhereColumnsCanHardlyBeDistinguished() {
    for (int columns = 2; columns <= 16; columns++) {
      final Gram given = new Gram(columns);
      for (int i = 0; i < 400; i++) {
        final double[] row = new double[columns];
        for (int column = 0; column < columns; column++) {
          row[column] = Math.pow(i / 400.0, column);
        }
        given.add(row, 3 + row[1], 1);
      }
      final int[] independent = LeastSquares.independent(given);

      final double[] errors = LeastSquares.standardErrors(given, independent, 1);
      final double[] found = LeastSquares.ordinary(given, independent);

      for (int column : independent) {
        assertThat(errors[column]).as("%d columns, %d", columns, column).isPositive().isFinite();
      }
      double middle = 0;
      for (int column = 0; column < columns; column++) {
        middle += found[column] * Math.pow(0.5, column);
      }
      assertThat(middle).as("%d columns", columns).isCloseTo(3.5, within(1e-6));
      if (columns == 2) {
        assertThat(errors[0]).as("2 sd / sqrt(rows)").isCloseTo(0.1, within(0.001));
      }
    }
  }

  @Test
  void shouldBeatEveryNeighbour() {
    for (long seed = 1; seed <= 50; seed++) {
      final Random random = new Random(seed);
      final double[][] rows = new double[20][3];
      final double[] targets = new double[20];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = new double[] {random.nextDouble(), random.nextDouble(), random.nextDouble()};
        targets[i] = 3 * random.nextGaussian() + rows[i][0];
      }
      final Feature[] features = {atLeast(1), atLeast(0), atLeast(1)};
      final double[] found = LeastSquares.solve(rows(rows, targets), features, Penalty.NONE);

      for (int i = 0; i < 3; i++) {
        for (double step : new double[] {-1e-3, 1e-3}) {
          final double[] other = found.clone();
          other[i] = Math.max(features[i].lowest(), other[i] + step);
          assertThat(loss(rows, targets, found))
              .as("seed=%d", seed)
              .isLessThanOrEqualTo(loss(rows, targets, other) + 1e-9);
        }
        assertThat(found[i]).as("seed=%d", seed).isGreaterThanOrEqualTo(features[i].lowest());
      }
    }
  }

  /** Powers of one number, and sums of them: of such columns sweeps alone find no end. */
  @Test
  void shouldEndAtTheMinimumWhereColumnsAreAlike() {
    final Random random = new Random(7);
    final int columns = 30;
    final Gram given = new Gram(columns);
    for (int row = 0; row < 500; row++) {
      final double x = random.nextDouble();
      final double[] powers = new double[columns];
      for (int i = 0; i < columns; i++) {
        powers[i] = i % 5 == 4 ? powers[i - 1] + powers[i - 4] : 1e3 * Math.pow(x, i / 4.0);
      }
      given.add(powers, Math.exp(x) + 0.1 * random.nextGaussian(), 1 + x);
    }
    final Feature[] features = new Feature[columns];
    for (int i = 0; i < columns; i++) {
      features[i] = i % 3 == 0 ? atLeast(0) : Feature.free("f", "");
    }

    for (Penalty penalty :
        List.of(Penalty.NONE, new Penalty(1e-6, 0, true), new Penalty(1e-4, 1e-4, false))) {
      final double[] found = LeastSquares.solve(given, features, penalty);

      for (int i = 0; i < columns; i++) {
        final double pull = i == 0 && penalty.firstIsFree() ? 0 : 1;
        final double own = given.product(i, i);
        double slope = -given.target(i) + pull * penalty.l2() * own * found[i];
        double size = Math.abs(given.target(i));
        for (int j = 0; j < columns; j++) {
          slope += given.product(i, j) * found[j];
          size += Math.abs(given.product(i, j) * found[j]);
        }
        final double bend = pull * penalty.l1() * own;
        final double up = slope + (found[i] >= 0 ? bend : -bend);
        final double down = slope + (found[i] > 0 ? bend : -bend);
        final double rounding = 1e-10 * size;
        assertThat(up).as("up: %d, %s", i, penalty).isGreaterThan(-rounding);
        if (found[i] > features[i].lowest()) {
          assertThat(down).as("down: %d, %s", i, penalty).isLessThan(rounding);
        }
      }
    }
  }

  @Test
  void shouldLeaveWhatNoRowHasAtItsPrior() {
    final Gram given = rows(new double[][] {{2, 0}}, 8);
    final Feature[] features = {Feature.free("a", ""), new Feature("b", "", 1, 1.5)};

    assertThat(LeastSquares.solve(given, features, Penalty.NONE)).containsExactly(4, 1.5);
    assertThat(given.isSeen(0)).isTrue();
    assertThat(given.isSeen(1)).isFalse();
  }

  @Test
  void shouldDropWhatIsASumOfOthers() {
    final Random random = new Random(4);
    final double[][] rows = new double[40][4];
    final double[] targets = new double[40];
    for (int i = 0; i < rows.length; i++) {
      final double one = 10 * random.nextDouble();
      final double other = random.nextDouble();
      rows[i] = new double[] {1, one, one + other, other};
      targets[i] = 5 + 2 * one + 7 * other;
    }
    final Gram given = rows(rows, targets);

    final int[] independent = LeastSquares.independent(given);

    assertThat(independent).containsExactly(0, 1, 2);
    assertThat(LeastSquares.ordinary(given, independent))
        .containsExactly(new double[] {5, -5, 7, 0}, within(1e-6));
  }

  @Test
  void shouldKeepOnlyWhatMattersUnderAPenaltyOfSizes() {
    final Random random = new Random(11);
    final double[][] rows = new double[200][6];
    final double[] targets = new double[200];
    for (int i = 0; i < rows.length; i++) {
      rows[i][0] = 1;
      for (int j = 1; j < 6; j++) {
        rows[i][j] = random.nextGaussian();
      }
      targets[i] = 3 + 2 * rows[i][2] + 0.01 * random.nextGaussian();
    }
    final Feature[] free = new Feature[6];
    Arrays.setAll(free, i -> Feature.free("f" + i, ""));

    final double[] found = LeastSquares.solve(rows(rows, targets), free, new Penalty(0.1, 0, true));

    assertThat(found[0]).as("the constant is spared").isCloseTo(3, within(0.05));
    assertThat(found[2]).as("shrunk by a twentieth").isCloseTo(1.9, within(0.03));
    assertThat(new double[] {found[1], found[3], found[4], found[5]}).containsOnly(0);
  }

  @Test
  void shouldKnowHowSureItIs() {
    final double[] slopes = new double[400];
    double meanError = 0;
    final Random random = new Random(9);
    for (int run = 0; run < slopes.length; run++) {
      final Gram gram = new Gram(2);
      for (int i = 0; i < 30; i++) {
        gram.add(new double[] {1, i}, 4 + 0.5 * i + random.nextGaussian(), 1);
      }
      final int[] columns = {0, 1};
      slopes[run] = LeastSquares.ordinary(gram, columns)[1];
      meanError += LeastSquares.standardErrors(gram, columns, 1)[1] / slopes.length;
    }
    final double mean = Arrays.stream(slopes).average().orElseThrow();
    final double variance =
        Arrays.stream(slopes).map(slope -> (slope - mean) * (slope - mean)).sum() / slopes.length;

    assertThat(Math.sqrt(variance) / meanError).isCloseTo(1, within(0.1));
  }

  @Test
  void shouldSayWhenColumnsCanHardlyBeToldApart() {
    final Gram apart = rows(new double[][] {{1, 0}, {0, 1}}, 1, 1);
    final Gram alike = rows(new double[][] {{1, 1}, {1, 1.001}}, 1, 1);
    final int[] both = {0, 1};

    assertThat(LeastSquares.conditionNumber(apart, both)).isCloseTo(1, within(1e-9));
    assertThat(LeastSquares.conditionNumber(alike, both)).isGreaterThan(1_000);
  }

  private static double loss(double[][] rows, double[] targets, double[] coefficients) {
    double loss = 0;
    for (int i = 0; i < rows.length; i++) {
      double error = -targets[i];
      for (int j = 0; j < coefficients.length; j++) {
        error += rows[i][j] * coefficients[j];
      }
      loss += error * error;
    }
    return loss;
  }
}
