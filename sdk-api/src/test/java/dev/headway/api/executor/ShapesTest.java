package dev.headway.api.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.KvCacheShape;
import org.junit.jupiter.api.Test;

class ShapesTest {

  private static final KvCacheShape KV = KvCacheShape.builder().blockSize(16).blocks(100).build();

  @Test
  void shouldCountBlocks() {
    assertThat(KV.usableBlocks()).isEqualTo(99);
    assertThat(KV.blocksFor(0)).isZero();
    assertThat(KV.blocksFor(1)).isEqualTo(1);
    assertThat(KV.blocksFor(16)).isEqualTo(1);
    assertThat(KV.blocksFor(17)).isEqualTo(2);
    assertThat(KV.blocksFor(Integer.MAX_VALUE)).isEqualTo(134_217_728);
  }

  @Test
  void shouldRefuseACacheThatHoldsNothing() {
    assertThatThrownBy(KvCacheShape.builder().blockSize(0).blocks(2)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("blockSize must be >= 1: blockSize=0");
    assertThatThrownBy(KvCacheShape.builder().blockSize(16).blocks(1)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("blocks must be >= 2, the null block and one to use: blocks=1");
    assertThatThrownBy(() -> KvCacheShape.builder().bytesPerBlock(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("bytesPerBlock must be >= 1: bytesPerBlock=0");
  }

  @Test
  void shouldKnowTheBytesOfABlockOnlyIfTheyWereSaid() {
    final KvCacheShape said =
        KvCacheShape.builder().blockSize(16).blocks(100).bytesPerBlock(9).build();

    assertThat(KV.bytesPerBlock()).isEmpty();
    assertThat(said.bytesPerBlock()).hasValue(9);
    assertThat(said).isNotEqualTo(KV);
    assertThat(KV).isEqualTo(KvCacheShape.builder().blockSize(16).blocks(100).build());
    assertThat(KV)
        .hasToString(
            "KvCacheShape[blockSize=16, numBlocks=100, groups=[FullAttention[blockSize=16]]]");
  }

  @Test
  void shouldRefuseACacheOfMoreTokensThanAnIntCounts() {
    assertThatThrownBy(() -> KvCacheShape.builder().blockSize(1 << 16).blocks(1 << 15).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("blockSize * blocks must be <= 2147483647: blockSize=65536, blocks=32768");
    assertThat(KvCacheShape.builder().blockSize(1).blocks(Integer.MAX_VALUE).build().usableBlocks())
        .isEqualTo(2_147_483_646);
  }

  @Test
  void shouldRefuseAnExecutorThatHoldsNothing() {
    assertThatThrownBy(
            () -> ExecutorShape.builder().kvCache(KV).maxNumSeqs(0).vocabularySize(1).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxNumSeqs must be >= 1: maxNumSeqs=0");
    assertThatThrownBy(
            () -> ExecutorShape.builder().kvCache(KV).maxNumSeqs(1).vocabularySize(-3).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("vocabularySize must be >= 1: vocabularySize=-3");
    assertThatThrownBy(
            () ->
                ExecutorShape.builder()
                    .kvCache(KV)
                    .maxNumSeqs(1)
                    .vocabularySize(1)
                    .maxStepsInFlight(0)
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxStepsInFlight must be >= 1: maxStepsInFlight=0");
  }
}
