package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class QueueLimitsTest {

  @Test
  void shouldTakeZeroForNoLimit() {
    assertThat(QueueLimits.NONE).isEqualTo(new QueueLimits(0, 0));
    assertThat(new QueueLimits(1, Long.MAX_VALUE).maxNumQueuedTokens()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldRefuseNegativeLimits() {
    assertThatThrownBy(() -> new QueueLimits(-1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxNumQueuedReqs must be >= 0, 0 for no limit: maxNumQueuedReqs=-1");
    assertThatThrownBy(() -> new QueueLimits(0, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxNumQueuedTokens must be >= 0, 0 for no limit: maxNumQueuedTokens=-1");
  }
}
