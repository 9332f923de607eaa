package dev.headway.toolbox.csv;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RealNumberTest {

  @ParameterizedTest
  @CsvSource({
    "0,                  0",
    "-0.0,               0",
    "3,                  3",
    "-250,               -250",
    "0.1,                0.1",
    "-1.5,               -1.5",
    "999999999999999,    999999999999999",
    "1e15,               1.0E15",
    "3188869352.15,      3188869352.15",
    "-12345678.5,        -12345678.5",
    "Infinity,           Infinity"
  })
  void shouldWriteWholeNumbersWithoutAFraction(double value, String text) {
    assertThat(RealNumber.text(value)).isEqualTo(text);
    assertThat(RealNumber.cell(value)).isEqualTo(text);
  }

  @Test
  void shouldLeaveACellEmptyWithoutANumber() {
    assertThat(RealNumber.cell(Double.NaN)).isEmpty();
    assertThat(RealNumber.text(Double.NaN)).isEqualTo("NaN");
  }
}
