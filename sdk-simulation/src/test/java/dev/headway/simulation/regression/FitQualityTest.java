package dev.headway.simulation.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Figures worked out by hand. */
class FitQualityTest {

  private static FitQuality of(double[] predicted, double[] measured) {
    final FitQuality.Builder builder = new FitQuality.Builder();
    for (int i = 0; i < predicted.length; i++) {
      builder.add(predicted[i], measured[i]);
    }
    return builder.build();
  }

  @Test
  void shouldSayHowFarOffPredictionsAre() {
    final FitQuality quality = of(new double[] {11, 18, 30, 44}, new double[] {10, 20, 30, 40});

    // residuals 1, -2, 0, 4; relative errors 10, -10, 0, 10 %; variance 500
    assertThat(quality.rows()).isEqualTo(4);
    assertThat(quality.r2()).isCloseTo(1 - 21 / 500.0, within(1e-12));
    assertThat(quality.rmse()).isCloseTo(Math.sqrt(21 / 4.0), within(1e-12));
    assertThat(quality.meanAbsolute()).isCloseTo(7 / 4.0, within(1e-12));
    assertThat(quality.meanError()).isCloseTo(0.075, within(1e-12));
    assertThat(quality.medianError()).isCloseTo(0.1, within(1e-12));
    assertThat(quality.p90Error()).isCloseTo(0.1, within(1e-12));
    assertThat(quality.bias()).isCloseTo(0.025, within(1e-12));
    assertThat(quality.adjustedR2(2)).isCloseTo(1 - 21 / 500.0 * 3 / 2, within(1e-12));
  }

  @Test
  void shouldSeeErrorsThatLast() {
    final double[] measured = new double[200];
    final double[] slow = new double[200];
    final double[] quick = new double[200];
    for (int i = 0; i < 200; i++) {
      measured[i] = 100;
      slow[i] = i < 100 ? 110 : 90;
      quick[i] = i % 2 == 0 ? 110 : 90;
    }

    assertThat(of(slow, measured).autocorrelation()).isGreaterThan(0.95);
    assertThat(of(quick, measured).autocorrelation()).isLessThan(-0.95);
  }

  @Test
  void shouldSayNothingOfNothing() {
    assertThat(of(new double[0], new double[0]).meanError()).isNaN();
    assertThat(of(new double[] {2}, new double[] {1}).r2()).as("no variance").isNaN();
  }
}
