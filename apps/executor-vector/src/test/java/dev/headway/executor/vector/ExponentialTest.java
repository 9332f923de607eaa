package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;

import jdk.incubator.vector.FloatVector;
import org.junit.jupiter.api.Test;

class ExponentialTest {

  @Test
  void shouldBeWithinTwoUnitsInTheLastPlace() {
    double worst = 0;
    for (float x = -87; x <= 88; x += 1 / 1024f) {
      final float exact = (float) Math.exp(x);
      worst = Math.max(worst, Math.abs(of(x) - exact) / Math.ulp(exact));
    }

    assertThat(worst).isLessThanOrEqualTo(2);
    assertThat(of(0)).isEqualTo(1);
    assertThat(of(-0f)).isEqualTo(1);
  }

  @Test
  void shouldStayANumberBeyondTheRangeAndKeepNan() {
    assertThat(of(-1_000)).isEqualTo(of(-87)).isPositive();
    assertThat(of(Float.NEGATIVE_INFINITY)).isEqualTo(of(-87));
    assertThat(of(1_000)).isEqualTo(of(88)).isFinite();
    assertThat(of(Float.NaN)).isNaN();
  }

  private static float of(float x) {
    return Exponential.of(FloatVector.broadcast(Lanes.FLOATS, x)).lane(0);
  }
}
