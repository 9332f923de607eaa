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
    assertThatThrownBy(() -> KvCacheManagers.builder(new KvCacheShape(4, 8, 0), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxModelLen must be >= 1: maxModelLen=0");
  }

  @Test
  void shouldRefuseNothingInFlight() {
    assertThatThrownBy(
            () -> KvCacheManagers.builder(new KvCacheShape(4, 8, 0), 9).maxInFlightTokens(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxInFlightTokens must be >= 1: maxInFlightTokens=0");
  }

  private static KvCacheManager managerOf(KvGroup... groups) {
    return KvCacheManagers.builder(
            new KvCacheShape(groups[0].blockSize(), 8, 0, List.of(groups)), 100)
        .build();
  }
}
