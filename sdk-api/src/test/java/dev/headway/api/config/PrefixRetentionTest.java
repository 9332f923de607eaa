package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.PrefixRetention.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrefixRetentionTest {

  @Test
  void shouldHaveAnIntervalOnlyWhereItKeepsMultiplesOfOne() {
    assertThat(PrefixRetention.every(1)).isEqualTo(new PrefixRetention(Kind.EVERY, 1));
    assertThat(PrefixRetention.BOUNDARIES).isEqualTo(new PrefixRetention(Kind.BOUNDARIES, 0));
    assertThat(PrefixRetention.DENSE).isEqualTo(new PrefixRetention(Kind.DENSE, 0));
  }

  @ParameterizedTest
  @CsvSource({"EVERY,0", "EVERY,-1", "BOUNDARIES,1", "DENSE,-1"})
  void shouldRefuseAnIntervalThatTheKindDoesNotHave(Kind kind, int interval) {
    assertThatThrownBy(() -> new PrefixRetention(kind, interval))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "intervalTokens must be >= 1 for EVERY and 0 otherwise: kind="
                + kind
                + ", intervalTokens="
                + interval);
  }
}
