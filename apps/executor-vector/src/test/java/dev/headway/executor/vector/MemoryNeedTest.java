package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.WeightType;
import dev.headway.executor.reference.HostKvOptions;
import dev.headway.scheduler.time.VirtualClock;
import org.junit.jupiter.api.Test;

class MemoryNeedTest {

  private static final long BLOCK_BYTES = 4 * 4 * 2 * 3 * 16; // tokens, float, K and V, layers, dim

  private static final long WEIGHTS =
      2 * 97 * 24 // embedding and head
          + 3 * (24 * (32 + 2 * 16) + 32 * 24 + 3 * 24 * 40);

  private final Model model = Model.random(TestModels.tiny(ModelFamily.QWEN3), 5, WeightType.F32);

  @Test
  void shouldCountTheBlocksOfBothTiersAndTheMatrices() {
    assertThat(need(10, 3))
        .isEqualTo(new MemoryNeed(10, 3, 13 * BLOCK_BYTES, Float.BYTES * WEIGHTS));
  }

  @Test
  void shouldRefuseAByteMoreThanTheMachineHas() {
    final MemoryNeed need = need(10, 3);
    final long bytes = 13 * BLOCK_BYTES + Float.BYTES * WEIGHTS;

    assertThatCode(() -> need.requireWithin(new PhysicalMemory(bytes, 0)))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> need.requireWithin(new PhysicalMemory(bytes - 1, 7)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "KV cache and weights must fit the machine's memory: numBlocks=10, hostBlocks=3, bytes"
                + " of the cache=19968, bytes of the weights=%d, bytes of the machine=%d, free=7;"
                + " give fewer numBlocks or hostBlocks, or a smaller model",
            Float.BYTES * WEIGHTS, bytes - 1);
  }

  @Test
  void shouldRefuseMoreBytesThanALongHolds() {
    final MemoryNeed need =
        MemoryNeed.of(
            model, new HostKvOptions(1 << 29, 3, 0, Integer.MAX_VALUE).shape(model.config(), 1));

    assertThat(need.cacheBytes()).isEqualTo(Long.MAX_VALUE);
    assertThatThrownBy(() -> need.requireWithin(PhysicalMemory.now()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldBeAskedBeforeAnythingIsAllocated() {
    assertThatThrownBy(
            () ->
                VectorExecutor.builder(model, new VirtualClock())
                    .numBlocks(100_000_000)
                    .hostBlocks(2_000_000_000)
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("numBlocks=100000000, hostBlocks=2000000000");
  }

  @Test
  void shouldKnowTheMemoryOfThisMachine() {
    final PhysicalMemory memory = PhysicalMemory.now();

    assertThat(memory.totalBytes()).isBetween(1L << 26, Long.MAX_VALUE - 1);
    assertThat(memory.freeBytes()).isBetween(0L, memory.totalBytes());
  }

  private MemoryNeed need(int numBlocks, int hostBlocks) {
    return MemoryNeed.of(
        model, new HostKvOptions(4, numBlocks, 0, hostBlocks).shape(model.config(), 1));
  }
}
