package dev.headway.toolbox.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WholeNumberTest {

  @ParameterizedTest
  @CsvSource({
    "472,472",
    "472.0,472",
    "1e2,100",
    "1E+2,100",
    "-4.72e2,-472",
    "0.0,0",
    "-0,0",
    "0e999999999,0",
    "007,7",
    "9007199254740993.0,9007199254740993",
    "9223372036854775806.0,9223372036854775806",
    "9223372036854775808,9223372036854775807",
    "1e999999999,9223372036854775807",
    "-1e999999999,-9223372036854775808"
  })
  void shouldBeExactHoweverItIsWritten(String text, long value) {
    assertThat(WholeNumber.clamped(text)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-", ".", "3.5", "1e-1", "1e-999999999", "NaN", "1_0", "0x1", "٣", "1 2", "e"})
  void shouldRefuseWhatIsNotWhole(String text) {
    assertThat(WholeNumber.clamped(text)).isNull();
    assertThatThrownBy(() -> WholeNumber.parse(text))
        .isInstanceOf(NumberFormatException.class)
        .hasMessage("must be a whole number of 64 bits: value=" + text);
  }

  @Test
  void shouldRefuseWhatDoesNotFit32Bits() {
    assertThat(WholeNumber.parseInt("2147483647.0")).isEqualTo(Integer.MAX_VALUE);
    assertThatThrownBy(() -> WholeNumber.parseInt("2147483648"))
        .isInstanceOf(NumberFormatException.class)
        .hasMessage("must be a whole number of 32 bits: value=2147483648");
  }

  @Test
  void shouldReadEveryLongAsWrittenWithADecimalPoint() {
    final SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 10_000; i++) {
      final long value = random.nextLong() >> random.nextInt(1, 63);
      assertThat(WholeNumber.parse(value + ".0")).as("seed 7, %d", value).isEqualTo(value);
      assertThat(WholeNumber.parse(value + "e0")).as("seed 7, %d", value).isEqualTo(value);
    }
  }
}
