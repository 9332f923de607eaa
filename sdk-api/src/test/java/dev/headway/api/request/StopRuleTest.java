package dev.headway.api.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class StopRuleTest {

  @Test
  void shouldEndOnlyAtMaxTokensUnlessToldOtherwise() {
    final StopRule rule = StopRule.maxTokens(5);

    assertThat(rule.maxTokens()).isEqualTo(5);
    assertThat(rule.minTokens()).isZero();
    assertThat(rule.endsOnTokens()).isFalse();
    assertThat(rule.isEos(0)).isFalse();
    assertThat(rule.isStopToken(0)).isFalse();
  }

  @Test
  void shouldTellTheEndOfSequenceFromStopTokens() {
    final StopRule rule = StopRule.maxTokens(5).withEosTokenId(2).withStopTokenIds(7, 8);

    assertThat(rule.endsOnTokens()).isTrue();
    assertThat(rule.isEos(2)).isTrue();
    assertThat(rule.isEos(7)).isFalse();
    assertThat(rule.isStopToken(8)).isTrue();
    assertThat(rule.isStopToken(2)).isFalse();
  }

  @Test
  void shouldGoPastTheEndOfSequenceWhenItIsIgnored() {
    final StopRule rule = StopRule.maxTokens(5).withEosTokenId(2).ignoringEos();

    assertThat(rule.isEos(2)).isFalse();
    assertThat(rule.endsOnTokens()).isFalse();
    assertThat(rule.withStopTokenIds(2).isStopToken(2)).isTrue();
    assertThat(rule.withStopTokenIds(2).endsOnTokens()).isTrue();
  }

  @Test
  void shouldReplaceStopTokensAndCopyThem() {
    final int[] ids = {1, 2};
    final StopRule first = StopRule.maxTokens(5).withStopTokenIds(ids);
    ids[0] = 9;

    final StopRule second = first.withStopTokenIds(3);

    assertThat(first.isStopToken(1)).isTrue();
    assertThat(first.isStopToken(9)).isFalse();
    assertThat(second.isStopToken(1)).isFalse();
    assertThat(second.isStopToken(3)).isTrue();
  }

  @Test
  void shouldKeepTheOtherOptionsWhenOneIsSet() {
    final StopRule rule =
        StopRule.maxTokens(5).withStopTokenIds(7).withEosTokenId(2).withMinTokens(3).ignoringEos();

    assertThat(rule)
        .hasToString(
            "StopRule[maxTokens=5, minTokens=3, eosTokenId=OptionalInt[2], eosIgnored=true,"
                + " stopTokenIds=[7]]");
  }

  @Test
  void shouldEndRepetitionsOnlyByARule() {
    final RepetitionRule repetition = RepetitionRule.builder().maxPatternTokens(4).build();
    final StopRule rule = StopRule.maxTokens(5).withRepetitionRule(repetition).withMinTokens(3);

    assertThat(StopRule.maxTokens(5).repetitionRule()).isEmpty();
    assertThat(rule.repetitionRule()).contains(repetition);
    assertThat(rule)
        .hasToString(
            "StopRule[maxTokens=5, minTokens=3, eosTokenId=OptionalInt.empty, eosIgnored=false,"
                + " stopTokenIds=[], "
                + repetition
                + "]");
  }

  @Test
  void shouldRefuseMaxTokensBelowOne() {
    assertThatThrownBy(() -> StopRule.maxTokens(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxTokens must be >= 1: maxTokens=0");
    assertThatThrownBy(() -> StopRule.maxTokens(-5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxTokens must be >= 1: maxTokens=-5");
  }

  @Test
  void shouldRefuseMinTokensOutsideItsRange() {
    final StopRule rule = StopRule.maxTokens(3);

    assertThatThrownBy(() -> rule.withMinTokens(4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("minTokens must be in [0, maxTokens]: minTokens=4, maxTokens=3");
    assertThatThrownBy(() -> rule.withMinTokens(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("minTokens must be in [0, maxTokens]: minTokens=-1, maxTokens=3");
    assertThat(rule.withMinTokens(3).minTokens()).isEqualTo(3);
    assertThat(rule.withMinTokens(3).withMinTokens(0).minTokens()).isZero();
  }

  @Test
  void shouldRefuseTokensThatNoVocabularyHas() {
    final StopRule rule = StopRule.maxTokens(3);

    assertThatThrownBy(() -> rule.withEosTokenId(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("eosTokenId must be >= 0: eosTokenId=-1");
    assertThatThrownBy(() -> rule.withStopTokenIds(4, -2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stop token ids must be >= 0: position=1, tokenId=-2");
    assertThat(rule.withEosTokenId(0).isEos(0)).as("the first of a vocabulary").isTrue();
    assertThat(rule.withStopTokenIds(0).isStopToken(0)).isTrue();
  }
}
