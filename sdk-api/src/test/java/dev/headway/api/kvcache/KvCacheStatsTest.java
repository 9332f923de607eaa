package dev.headway.api.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KvCacheStatsTest {

  private static KvCacheStats stats(long usable, long free, long quarantined) {
    return KvCacheStats.builder()
        .usableBlocks(usable)
        .freeBlocks(free)
        .quarantinedBlocks(quarantined)
        .build();
  }

  @Test
  void shouldKeepEachFigureInItsPlace() {
    final KvCacheStats stats = stats(100, 30, 7);

    assertThat(stats.usableBlocks()).isEqualTo(100);
    assertThat(stats.freeBlocks()).isEqualTo(30);
    assertThat(stats.quarantinedBlocks()).isEqualTo(7);
    assertThat(stats)
        .hasToString("KvCacheStats[usableBlocks=100, freeBlocks=30, quarantinedBlocks=7]");
    assertThat(KvCacheStats.builder().build()).isEqualTo(stats(0, 0, 0));
  }

  @Test
  void shouldCountAsHeldWhatIsNeitherFreeNorInQuarantine() {
    assertThat(stats(100, 30, 7).heldBlocks()).isEqualTo(63);
    assertThat(stats(100, 100, 0).heldBlocks()).isZero();
  }

  @Test
  void shouldCompareByFigures() {
    final KvCacheStats stats = stats(100, 30, 7);

    assertThat(stats).isEqualTo(stats(100, 30, 7)).hasSameHashCodeAs(stats(100, 30, 7));
    assertThat(stats)
        .isNotEqualTo(stats(99, 30, 7))
        .isNotEqualTo(stats(100, 31, 7))
        .isNotEqualTo(stats(100, 30, 8))
        .isNotEqualTo("stats");
    assertThat(stats.hashCode()).isNotEqualTo(stats(100, 30, 8).hashCode());
  }
}
