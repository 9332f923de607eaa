package dev.headway.api.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ClockAnchorTest {

  @Test
  void shouldTurnInstantsIntoCalendarTime() {
    final ClockAnchor anchor = new ClockAnchor(1_000, 100, 3);

    assertThat(anchor.toUnixEpochNs(100)).isEqualTo(1_000);
    assertThat(anchor.toUnixEpochNs(40)).isEqualTo(940);
    assertThatThrownBy(() -> new ClockAnchor(0, 0, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("errorNs must be >= 0: errorNs=-1");
  }
}
