package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class PagedCacheTest {

  private static final int BLOCK_SIZE = 4;
  private static final int BLOCKS = 5;

  @AutoClose private final Arena arena = Arena.ofShared();
  private final ModelConfig config = TestModels.tiny(ModelFamily.LLAMA);
  private final PagedCache cache = new PagedCache(config, BLOCK_SIZE, 3, 2, arena);

  @Test
  void shouldZeroABlockOfEveryLayerAndNoOther() {
    cache.zeroBlock(1);
    cache.zeroBlock(BLOCKS - 1);

    assertZeroed(cache.keys());
    assertZeroed(cache.values());
  }

  /** Layers, blocks, KV heads: 1 and 4 of each layer are zeros, the others NaN. */
  private void assertZeroed(MemorySegment floats) {
    final int perBlock = config.attention().kvDim() * BLOCK_SIZE;
    for (int i = 0; i < config.layers() * BLOCKS * perBlock; i++) {
      final int block = i / perBlock % BLOCKS;
      final boolean zeroed = floats.getAtIndex(ValueLayout.JAVA_FLOAT, i) == 0;
      assertThat(zeroed)
          .as("element=%d, block=%d", i, block)
          .isEqualTo(block == 1 || block == BLOCKS - 1);
    }
  }

  /** Few calls, so that no compiler removes what is written in the code. */
  @Test
  void shouldAllocateNothingWhenItCopiesAndZeroes() {
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE; // the first round links what is called, the counter's own call too
    for (int round = 0; round < 3; round++) {
      final long before = threads.getCurrentThreadAllocatedBytes();
      copyAndZero(20);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }

    assertThat(least).as("bytes of 20 copies and 20 zeroed blocks").isZero();
  }

  private void copyAndZero(int times) {
    for (int i = 0; i < times; i++) {
      cache.copyBlock(1, 3);
      cache.zeroBlock(2);
    }
  }
}
