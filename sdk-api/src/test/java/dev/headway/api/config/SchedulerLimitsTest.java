package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulerLimitsTest {

  private static SchedulerLimits limits(int seqs, int tokens, int modelLen) {
    return SchedulerLimits.builder()
        .maxNumSeqs(seqs)
        .maxNumBatchedTokens(tokens)
        .maxModelLen(modelLen)
        .build();
  }

  @Test
  void shouldHaveTheLimitsThatWereSet() {
    final SchedulerLimits limits = limits(4, 64, 128);

    assertThat(limits.maxNumSeqs()).isEqualTo(4);
    assertThat(limits.maxNumBatchedTokens()).isEqualTo(64);
    assertThat(limits.maxModelLen()).isEqualTo(128);
    assertThat(limits)
        .hasToString("SchedulerLimits[maxNumSeqs=4, maxNumBatchedTokens=64, maxModelLen=128]");
  }

  @Test
  void shouldCompareByLimits() {
    final SchedulerLimits limits = limits(4, 64, 128);

    assertThat(limits).isEqualTo(limits(4, 64, 128)).hasSameHashCodeAs(limits(4, 64, 128));
    assertThat(limits)
        .isNotEqualTo(limits(5, 64, 128))
        .isNotEqualTo(limits(4, 65, 128))
        .isNotEqualTo(limits(4, 64, 129))
        .isNotEqualTo("limits");
    assertThat(limits.hashCode()).isNotEqualTo(limits(4, 64, 129).hashCode());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void shouldRefuseLimitsWithoutASeat(int seats) {
    assertThatThrownBy(() -> limits(seats, 64, 128))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxNumSeqs must be >= 1: maxNumSeqs=" + seats);
  }

  @Test
  void shouldRefuseABudgetTooSmallForEverySeatToDecode() {
    assertThatThrownBy(() -> limits(8, 4, 128))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "maxNumBatchedTokens must be >= maxNumSeqs so that every running request can decode:"
                + " maxNumBatchedTokens=4, maxNumSeqs=8");
  }

  @Test
  void shouldRefuseAContextWithoutRoomForAnOutput() {
    assertThatThrownBy(() -> limits(1, 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxModelLen must be >= 2, one prompt and one output token: maxModelLen=1");
    assertThat(limits(1, 1, 2).maxModelLen()).isEqualTo(2);
  }

  @Test
  void shouldTakeLimitsFromAnExecutor() {
    final ExecutorShape.Builder shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(11).build())
            .maxNumSeqs(4)
            .vocabularySize(100);

    assertThat(SchedulerLimits.builder(shape.build()).build())
        .as("KV cache only")
        .isEqualTo(limits(4, 2_048, 160));
    assertThat(SchedulerLimits.builder(shape.maxModelLen(1_000).build()).build())
        .as("context of the model does not fit")
        .isEqualTo(limits(4, 2_048, 160));
    assertThat(
            SchedulerLimits.builder(shape.maxModelLen(100).maxNumBatchedTokens(64).build()).build())
        .as("everything from the shape")
        .isEqualTo(limits(4, 64, 100))
        .hasSameHashCodeAs(limits(4, 64, 100));
    assertThatThrownBy(shape.maxNumSeqs(65)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("maxNumBatchedTokens=64, maxNumSeqs=65");
  }

  @Test
  void shouldTakeTokensForEverySeatAndTheContextThatAWindowLeavesRoomFor() {
    final ExecutorShape windowed =
        ExecutorShape.builder()
            .kvCache(
                KvCacheShape.builder()
                    .blockSize(16)
                    .blocks(200)
                    .groups(List.of(new KvGroup.SlidingWindow(16, 32)))
                    .build())
            .maxNumSeqs(3_000)
            .vocabularySize(100)
            .maxModelLen(100_000)
            .build();

    assertThat(SchedulerLimits.builder(windowed).build()).isEqualTo(limits(3_000, 3_000, 100_000));
  }
}
