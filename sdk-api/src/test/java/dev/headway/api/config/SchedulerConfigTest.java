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

class SchedulerConfigTest {

  private static final SchedulerLimits LIMITS = limits(4, 64, 128);

  @Test
  void shouldHaveDefaultsForEverythingButTheLimits() {
    assertThat(SchedulerConfig.builder(LIMITS).build())
        .isEqualTo(
            new SchedulerConfig(
                LIMITS,
                0,
                0,
                ChunkedPrefill.ENABLED,
                0,
                LonePrefill.CAPPED,
                QueuePolicy.FCFS,
                Displacement.OFF,
                PrefixCacheOptions.DEFAULT,
                KvOffloadOptions.NONE,
                AdmissionOptions.DEFAULT,
                QueueLimits.NONE,
                0,
                1,
                SpeculationOptions.NONE,
                PipelineOptions.DEFAULT,
                0,
                Compatibility.HEADWAY));
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

  private static SchedulerLimits limits(int seqs, int tokens, int modelLen) {
    return SchedulerLimits.builder()
        .maxNumSeqs(seqs)
        .maxNumBatchedTokens(tokens)
        .maxModelLen(modelLen)
        .build();
  }

  @Test
  void shouldRefuseASmallBudgetWithoutChunkedPrefill() {
    final SchedulerConfig.Builder builder =
        SchedulerConfig.builder(LIMITS).chunkedPrefill(ChunkedPrefill.DISABLED);

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "maxNumBatchedTokens must be >= maxModelLen (or longPrefillTokenThreshold, if set) when"
                + " chunkedPrefill is DISABLED, or a long request could never be computed:"
                + " maxNumBatchedTokens=64, maxModelLen=128, longPrefillTokenThreshold=0");
    assertThatThrownBy(builder.longPrefillTokenThreshold(65)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith(
            "maxNumBatchedTokens=64, maxModelLen=128, longPrefillTokenThreshold=65");
    assertThat(builder.longPrefillTokenThreshold(64).build().longPrefillTokenThreshold())
        .isEqualTo(64);
  }

  @Test
  void shouldTakeABudgetOfTheWholeContextWithoutChunkedPrefill() {
    final SchedulerConfig config =
        SchedulerConfig.builder(limits(4, 128, 128))
            .chunkedPrefill(ChunkedPrefill.DISABLED)
            .build();

    assertThat(config.chunkedPrefill()).isEqualTo(ChunkedPrefill.DISABLED);
  }

  /** The cap does not hold for it, and it cannot be split: it would wait for a second request. */
  @Test
  void shouldRefuseToLiftTheCapOfALonePromptThatMustBeComputedWhole() {
    final SchedulerConfig.Builder given =
        SchedulerConfig.builder(LIMITS)
            .chunkedPrefill(ChunkedPrefill.DISABLED)
            .longPrefillTokenThreshold(32)
            .lonePrefill(LonePrefill.UNCAPPED);

    assertThatThrownBy(given::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "lonePrefill must be CAPPED when chunkedPrefill is DISABLED and a step computes fewer"
                + " tokens than maxModelLen, or a long request that is alone could never be"
                + " computed: lonePrefill=UNCAPPED, longPrefillTokenThreshold=32, largestChunk=64,"
                + " maxModelLen=128");
    assertThat(given.compatibility(Compatibility.VLLM_0_28).build()).isNotNull();
    assertThat(given.compatibility(Compatibility.HEADWAY).lonePrefill(LonePrefill.CAPPED).build())
        .isNotNull();
  }

  @Test
  void shouldLiftTheCapOfALonePromptThatFitsIntoAStep() {
    final SchedulerConfig config =
        SchedulerConfig.builder(limits(4, 128, 128))
            .chunkedPrefill(ChunkedPrefill.DISABLED)
            .longPrefillTokenThreshold(32)
            .lonePrefill(LonePrefill.UNCAPPED)
            .build();

    assertThat(config.lonePrefill()).isEqualTo(LonePrefill.UNCAPPED);
  }

  @Test
  void shouldCountBothBudgetsAndDraftSlotsWithoutChunkedPrefill() {
    final SchedulerConfig.Builder given =
        SchedulerConfig.builder(limits(4, 130, 128)).chunkedPrefill(ChunkedPrefill.DISABLED);
    final String rule =
        "maxNumScheduledTokens, and maxNumBatchedTokens less the draft slots of a request, must be"
            + " >= maxModelLen (or longPrefillTokenThreshold, if set) when chunkedPrefill is"
            + " DISABLED, or a long request could never be computed: ";

    assertThatThrownBy(given.maxNumScheduledTokens(127)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            rule
                + "maxNumScheduledTokens=127, maxNumBatchedTokens=130, draftSlots=0,"
                + " maxModelLen=128, longPrefillTokenThreshold=0");
    assertThat(given.maxNumScheduledTokens(128).build().maxNumScheduledTokens()).isEqualTo(128);
    assertThatThrownBy(
            given
                    .maxNumScheduledTokens(0)
                    .speculation(
                        new SpeculationOptions(
                            SpeculativeMethod.EAGLE, 4, Drafting.PARALLEL, List.of()))
                ::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            rule
                + "maxNumScheduledTokens=130, maxNumBatchedTokens=130, draftSlots=3,"
                + " maxModelLen=128, longPrefillTokenThreshold=0");
  }

  @Test
  void shouldRefuseAThresholdOutsideItsRange() {
    assertThatThrownBy(SchedulerConfig.builder(LIMITS).longPrefillTokenThreshold(-1)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "longPrefillTokenThreshold must be in [0, maxModelLen], 0 for no limit of its own:"
                + " longPrefillTokenThreshold=-1, maxModelLen=128");
    assertThatThrownBy(SchedulerConfig.builder(LIMITS).longPrefillTokenThreshold(129)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "longPrefillTokenThreshold must be in [0, maxModelLen], 0 for no limit of its own:"
                + " longPrefillTokenThreshold=129, maxModelLen=128");
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.0, 7, Double.NaN, Double.POSITIVE_INFINITY})
  void shouldRefuseAWatermarkOutsideItsRange(double watermark) {
    assertThatThrownBy(() -> new AdmissionOptions(FullSequenceGate.NEXT_CHUNK, watermark))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("watermark must be in [0, 1): watermark=" + watermark);
  }

  @Test
  void shouldRequireLimits() {
    assertThatThrownBy(() -> SchedulerConfig.builder(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("limits");
  }

  @Test
  void shouldRefuseChunksShorterThanDraftingModulesLookAhead() {
    final SchedulerConfig.Builder given =
        SchedulerConfig.builder(LIMITS)
            .speculation(SpeculationOptions.of(SpeculativeMethod.MTP_MULTI, 4))
            .longPrefillTokenThreshold(3);

    assertThatThrownBy(given::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("largestChunk=3, prefillLookaheadTokens=4");
    assertThat(given.compatibility(Compatibility.VLLM_0_28).build()).isNotNull();
    assertThat(given.compatibility(Compatibility.HEADWAY).longPrefillTokenThreshold(4).build())
        .isNotNull();
  }
}
