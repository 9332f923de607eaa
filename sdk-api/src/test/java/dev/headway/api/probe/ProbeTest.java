package dev.headway.api.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import org.junit.jupiter.api.Test;

class ProbeTest {

  @Test
  void shouldWantAllButScoresUnlessToldOtherwise() {
    final Probe probe = new Probe() {};

    assertThat(probe.interests())
        .containsExactlyInAnyOrderElementsOf(
            EnumSet.complementOf(EnumSet.of(ProbeInterest.SCORES)));
  }
}
