package dev.headway.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AbsentTest {

  @ParameterizedTest
  @CsvSource({
    "-9223372036854775808, true",
    "-9223372036854775807, false",
    "-1, false",
    "0, false",
    "9223372036854775807, false"
  })
  void shouldTakeNoFigureForAbsentThatCanBeOne(long figure, boolean absent) {
    assertThat(Absent.isAbsent(figure)).isEqualTo(absent);
  }
}
