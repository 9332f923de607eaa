package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.Displacement.Mode;
import org.junit.jupiter.api.Test;

class DisplacementTest {

  @Test
  void shouldDisplaceAtOnceByTheSmallestGapUnlessToldOtherwise() {
    assertThat(Displacement.ON).isEqualTo(new Displacement(Mode.ON, 1, 0));
    assertThat(Displacement.OFF).isEqualTo(new Displacement(Mode.OFF, 1, 0));
  }

  @Test
  void shouldRefuseToDisplaceEquals() {
    assertThatThrownBy(() -> new Displacement(Mode.ON, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("minPriorityGap must be >= 1: minPriorityGap=0");
  }

  @Test
  void shouldRefuseFewerStepsThanNone() {
    assertThatThrownBy(() -> new Displacement(Mode.ON, 1, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("minStepsBetween must be >= 0: minStepsBetween=-1");
  }
}
