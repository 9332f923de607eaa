package dev.headway.simulation.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class GridTableTest {

  @Test
  void shouldGoStraightFromOneMeasurementToTheNext() {
    final GridTable.Builder given = new GridTable.Builder();
    given.add(10, 1);
    given.add(30, 2);
    given.add(40, 4);

    final GridTable table = given.build();

    assertThat(table.at(1)).isEqualTo(10);
    assertThat(table.at(1.5)).isEqualTo(20);
    assertThat(table.at(3)).isEqualTo(35);
  }

  @Test
  void shouldGoOnBeyondTheLargestAndStayAtTheSmallest() {
    final GridTable.Builder given = new GridTable.Builder();
    given.add(10, 2);
    given.add(14, 4);

    final GridTable table = given.build();

    assertThat(table.at(1)).isEqualTo(10);
    assertThat(table.at(8)).isEqualTo(22);
  }

  @Test
  void shouldNotFallBeyondTheLargest() {
    final GridTable.Builder given = new GridTable.Builder();
    given.add(10, 2);
    given.add(9, 4);

    assertThat(given.build().at(400)).isEqualTo(9);
  }

  @Test
  void shouldTakeTheMeanOfMeasurementsAtOnePoint() {
    final GridTable.Builder given = new GridTable.Builder();
    given.add(10, 2);
    given.add(20, 2);

    assertThat(given.build().at(2)).isEqualTo(15);
  }

  /** Each chunk was measured with other contexts, as profilers do. */
  @Test
  void shouldInterpolateWhereEachValueHasOthersOfTheNextVariable() {
    final GridTable.Builder given = new GridTable.Builder();
    for (double context : new double[] {0, 100, 400}) {
      given.add(plane(16, context), 16, context);
    }
    for (double context : new double[] {50, 300}) {
      given.add(plane(32, context), 32, context);
    }

    final GridTable table = given.build();

    assertThat(table.at(24, 200)).isCloseTo(plane(24, 200), within(1e-9));
  }

  @Test
  void shouldReproduceAPlaneOfFourVariables() {
    final GridTable.Builder given = new GridTable.Builder();
    for (double x : new double[] {1, 2, 8}) {
      for (double y : new double[] {0, 5}) {
        for (double z : new double[] {1, 4}) {
          for (double u : new double[] {10, 90}) {
            given.add(x + 2 * y + 3 * z + 4 * u, x, y, z, u);
          }
        }
      }
    }

    assertThat(given.build().at(5, 3, 2, 40)).isCloseTo(5 + 6 + 6 + 160, within(1e-9));
  }

  private static double plane(double chunk, double context) {
    return 7 + 2 * chunk + 0.5 * context;
  }
}
