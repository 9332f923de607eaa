package dev.headway.api.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.RequestView;
import org.junit.jupiter.api.Test;

class KvBlocksStoredTest {

  @Test
  void shouldPlaceOneHashAfterTheOtherUnlessBlocksAreLeftOut() {
    final KvBlocksStored blocks = new FixedBlocks(48, 16);

    assertThat(blocks.firstToken(0)).isEqualTo(48);
    assertThat(blocks.firstToken(1)).isEqualTo(64);
    assertThat(blocks.firstToken(5)).isEqualTo(128);
  }

  /** Six blocks of one group, from a token on. */
  record FixedBlocks(int firstToken, int blockSize) implements KvBlocksStored {
    @Override
    public long stepId() {
      return 1;
    }

    @Override
    public RequestView request() {
      throw new UnsupportedOperationException("blocks without a request");
    }

    @Override
    public int group() {
      return 0;
    }

    @Override
    public int count() {
      return 6;
    }

    @Override
    public long contentHash(int index) {
      return index;
    }

    @Override
    public boolean hasParent() {
      return firstToken > 0;
    }

    @Override
    public long parentContentHash() {
      return -1;
    }

    @Override
    public int tokenCount() {
      return count() * blockSize;
    }
  }
}
