package dev.headway.api.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class KvTransferStageTest {

  @Test
  void shouldKeepTheWordsThatStandInFiles() {
    assertThat(Arrays.stream(KvTransferStage.values()).map(KvTransferStage::label))
        .containsExactly("load_committed", "store_committed", "evicted", "initiated", "completed");
  }
}
