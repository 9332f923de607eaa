package dev.headway.api.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicySpecTest {

  @Test
  void shouldReadNamesAndOptionsInOrder() {
    final var policies = PolicySpec.parse("vtc(wq=2, tenant.a = 3) + least-computed+no-evict()");

    assertThat(policies)
        .containsExactly(
            Map.entry("vtc", Map.of("wq", "2", "tenant.a", "3")),
            Map.entry("least-computed", Map.of()),
            Map.entry("no-evict", Map.of()));
  }

  @Test
  void shouldReadPlusAndEqualsInValues() {
    assertThat(PolicySpec.parse("a(x=1e+3,y=b=c)"))
        .isEqualTo(Map.of("a", Map.of("x", "1e+3", "y", "b=c")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no-evict", "vtc(tenant.a=3,wq=2)+least-computed", "a(x=1e+3,y=b=c)"})
  void shouldWriteWhatItReads(String text) {
    assertThat(PolicySpec.text(PolicySpec.parse(text))).isEqualTo(text);
  }

  @Test
  void shouldReadNothingFromABlankText() {
    assertThat(PolicySpec.parse("  ")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a+      | policies must have a policy name here: policies='a+', position=2
          a(x)    | policies must have '=' after an option name: policies='a(x)', position=3
          a(x=)   | policies must have a value here: policies='a(x=)', position=4
          a(x=1   | policies must have ',' or ')' here: policies='a(x=1', position=5
          a(x=1)b | policies must have '+' or the end here: policies='a(x=1)b', position=6
          a+a     | policies must name each policy once: policies='a+a', position=2
          a(x=1,x=2) | policies must name each option once: policies='a(x=1,x=2)', position=6
          """)
  void shouldSayWhereTheTextStopsMakingSense(String text, String message) {
    assertThatThrownBy(() -> PolicySpec.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
