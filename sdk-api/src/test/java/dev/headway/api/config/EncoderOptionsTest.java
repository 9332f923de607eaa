package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EncoderOptionsTest {

  private static final SchedulerLimits LIMITS =
      SchedulerLimits.builder().maxNumSeqs(4).maxNumBatchedTokens(64).maxModelLen(128).build();

  @Test
  void shouldBeOffUnlessSet() {
    assertThat(SchedulerConfig.builder(LIMITS).build().encoder()).isEqualTo(EncoderOptions.NONE);
    assertThat(EncoderOptions.NONE.isEnabled()).isFalse();
  }

  @Test
  void shouldHaveRoomForTheBiggestItemAtLeast() {
    final EncoderOptions small = new EncoderOptions(32, 8, 0, ChunkedMmInput.ENABLED);
    final EncoderOptions large = new EncoderOptions(32, 40, 96, ChunkedMmInput.ENABLED);

    assertThat(small.computeBudget()).isEqualTo(32);
    assertThat(small.cacheSlots()).isEqualTo(32);
    assertThat(large.computeBudget()).isEqualTo(40);
    assertThat(large.cacheSlots()).isEqualTo(96);
  }

  @Test
  void shouldTakeTheTokensOfAStepByDefault() {
    assertThat(EncoderOptions.of(16, LIMITS))
        .isEqualTo(new EncoderOptions(16, 64, 64, ChunkedMmInput.ENABLED));
  }

  @Test
  void shouldSayWhatIsWrong() {
    assertThatThrownBy(() -> new EncoderOptions(-1, 0, 0, ChunkedMmInput.ENABLED))
        .hasMessage("maxItemEmbeddings must be >= 0: maxItemEmbeddings=-1");
    assertThatThrownBy(() -> new EncoderOptions(1, -2, 0, ChunkedMmInput.ENABLED))
        .hasMessage("maxNumEncoderInputTokens must be >= 0: maxNumEncoderInputTokens=-2");
    assertThatThrownBy(() -> new EncoderOptions(1, 0, -3, ChunkedMmInput.ENABLED))
        .hasMessage("encoderCacheSize must be >= 0: encoderCacheSize=-3");
    assertThatThrownBy(() -> new EncoderOptions(0, 8, 0, ChunkedMmInput.ENABLED))
        .hasMessage(
            "maxItemEmbeddings must be set where the encoder has a budget or a cache:"
                + " maxItemEmbeddings=0, maxNumEncoderInputTokens=8, encoderCacheSize=0");
    assertThatThrownBy(
            () ->
                SchedulerConfig.builder(LIMITS)
                    .encoder(new EncoderOptions(65, 0, 0, ChunkedMmInput.DISABLED))
                    .build())
        .hasMessage(
            "maxNumBatchedTokens must be >= maxItemEmbeddings where chunked multi-modal input is"
                + " disabled: maxNumBatchedTokens=64, maxItemEmbeddings=65");
  }
}
