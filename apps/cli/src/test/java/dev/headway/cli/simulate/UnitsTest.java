package dev.headway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitsTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0 ns",
    "12340000, 12.3 ms",
    "4560000000, 4.56 s",
    "65000000000, 1 min 5 s",
    "3599700000000, 1 h",
    "7320000000000, 2 h 02 min"
  })
  void shouldShowDurationsInTheUnitThatSuitsThem(long ns, String text) {
    assertThat(Units.duration(ns)).isEqualTo(text);
  }
}
