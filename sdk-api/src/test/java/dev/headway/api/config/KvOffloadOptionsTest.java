package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class KvOffloadOptionsTest {

  @Test
  void shouldTakeZeroForNoTierInHostMemory() {
    assertThat(KvOffloadOptions.NONE).isEqualTo(new KvOffloadOptions(0));
  }

  @Test
  void shouldRefuseFewerHostBlocksThanNone() {
    assertThatThrownBy(() -> new KvOffloadOptions(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("hostBlocks must be >= 0, 0 for no tier in host memory: hostBlocks=-1");
  }
}
