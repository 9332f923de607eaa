package dev.headway.executor.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.api.request.TokenBias;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a request says of single tokens. */
class TokenRulesTest {

  private static final float NEVER = Float.NEGATIVE_INFINITY;

  private final float[] logits = {1, 2, 3, 4, 5};

  private void apply(TokenBias bias, StopRule rule, int promptTokens, int... known) {
    TokenRules.apply(
        logits,
        SamplingParams.builder().tokenBias(bias).build(),
        rule,
        known,
        promptTokens,
        known.length);
  }

  @Test
  void shouldAddBiases() {
    apply(TokenBias.NONE.withBiases(Map.of(3, -1.5f, 0, 100f)), StopRule.maxTokens(9), 1, 2, 2);

    assertThat(logits).containsExactly(101, 2, 3, 2.5f, 5);
  }

  @Test
  void shouldBanTheEndOfASequenceThatHasBegun() {
    final TokenBias bans = TokenBias.NONE.withBan(4).withBan(1, 2, 3).withBan(2, 2, 0);

    apply(bans, StopRule.maxTokens(9), 1, 0, 1, 2);

    assertThat(logits).containsExactly(1, 2, 3, NEVER, NEVER);
  }

  @Test
  void shouldLookForSequencesAmongTheOutputsOnly() {
    apply(TokenBias.NONE.withBan(1, 2), StopRule.maxTokens(9), 2, 0, 1);

    assertThat(logits).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void shouldAllowNoEndBeforeTheLeastTokens() {
    final StopRule rule =
        StopRule.maxTokens(9).withMinTokens(2).withEosTokenId(1).withStopTokenIds(4, 70);

    apply(TokenBias.NONE, rule, 2, 0, 0, 0);
    assertThat(logits).containsExactly(1, NEVER, 3, 4, NEVER);

    logits[1] = 2;
    logits[4] = 5;
    apply(TokenBias.NONE, rule, 2, 0, 0, 0, 0);
    assertThat(logits).containsExactly(1, 2, 3, 4, 5);
  }
}
