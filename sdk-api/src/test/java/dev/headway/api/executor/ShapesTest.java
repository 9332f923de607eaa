package dev.headway.api.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.KvCacheShape;
import org.junit.jupiter.api.Test;

class ShapesTest {

  private static final KvCacheShape KV = new KvCacheShape(16, 100, 0);

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
    assertThatThrownBy(() -> new KvCacheShape(0, 2, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("blockSize must be >= 1: blockSize=0");
    assertThatThrownBy(() -> new KvCacheShape(16, 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("numBlocks must be >= 2, the null block and one to use: numBlocks=1");
    assertThatThrownBy(() -> new KvCacheShape(16, 2, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("bytesPerBlock must be >= 0, 0 if not known: bytesPerBlock=-1");
  }

  @Test
  void shouldRefuseACacheOfMoreTokensThanAnIntCounts() {
    assertThatThrownBy(() -> new KvCacheShape(1 << 16, 1 << 15, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "blockSize * numBlocks must be <= 2147483647: blockSize=65536, numBlocks=32768");
    assertThat(new KvCacheShape(1, Integer.MAX_VALUE, 0).usableBlocks()).isEqualTo(2_147_483_646);
  }

  @Test
  void shouldRefuseAnExecutorThatHoldsNothing() {
    assertThatThrownBy(() -> new ExecutorShape(KV, 0, 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxNumSeqs must be >= 1: maxNumSeqs=0");
    assertThatThrownBy(() -> new ExecutorShape(KV, 1, -3, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("vocabularySize must be >= 1: vocabularySize=-3");
    assertThatThrownBy(() -> new ExecutorShape(KV, 1, 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxStepsInFlight must be >= 1: maxStepsInFlight=0");
  }
}
