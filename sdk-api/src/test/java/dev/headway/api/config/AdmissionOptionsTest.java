package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdmissionOptionsTest {

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.01, 0.999})
  void shouldTakeAShareOfTheBlocksAsWatermark(double watermark) {
    assertThat(new AdmissionOptions(FullSequenceGate.NEXT_CHUNK, watermark).watermark())
        .isEqualTo(watermark);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.0, 7, Double.NaN, Double.POSITIVE_INFINITY})
  void shouldRefuseAWatermarkOutsideItsRange(double watermark) {
    assertThatThrownBy(() -> new AdmissionOptions(FullSequenceGate.NEXT_CHUNK, watermark))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("watermark must be in [0, 1): watermark=" + watermark);
  }
}
