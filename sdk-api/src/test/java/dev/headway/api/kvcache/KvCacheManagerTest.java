package dev.headway.api.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.RequestView;
import org.junit.jupiter.api.Test;

/** What a manager answers that keeps no recurrent states and shares no blocks. */
class KvCacheManagerTest {

  private final KvCacheManager manager = new Plain();

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

    @Override
    public void copyBlockIds(int group, int from, int[] target, int offset, int length) {
      System.arraycopy(blocks[group], from, target, offset, length);
    }

    @Override
    public int sharedPrefixTokens() {
      return 0;
    }
  }

  /** A manager of no blocks, with nothing but what it must have. */
  private static final class Plain implements KvCacheManager {
    @Override
    public KvCacheShape shape() {
      return KvCacheShape.builder().blockSize(16).blocks(2).build();
    }

    @Override
    public KvSequence open(RequestView request) {
      return new Table(new int[][] {{}});
    }

    @Override
    public void close(KvSequence sequence) {}

    @Override
    public int lookup(KvSequence sequence) {
      return 0;
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
    public void commit(KvSequence sequence, int computedTokens) {}

    @Override
    public int release(KvSequence sequence, int computedTokens, long lastStepId) {
      return 0;
    }

    @Override
    public void acknowledge(long stepId) {}

    @Override
    public boolean reset() {
      return true;
    }

    @Override
    public int freeBlocks() {
      return 0;
    }

    @Override
    public int quarantinedBlocks() {
      return 0;
    }
  }
}
