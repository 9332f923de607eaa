package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.full;
import static dev.headway.kvcache.GroupedFixture.window;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import java.util.List;
import org.junit.jupiter.api.Test;

class KvCacheManagersTest {

  @Test
  void shouldTakeTheFastManagerForOneFullGroup() {
    assertThat(managerOf(full(4))).isInstanceOf(PagedKvCacheManager.class);
  }

  @Test
  void shouldTakeTheGeneralManagerForEverythingElse() {
    assertThat(managerOf(window(4, 8))).isInstanceOf(GroupedKvCacheManager.class);
    assertThat(managerOf(full(4), window(4, 8))).isInstanceOf(GroupedKvCacheManager.class);
    assertThat(managerOf(full(4), full(4))).isInstanceOf(GroupedKvCacheManager.class);
  }

  @Test
  void shouldRefuseALengthThatNothingFits() {
    assertThatThrownBy(
            () -> KvCacheManagers.builder(KvCacheShape.builder().blockSize(4).blocks(8).build(), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxModelLen must be >= 1: maxModelLen=0");
  }

  @Test
  void shouldRefuseNothingInFlight() {
    assertThatThrownBy(
            () ->
                KvCacheManagers.builder(KvCacheShape.builder().blockSize(4).blocks(8).build(), 9)
                    .maxInFlightTokens(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxInFlightTokens must be >= 1: maxInFlightTokens=0");
  }

  private static KvCacheManager managerOf(KvGroup... groups) {
    return KvCacheManagers.builder(
            KvCacheShape.builder()
                .blockSize(groups[0].blockSize())
                .blocks(8)
                .groups(List.of(groups))
                .build(),
            100)
        .build();
  }
}
