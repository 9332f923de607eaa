package dev.headway.api.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.KvGroup.ChunkedLocal;
import dev.headway.api.kvcache.KvGroup.FullAttention;
import dev.headway.api.kvcache.KvGroup.Mamba;
import dev.headway.api.kvcache.KvGroup.SlidingWindow;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each kind of layers keeps of a sequence, and its word. */
class KvGroupTest {

  @ParameterizedTest
  @CsvSource({"0,0", "1,1", "16,1", "17,2", "2147483647,134217728"})
  void shouldHoldEveryBlockWithFullAttention(int tokens, int blocks) {
    assertThat(new FullAttention(16).blocksToHold(tokens, 64, 1_000)).isEqualTo(blocks);
  }

  /** A window of 33 tokens has 32 behind the first in flight, and may begin inside a block. */
  @ParameterizedTest
  @CsvSource({
    "  16,         32, 1000,  1, the whole sequence is shorter",
    "  80,         32, 1000,  5, as long as the window",
    "1000,         32, 1000,  5, longer than the window",
    "1000,         33, 1000,  6, one token more in flight",
    "1000,       2000,  200, 14, more in flight than a sequence can have",
    "1000, 2147483647,  200, 14, more than an int can add"
  })
  void shouldHoldAWindowAndWhatIsInFlight(
      int tokens, int inFlight, int modelLen, int blocks, String why) {
    assertThat(new SlidingWindow(16, 33).blocksToHold(tokens, inFlight, modelLen))
        .as(why)
        .isEqualTo(blocks);
  }

  @ParameterizedTest
  @CsvSource({
    "  16,         16, 1000,  1, the whole sequence is shorter",
    "1000,         16, 1000,  3, longer than the chunk",
    "1000,         17, 1000,  4, one token more in flight",
    "1000,       2000,  200, 13, more in flight than a sequence can have",
    "1000, 2147483647,  200, 13, more than an int can add"
  })
  void shouldHoldAChunkAndWhatIsInFlight(
      int tokens, int inFlight, int modelLen, int blocks, String why) {
    assertThat(new ChunkedLocal(16, 32).blocksToHold(tokens, inFlight, modelLen))
        .as(why)
        .isEqualTo(blocks);
  }

  @Test
  void shouldHoldOneStateAndOneForEachDraftToken() {
    assertThat(new Mamba(16, 0).blocksToHold(1_000, 64, 1_000)).isEqualTo(1);
    assertThat(new Mamba(16, 3).blocksToHold(1_000, 64, 1_000)).isEqualTo(4);
  }

  @Test
  void shouldKeepTheWordsThatStandInFiles() {
    assertThat(new FullAttention(1).label()).isEqualTo("full");
    assertThat(new SlidingWindow(1, 1).label()).isEqualTo("sliding_window");
    assertThat(new ChunkedLocal(1, 1).label()).isEqualTo("chunked_local");
    assertThat(new Mamba(1, 0).label()).isEqualTo("mamba");
  }

  @Test
  void shouldRefuseGroupsThatKeepNothing() {
    assertRefused(() -> new FullAttention(0), "blockSize must be >= 1: blockSize=0");
    assertRefused(() -> new SlidingWindow(0, 1), "blockSize must be >= 1: blockSize=0");
    assertRefused(() -> new SlidingWindow(1, 0), "windowTokens must be >= 1: windowTokens=0");
    assertRefused(() -> new ChunkedLocal(-1, 1), "blockSize must be >= 1: blockSize=-1");
    assertRefused(() -> new ChunkedLocal(1, 0), "chunkTokens must be >= 1: chunkTokens=0");
    assertRefused(() -> new Mamba(0, 0), "blockSize must be >= 1: blockSize=0");
    assertRefused(() -> new Mamba(1, -1), "speculativeBlocks must be >= 0: speculativeBlocks=-1");
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
