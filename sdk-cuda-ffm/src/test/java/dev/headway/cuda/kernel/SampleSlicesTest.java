package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SampleSlicesTest {

  @ParameterizedTest
  @CsvSource({
    "1, 128256, 63",
    "16, 128256, 63",
    "32, 128256, 33",
    "64, 128256, 16",
    "256, 128256, 4",
    "65535, 128256, 4",
    "1, 1, 1",
    "1, 2049, 2",
    "7, 2097152, 64"
  })
  void shouldSpreadFewRowsAndKeepPartsOfManyLarge(int rows, int vocabulary, int parts) {
    final int slice = SampleSlices.of(rows, vocabulary);

    assertThat(Shapes.ceilDiv(vocabulary, slice)).isEqualTo(parts);
  }

  /** Loads are aligned, masses fit, and each part has something: its last block is counted on. */
  @ParameterizedTest
  @CsvSource({"1", "3", "8", "64", "100", "256", "1000"})
  void shouldKeepTheKernelsLimits(int rows) {
    for (int vocabulary = 1;
        vocabulary < SampleSlices.MAX_VOCABULARY;
        vocabulary += 1 + vocabulary / 9) {
      final int slice = SampleSlices.of(rows, vocabulary);

      assertThat(slice).as("vocabulary=%d", vocabulary).isBetween(1, SampleSlices.MAX_SLICE);
      assertThat(slice % 4).as("vocabulary=%d", vocabulary).isZero();
      assertThat(Shapes.ceilDiv(vocabulary, slice)).isBetween(1, SampleSlices.MAX_PARTS);
    }
  }
}
