package dev.headway.api.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.request.RequestView;
import org.junit.jupiter.api.Test;

/** What a manager answers that keeps no recurrent states and shares no blocks. */
class KvCacheManagerTest {

  private final Plain manager = new Plain();

  @Test
  void shouldLeaveChunksAsTheyAre() {
    final KvSequence sequence = new Table(new int[][] {{1}});

    assertThat(manager.alignChunk(sequence, 16, 5, 64)).isEqualTo(5);
    assertThat(manager.commonPrefixBlocks(sequence, 0)).isZero();
  }

  @Test
  void shouldGainAllBlocksOfAllGroupsButTheNullBlock() {
    final KvSequence none = new Table(new int[][] {{}, {}});
    final KvSequence windowed = new Table(new int[][] {{4, 5, 6}, {0, 0, 7}});

    assertThat(manager.blocksGained(windowed, 48, 3, none)).isEqualTo(4);
    assertThat(manager.blocksGained(none, 48, 3, windowed)).isZero();
  }

  @Test
  void shouldFindNoPrefixes() {
    final KvSequence sequence = new Table(new int[][] {{1}});

    manager.commit(sequence, 16);

    assertThat(manager.lookup(sequence)).isZero();
    assertThat(sequence.sharedPrefixTokens()).isZero();
  }

  @Test
  void shouldResetOnlyWithoutBlocksInUse() {
    assertThat(manager.reset()).isTrue();

    manager.free = 0;

    assertThat(manager.reset()).isFalse();
  }

  @Test
  void shouldCloseOnlyASequenceWithoutBlocks() {
    manager.close(new Table(new int[][] {{}, {}}));

    final KvSequence holding = new Table(new int[][] {{}, {5, 6}});
    assertThatThrownBy(() -> manager.close(holding))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("blocks must be released before close: group=1, blocks=2");
  }

  @Test
  void shouldCopyBlockIdsOneByOne() {
    final int[] target = new int[4];

    new Table(new int[][] {{}, {5, 6, 7}}).copyBlockIds(1, 1, target, 2, 2);

    assertThat(target).containsExactly(0, 0, 6, 7);
  }

  /** Block ids by group. */
  private record Table(int[][] blocks) implements KvSequence {
    @Override
    public int groupCount() {
      return blocks.length;
    }

    @Override
    public int blockCount(int group) {
      return blocks[group].length;
    }

    @Override
    public int blockId(int group, int index) {
      return blocks[group][index];
    }
  }

  /** A manager of no blocks, with nothing but what it must have. */
  private static final class Plain implements KvCacheManager {
    private int free = 1;

    @Override
    public KvCacheShape shape() {
      return KvCacheShape.builder().blockSize(16).blocks(2).build();
    }

    @Override
    public KvSequence open(RequestView request) {
      return new Table(new int[][] {{}});
    }

    @Override
    public Allocation allocate(
        KvSequence sequence,
        int newTokens,
        int lookaheadTokens,
        int reserveTokens,
        int watermarkBlocks) {
      return new Allocation().answer(Allocation.Status.BLOCKS_SHORT, 1);
    }

    @Override
    public Allocation extend(
        KvSequence sequence, int computedTokens, int newTokens, int lookaheadTokens) {
      return new Allocation().answer(Allocation.Status.BLOCKS_SHORT, 1);
    }

    @Override
    public int release(KvSequence sequence, int computedTokens, long lastStepId) {
      return 0;
    }

    @Override
    public void acknowledge(long stepId) {}

    @Override
    public int freeBlocks() {
      return free;
    }

    @Override
    public int quarantinedBlocks() {
      return 0;
    }
  }
}
