package dev.headway.simulation.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class JainTest {

  @Test
  void shouldBeOneForEqualShares() {
    assertThat(Jain.index(new double[] {3, 3, 3, 3})).isEqualTo(1);
    assertThat(Jain.index(new double[] {5})).isEqualTo(1);
  }

  @Test
  void shouldBeOneOverNIfOneHasEverything() {
    assertThat(Jain.index(new double[] {0, 0, 9, 0})).isEqualTo(0.25);
  }

  @Test
  void shouldFollowTheFormula() {
    assertThat(Jain.index(new double[] {1, 2, 3})).isCloseTo(36.0 / 42, within(1e-12));
  }

  @Test
  void shouldBeUnknownIfNobodyHasAnything() {
    assertThat(Jain.index(new double[] {0, 0})).isNaN();
    assertThat(Jain.index(new double[0])).isNaN();
  }
}
