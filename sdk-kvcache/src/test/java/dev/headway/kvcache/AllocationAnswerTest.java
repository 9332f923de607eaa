package dev.headway.kvcache;

import static dev.headway.kvcache.KvFixture.cache;
import static dev.headway.kvcache.KvFixture.text;
import static dev.headway.kvcache.KvFixture.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.Allocation;
import org.junit.jupiter.api.Test;

/** A demand is answered before anything changes, and says what was asked of the free blocks. */
class AllocationAnswerTest {

  @Test
  void shouldAllocateTheLastFreeBlock() {
    final KvFixture given = cache().usableBlocks(2).request("a", text(1, 2));

    final Allocation.Status verdict = given.allocate("a");

    assertThat(verdict).isEqualTo(Allocation.Status.ALLOCATED);
    assertThat(given.neededBlocks()).isEqualTo(2);
    assertThat(given.manager().freeBlocks()).isZero();
    assertThat(given.usedBlocks()).isEqualTo(2);
  }

  @Test
  void shouldBeShortOfOneBlockAndChangeNothing() {
    final KvFixture given = cache().usableBlocks(2).request("a", with(text(1, 2), 9));

    final Allocation.Status verdict = given.allocate("a");

    assertThat(verdict).isEqualTo(Allocation.Status.BLOCKS_SHORT);
    assertThat(given.neededBlocks()).isEqualTo(3);
    assertThat(given.free()).containsExactly(1, 2);
    assertThat(given.blocksOf("a")).isEmpty();
    assertThat(given.events()).isEmpty();
  }

  @Test
  void shouldNeedNoBlockForWhatARunningRequestShares() {
    final KvFixture given =
        cache().usableBlocks(3).request("a", text(1, 2)).request("b", with(text(1, 2), 9));
    given.allocate("a");

    given.allocate("b");

    assertThat(given.neededBlocks()).isEqualTo(1);
  }

  @Test
  void shouldNeedTheFreeBlocksThatALookupBringsBack() {
    final KvFixture given =
        cache()
            .usableBlocks(4)
            .request("a", text(1, 2))
            .request("b", with(text(1, 2), 9, 9, 9, 9, 9));
    given.allocate("a");
    given.release("a");
    given.request("c", text(2, 1)).allocate("c");

    final Allocation.Status verdict = given.allocate("b");

    assertThat(verdict).isEqualTo(Allocation.Status.BLOCKS_SHORT);
    assertThat(given.neededBlocks()).as("2 hits and 2 new").isEqualTo(4);
    assertThat(given.free()).as("hits stay where they are").containsExactly(4, 2, 1);
  }

  @Test
  void shouldRefuseAChunkWhenTheWholeSequenceDoesNotFit() {
    final KvFixture given = cache().usableBlocks(2).reserveTokens(12).request("a", text(1, 3));

    final Allocation.Status verdict = given.allocateChunk("a", 4);

    assertThat(verdict).isEqualTo(Allocation.Status.FULL_SEQUENCE_SHORT);
    assertThat(given.neededBlocks()).isEqualTo(3);
  }

  @Test
  void shouldCountHitsInTheGate() {
    final KvFixture given =
        cache()
            .usableBlocks(3)
            .reserveTokens(9)
            .request("a", text(1, 2))
            .request("b", with(text(1, 2), 9));
    given.allocate("a");

    final Allocation.Status verdict = given.allocate("b");

    assertThat(verdict).isEqualTo(Allocation.Status.ALLOCATED);
  }

  @Test
  void shouldAskForNoMoreThanTheLongestSequenceInTheGate() {
    final KvFixture given =
        cache().usableBlocks(2).maxModelLen(8).reserveTokens(12).request("a", text(1, 3));

    final Allocation.Status verdict = given.allocateChunk("a", 4);

    assertThat(verdict).isEqualTo(Allocation.Status.ALLOCATED);
  }

  @Test
  void shouldKeepTheWatermarkFree() {
    final KvFixture given = cache().usableBlocks(3).watermarkBlocks(2).request("a", text(1, 2));

    final Allocation.Status verdict = given.allocate("a");

    assertThat(verdict).isEqualTo(Allocation.Status.WATERMARK_SHORT);
    assertThat(given.neededBlocks()).isEqualTo(4);

    assertThat(given.watermarkBlocks(1).allocate("a")).isEqualTo(Allocation.Status.ALLOCATED);
  }

  @Test
  void shouldKeepTheWatermarkFreeInTheGateToo() {
    final KvFixture given =
        cache().usableBlocks(3).watermarkBlocks(1).reserveTokens(12).request("a", text(1, 3));

    final Allocation.Status verdict = given.allocateChunk("a", 4);

    assertThat(verdict).isEqualTo(Allocation.Status.WATERMARK_SHORT);
    assertThat(given.neededBlocks()).isEqualTo(4);
  }

  @Test
  void shouldSayTheGateWhenBothGateAndWatermarkAreShort() {
    final KvFixture given =
        cache().usableBlocks(3).watermarkBlocks(1).reserveTokens(16).request("a", text(1, 4));

    assertThat(given.allocateChunk("a", 4)).isEqualTo(Allocation.Status.FULL_SEQUENCE_SHORT);
  }

  @Test
  void shouldTakeBlocksForLookaheadUpToTheLongestSequence() {
    final KvFixture given =
        cache().usableBlocks(8).maxModelLen(10).lookaheadTokens(4).request("a", text(1, 1));

    given.allocate("a");
    assertThat(given.blocksOf("a")).hasSize(2);

    given.request("b", text(2, 2)).allocate("b");
    assertThat(given.blocksOf("b")).as("cut at maxModelLen").hasSize(3);
  }

  @Test
  void shouldGrowWithinTheLastBlockForNothing() {
    final KvFixture given = cache().usableBlocks(2).request("a", with(text(1, 1), 9));
    given.allocate("a");
    given.append("a", 9);

    final Allocation.Status verdict = given.extend("a", 1);

    assertThat(verdict).isEqualTo(Allocation.Status.ALLOCATED);
    assertThat(given.neededBlocks()).isZero();
  }

  @Test
  void shouldBeShortWhenGrowingAndChangeNothing() {
    final KvFixture given = cache().usableBlocks(1).request("a", text(1, 1));
    given.allocate("a");
    given.append("a", 9);

    final Allocation.Status verdict = given.extend("a", 1);

    assertThat(verdict).isEqualTo(Allocation.Status.BLOCKS_SHORT);
    assertThat(given.neededBlocks()).isEqualTo(1);
    assertThat(given.blocksOf("a")).containsExactly(1);
  }

  @Test
  void shouldNotCloseASequenceThatHoldsBlocks() {
    final KvFixture given = cache().request("a", text(1, 2));
    given.allocate("a");

    assertThatThrownBy(() -> given.manager().close(given.sequence("a")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a sequence must be released before it is closed: id=a, blockCount=2");
  }

  @Test
  void shouldLetGoOfNothingTwice() {
    final KvFixture given = cache().request("a", text(1, 2));
    given.allocate("a");

    assertThat(given.release("a")).isEqualTo(2);
    assertThat(given.release("a")).isZero();
    assertThat(given.manager().freeBlocks()).isEqualTo(8);
  }

  @Test
  void shouldNotReadBeyondTheBlockTable() {
    final KvFixture given = cache().request("a", text(1, 2));
    given.allocate("a");

    assertThatThrownBy(() -> given.sequence("a").blockId(0, 2))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("block index must be in [0, blockCount): index=2, blockCount=2");
    assertThatThrownBy(() -> given.sequence("a").copyBlockIds(0, 1, new int[4], 0, 2))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("blocks must be in [0, blockCount): from=1, length=2, blockCount=2");
  }

  @Test
  void shouldRefuseASequenceLengthThatHoldsNoToken() {
    assertThatThrownBy(() -> cache().maxModelLen(0).manager())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxModelLen must be >= 1: maxModelLen=0");
  }
}
