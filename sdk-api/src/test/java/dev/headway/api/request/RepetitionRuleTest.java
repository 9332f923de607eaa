package dev.headway.api.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RepetitionRuleTest {

  @Test
  void shouldHaveTheFiguresThatWereSet() {
    final RepetitionRule rule = rule(9, 4, 3);

    assertThat(rule.maxPatternTokens()).isEqualTo(9);
    assertThat(rule.minPatternTokens()).isEqualTo(4);
    assertThat(rule.minCount()).isEqualTo(3);
    assertThat(rule)
        .hasToString("RepetitionRule[maxPatternTokens=9, minPatternTokens=4, minCount=3]");
    assertThat(RepetitionRule.builder().maxPatternTokens(1).build()).isEqualTo(rule(1, 1, 2));
  }

  @Test
  void shouldCompareByFigures() {
    assertThat(rule(9, 4, 3)).isEqualTo(rule(9, 4, 3)).hasSameHashCodeAs(rule(9, 4, 3));
    assertThat(rule(9, 4, 3))
        .isNotEqualTo(rule(8, 4, 3))
        .isNotEqualTo(rule(9, 5, 3))
        .isNotEqualTo(rule(9, 4, 2))
        .isNotEqualTo("rule");
    assertThat(rule(9, 4, 3).hashCode()).isNotEqualTo(rule(8, 4, 3).hashCode());
  }

  @ParameterizedTest
  @CsvSource({"0,1,2", "3,4,2", "4,0,2", "4,4,1"})
  void shouldRefuseARuleThatIsNone(int most, int least, int count) {
    assertThatThrownBy(() -> rule(most, least, count))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a repetition rule must have 1 <= minPatternTokens <= maxPatternTokens and minCount >="
                + " 2: maxPatternTokens="
                + most
                + ", minPatternTokens="
                + least
                + ", minCount="
                + count);
  }

  private static RepetitionRule rule(int most, int least, int count) {
    return RepetitionRule.builder()
        .maxPatternTokens(most)
        .minPatternTokens(least)
        .minCount(count)
        .build();
  }
}
