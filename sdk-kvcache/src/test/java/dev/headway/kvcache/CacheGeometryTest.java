package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.cache;
import static dev.headway.kvcache.GroupedFixture.chunks;
import static dev.headway.kvcache.GroupedFixture.full;
import static dev.headway.kvcache.GroupedFixture.states;
import static dev.headway.kvcache.GroupedFixture.window;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import java.util.List;
import org.junit.jupiter.api.Test;

class CacheGeometryTest {

  @Test
  void shouldHashInStepsOfTheGreatestCommonDivisor() {
    final CacheGeometry geometry = geometry(0, full(16), window(24, 64));

    assertThat(geometry.unit()).isEqualTo(8);
    assertThat(geometry.step()).isEqualTo(48);
    assertThat(geometry.hitUnit()).isEqualTo(48);
  }

  @Test
  void shouldHitInsideBlocksOnlyWithStatesAndPlainWindows() {
    assertThat(geometry(4, full(8), states(8, 0)).hitUnit()).isEqualTo(4);
    assertThat(geometry(4, full(8), window(8, 12)).hitUnit()).isEqualTo(8);
    assertThat(geometry(4, full(8), states(8, 0), window(8, 12)).hitUnit()).isEqualTo(8);
    assertThat(geometry(4, full(8), states(8, 0), window(4, 12)).hitUnit()).isEqualTo(4);
  }

  @Test
  void shouldLetADrafterSeeABlockBehindTheStep() {
    final CacheGeometry geometry =
        new CacheGeometry(
            KvCacheShape.builder()
                .blockSize(4)
                .blocks(8)
                .groups(List.of(full(8), window(4, 8)))
                .build(),
            PrefixCacheOptions.DEFAULT,
            SpeculationOptions.of(SpeculativeMethod.EAGLE, 1));

    assertThat(geometry.findableTokens(1, 7)).isZero();
    assertThat(geometry.findableTokens(1, 10)).isEqualTo(10);
    assertThat(geometry.findableTokens(1, 14)).isEqualTo(12);
  }

  @Test
  void shouldRefuseAMatchUnitThatDoesNotDivideABlock() {
    assertThatThrownBy(() -> geometry(3, full(8), window(4, 8)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("every block size must be a multiple of matchUnit: matchUnit=3, blockSize=8");
  }

  @Test
  void shouldRefuseARetentionIntervalBetweenBlocks() {
    assertThatThrownBy(() -> cache(window(8, 8)).retention(PrefixRetention.every(12)).manager())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "retention interval must be a multiple of the least common multiple of the block"
                + " sizes: intervalTokens=12, leastCommonMultiple=8");
  }

  @Test
  void shouldRefuseARetentionIntervalThatNoGroupHeeds() {
    assertThatThrownBy(() -> cache(full(8)).retention(PrefixRetention.every(16)).manager())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "retention EVERY needs a sliding_window or mamba group, others keep everything:"
                + " intervalTokens=16, groups=[full]");
  }

  /** A block would be found as the state after tokens that no chunk has ended behind. */
  @Test
  void shouldRefuseStatesThatChunksDoNotEndAt() {
    assertThatThrownBy(() -> cache(full(4), states(8, 0)).manager())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a mamba group needs the block size of the cache when prefix caching is on, where"
                + " chunks end: group.blockSize=8, blockSize=4");
  }

  @Test
  void shouldRefuseChunksBesideOtherBlockSizes() {
    assertThatThrownBy(() -> cache(full(8), chunks(4, 8)).manager())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a chunked_local group needs equal block sizes in all groups: blockSize=4,"
                + " leastCommonMultiple=8");
  }

  @Test
  void shouldRefuseChunksWithADrafterThatDropsHits() {
    assertThatThrownBy(() -> cache(chunks(4, 8)).drafting(SpeculativeMethod.EAGLE, 1).manager())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a chunked_local group cannot give back the last block of a hit, which eagle and"
                + " mtp_multi need");
  }

  @Test
  void shouldRefuseDraftingModulesThatLookBeyondABlock() {
    assertThatThrownBy(() -> cache(window(4, 8)).drafting(SpeculativeMethod.MTP_MULTI, 5).manager())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the least common multiple of the block sizes must be >= the prefill lookahead of"
                + " mtp_multi when prefix caching is on: leastCommonMultiple=4,"
                + " prefillLookaheadTokens=5");
  }

  private static CacheGeometry geometry(int matchUnit, KvGroup... groups) {
    return new CacheGeometry(
        KvCacheShape.builder()
            .blockSize(groups[0].blockSize())
            .blocks(8)
            .groups(List.of(groups))
            .build(),
        matchUnit == 0
            ? PrefixCacheOptions.DEFAULT
            : PrefixCacheOptions.builder().matchUnit(matchUnit).build(),
        SpeculationOptions.NONE);
  }
}
