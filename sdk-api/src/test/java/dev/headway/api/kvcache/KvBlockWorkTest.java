package dev.headway.api.kvcache;

import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.support.SimpleRequest;
import org.junit.jupiter.api.Test;

class KvBlockWorkTest {

  private final RequestView request =
      new SimpleRequest(Request.builder("r", 1).maxTokens(1).build(), 0, 0, 0);
  private final KvBlockWork onDevice =
      new KvBlockWork() {
        @Override
        public void copy(int source, int target) {}

        @Override
        public void zero(int block) {}
      };

  @Test
  void shouldRefuseToMoveBlocksWithoutAHostTier() {
    assertThatThrownBy(() -> onDevice.save(3, 4))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "save needs an executor that moves blocks to and from host memory: device=3, host=4;"
                + " set hostBlocks to 0 without one");
    assertThatThrownBy(() -> onDevice.load(request, 4, 3))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageStartingWith("load needs an executor")
        .hasMessageContaining("device=3, host=4");
    assertThatNoException().isThrownBy(() -> onDevice.evicted(4));
  }
}
