package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrefixCacheOptionsTest {

  private static PrefixCacheOptions options(int matchUnit, PrefixRetention retention) {
    return PrefixCacheOptions.builder().matchUnit(matchUnit).retention(retention).build();
  }

  @Test
  void shouldMatchBlocksAndKeepBoundariesUnlessToldOtherwise() {
    assertThat(PrefixCacheOptions.DEFAULT.isEnabled()).isTrue();
    assertThat(PrefixCacheOptions.DEFAULT.matchUnit()).isEmpty();
    assertThat(PrefixCacheOptions.DEFAULT.retention()).isEqualTo(PrefixRetention.BOUNDARIES);
    assertThat(PrefixCacheOptions.builder().build()).isEqualTo(PrefixCacheOptions.DEFAULT);
    assertThat(PrefixCacheOptions.DEFAULT)
        .hasToString("PrefixCacheOptions[retention=" + PrefixRetention.BOUNDARIES + "]");
  }

  @Test
  void shouldKeepWhatWasSet() {
    final PrefixCacheOptions options = options(1, PrefixRetention.DENSE);

    assertThat(options.isEnabled()).isTrue();
    assertThat(options.matchUnit()).hasValue(1);
    assertThat(options.retention()).isEqualTo(PrefixRetention.DENSE);
    assertThat(options)
        .hasToString("PrefixCacheOptions[matchUnit=1, retention=" + PrefixRetention.DENSE + "]");
  }

  @Test
  void shouldShareNothingWhenDisabled() {
    assertThat(PrefixCacheOptions.disabled().isEnabled()).isFalse();
    assertThat(PrefixCacheOptions.disabled()).hasToString("PrefixCacheOptions[disabled]");
  }

  @Test
  void shouldCompareByOptions() {
    final PrefixCacheOptions options = options(16, PrefixRetention.DENSE);
    final PrefixCacheOptions same = options(16, PrefixRetention.DENSE);

    assertThat(options).isEqualTo(same).hasSameHashCodeAs(same);
    assertThat(options)
        .isNotEqualTo(options(8, PrefixRetention.DENSE))
        .isNotEqualTo(options(16, PrefixRetention.BOUNDARIES))
        .isNotEqualTo("options");
    assertThat(PrefixCacheOptions.DEFAULT).isNotEqualTo(PrefixCacheOptions.disabled());
    assertThat(options.hashCode()).isNotEqualTo(options(8, PrefixRetention.DENSE).hashCode());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1})
  void shouldRefuseToMatchLessThanAToken(int tokens) {
    assertThatThrownBy(() -> PrefixCacheOptions.builder().matchUnit(tokens))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("matchUnit must be >= 1: matchUnit=" + tokens);
  }
}
