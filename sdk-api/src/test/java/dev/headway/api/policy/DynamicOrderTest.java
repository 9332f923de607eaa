package dev.headway.api.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DynamicOrderTest {

  @Test
  void shouldScoreAWindowOncePerStepUnlessToldOtherwise() {
    final DynamicOrder order = (candidates, scores, step) -> {};

    assertThat(order.window()).isEqualTo(128);
    assertThat(order.changesWithAdmissions()).isFalse();
  }
}
