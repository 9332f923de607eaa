package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulerConfigTest {

  private static final SchedulerLimits LIMITS = new SchedulerLimits(4, 64, 128);

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
                PrefixCaching.ENABLED,
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
    assertThatThrownBy(() -> new SchedulerLimits(seats, 64, 128))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxNumSeqs must be >= 1: maxNumSeqs=" + seats);
  }

  @Test
  void shouldRefuseABudgetTooSmallForEverySeatToDecode() {
    assertThatThrownBy(() -> new SchedulerLimits(8, 4, 128))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "maxNumBatchedTokens must be >= maxNumSeqs so that every running request can decode:"
                + " maxNumBatchedTokens=4, maxNumSeqs=8");
  }

  @Test
  void shouldRefuseAContextWithoutRoomForAnOutput() {
    assertThatThrownBy(() -> new SchedulerLimits(1, 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxModelLen must be >= 2, one prompt and one output token: maxModelLen=1");
    assertThat(new SchedulerLimits(1, 1, 2).maxModelLen()).isEqualTo(2);
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
        SchedulerConfig.builder(new SchedulerLimits(4, 128, 128))
            .chunkedPrefill(ChunkedPrefill.DISABLED)
            .build();

    assertThat(config.chunkedPrefill()).isEqualTo(ChunkedPrefill.DISABLED);
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
