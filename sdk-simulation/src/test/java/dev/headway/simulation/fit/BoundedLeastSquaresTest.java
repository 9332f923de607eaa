package dev.headway.simulation.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Small problems whose solutions are known. */
class BoundedLeastSquaresTest {

  private static final double[] NO_PRIOR = {0, 0};

  @Test
  void shouldSolveWhatHasASolution() {
    final BoundedLeastSquares given = new BoundedLeastSquares(new double[] {0, 0});
    given.add(new double[] {1, 2}, 8, 1);
    given.add(new double[] {3, 1}, 9, 5);

    assertThat(given.solve(NO_PRIOR, 0)).containsExactly(new double[] {2, 3}, within(1e-9));
  }

  @Test
  void shouldStayAtABoundAndFitTheRestAroundIt() {
    final BoundedLeastSquares given = new BoundedLeastSquares(new double[] {3, 0});
    given.add(new double[] {1, 2}, 8, 1);
    given.add(new double[] {3, 1}, 9, 1);

    final double[] found = given.solve(NO_PRIOR, 0);

    // with the first at 3 the second minimizes (2 c - 5)^2 + (c - 0)^2
    assertThat(found).containsExactly(new double[] {3, 2}, within(1e-9));
  }

  @Test
  void shouldBeatEveryNeighbour() {
    for (long seed = 1; seed <= 50; seed++) {
      final Random random = new Random(seed);
      final double[][] rows = new double[20][3];
      final double[] targets = new double[20];
      final BoundedLeastSquares given = new BoundedLeastSquares(new double[] {1, 0, 1});
      for (int i = 0; i < rows.length; i++) {
        rows[i] = new double[] {random.nextDouble(), random.nextDouble(), random.nextDouble()};
        targets[i] = 3 * random.nextGaussian() + rows[i][0];
        given.add(rows[i], targets[i], 1);
      }
      final double[] found = given.solve(new double[3], 0);

      for (int i = 0; i < 3; i++) {
        final double least = i == 1 ? 0 : 1;
        for (double step : new double[] {-1e-3, 1e-3}) {
          final double[] other = found.clone();
          other[i] = Math.max(least, other[i] + step);
          assertThat(loss(rows, targets, found))
              .as("seed=%d", seed)
              .isLessThanOrEqualTo(loss(rows, targets, other) + 1e-12);
        }
        assertThat(found[i]).as("seed=%d", seed).isGreaterThanOrEqualTo(least);
      }
    }
  }

  @Test
  void shouldLeaveWhatNoRowHasAtItsPrior() {
    final BoundedLeastSquares given = new BoundedLeastSquares(new double[] {0, 1});
    given.add(new double[] {2, 0}, 8, 1);

    assertThat(given.solve(new double[] {1, 1.5}, 1e-9))
        .containsExactly(new double[] {4, 1.5}, within(1e-6));
    assertThat(given.isSeen(0)).isTrue();
    assertThat(given.isSeen(1)).isFalse();
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
