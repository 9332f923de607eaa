package dev.headway.api.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

class KvCacheShapeTest {

  private static final KvCacheShape KV = sized().build();
  private static final KvGroup FULL = new KvGroup.FullAttention(16);
  private static final KvGroup WINDOW = new KvGroup.SlidingWindow(16, 33);

  /** One for each figure: each makes it another. */
  static final List<UnaryOperator<KvCacheShape.Builder>> CHANGES =
      List.of(
          shape -> shape.blockSize(17),
          shape -> shape.blocks(99),
          shape -> shape.bytesPerBlock(10),
          shape -> shape.groups(List.of(WINDOW, FULL)));

  private static KvCacheShape.Builder sized() {
    return KvCacheShape.builder().blockSize(16).blocks(100);
  }

  private static KvCacheShape.Builder everything() {
    return sized().bytesPerBlock(9).groups(List.of(FULL, WINDOW));
  }

  @Test
  void shouldHaveTheFiguresThatWereSet() {
    final KvCacheShape shape = everything().build();

    assertThat(shape.blockSize()).isEqualTo(16);
    assertThat(shape.numBlocks()).isEqualTo(100);
    assertThat(shape.bytesPerBlock()).hasValue(9);
    assertThat(shape.groups()).containsExactly(FULL, WINDOW);
    assertThat(shape)
        .hasToString(
            "KvCacheShape[blockSize=16, numBlocks=100, bytesPerBlock=9,"
                + " groups=[FullAttention[blockSize=16], SlidingWindow[blockSize=16,"
                + " windowTokens=33]]]");
  }

  @Test
  void shouldAttendToTheWholeContextUnlessToldOtherwise() {
    assertThat(KV.groups()).containsExactly(FULL);
    assertThat(KV.bytesPerBlock()).as("not known").isEmpty();
    assertThat(KV)
        .hasToString(
            "KvCacheShape[blockSize=16, numBlocks=100, groups=[FullAttention[blockSize=16]]]");
  }

  @ParameterizedTest
  @CsvSource({"0,0", "1,1", "16,1", "17,2", "2147483647,134217728"})
  void shouldRoundBlocksUp(int tokens, int blocks) {
    assertThat(KV.blocksFor(tokens)).isEqualTo(blocks);
  }

  @Test
  void shouldHoldTheBlocksOfAllGroups() {
    final int ofTheWindow = WINDOW.blocksToHold(1_000, 32, 1_000);

    assertThat(everything().build().blocksToHold(1_000, 32, 1_000)).isEqualTo(63 + ofTheWindow);
    assertThat(KV.usableBlocks()).as("all but the null block").isEqualTo(99);
  }

  @Test
  void shouldHoldNoMoreBlocksThanAnIntCounts() {
    final KvGroup perToken = new KvGroup.FullAttention(1);

    assertThat(
            sized()
                .groups(List.of(perToken, perToken))
                .build()
                .blocksToHold(Integer.MAX_VALUE, 1, 1))
        .isEqualTo(Integer.MAX_VALUE);
  }

  @ParameterizedTest
  @FieldSource("CHANGES")
  void shouldCompareByEveryFigure(UnaryOperator<KvCacheShape.Builder> change) {
    final KvCacheShape shape = everything().build();
    final KvCacheShape same = everything().build();
    final KvCacheShape other = change.apply(everything()).build();

    assertThat(shape).isEqualTo(same).hasSameHashCodeAs(same);
    assertThat(shape).isNotEqualTo(other).isNotEqualTo("shape");
    assertThat(shape.hashCode()).isNotEqualTo(other.hashCode());
  }

  @Test
  void shouldRefuseACacheThatHoldsNothing() {
    assertThatThrownBy(KvCacheShape.builder().blockSize(0).blocks(2)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("blockSize must be >= 1: blockSize=0");
    assertThatThrownBy(KvCacheShape.builder().blockSize(16).blocks(1)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("blocks must be >= 2, the null block and one to use: blocks=1");
    assertThat(KvCacheShape.builder().blockSize(1).blocks(2).build().usableBlocks()).isEqualTo(1);
  }

  @Test
  void shouldRefuseBlocksWithoutBytesAndACacheWithoutGroups() {
    assertThatThrownBy(() -> KvCacheShape.builder().bytesPerBlock(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("bytesPerBlock must be >= 1: bytesPerBlock=0");
    assertThatThrownBy(() -> KvCacheShape.builder().groups(List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("groups must not be empty: groups=[]");
    assertThat(sized().bytesPerBlock(1).build().bytesPerBlock()).hasValue(1);
  }

  @Test
  void shouldRefuseACacheOfMoreTokensThanAnIntCounts() {
    assertThatThrownBy(() -> KvCacheShape.builder().blockSize(1 << 16).blocks(1 << 15).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("blockSize * blocks must be <= 2147483647: blockSize=65536, blocks=32768");
    assertThat(KvCacheShape.builder().blockSize(1).blocks(Integer.MAX_VALUE).build().usableBlocks())
        .isEqualTo(2_147_483_646);
  }
}
