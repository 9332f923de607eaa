package dev.headway.api.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RequestTest {

  @Test
  void shouldHaveDefaultsForEverythingButThePromptAndTheEnd() {
    final Request request = Request.builder("a", 3, 9, 4).maxTokens(5).build();

    assertThat(request.id()).isEqualTo("a");
    assertThat(request.promptTokens()).isEqualTo(3);
    assertThat(request.promptTokenId(1)).isEqualTo(9);
    assertThat(request.largestPromptTokenId()).isEqualTo(9);
    assertThat(request.stopRule().maxTokens()).isEqualTo(5);
    assertThat(request.sampling()).isEqualTo(SamplingParams.GREEDY);
    assertThat(request.priority()).isZero();
    assertThat(request.tenant()).isEmpty();
    assertThat(request.cacheSalt()).isEmpty();
    assertThat(request.prefixReuse()).isEqualTo(PrefixReuse.ALLOWED);
    assertThat(request.timeout()).isEmpty();
  }

  @Test
  void shouldKeepWhatWasSet() {
    final SamplingParams sampling = new SamplingParams(0.7f, 0.9f, 40, 0.1f, 1.1f, 0f, 0f, 3);

    final Request request =
        Request.builder("a", 1)
            .maxTokens(5)
            .sampling(sampling)
            .priority(-3)
            .tenant("t")
            .cacheSalt("s")
            .timeout(Duration.ofMillis(1))
            .build();

    assertThat(request.sampling()).isSameAs(sampling);
    assertThat(request.priority()).isEqualTo(-3);
    assertThat(request.tenant()).contains("t");
    assertThat(request.cacheSalt()).contains("s");
    assertThat(request.timeout()).contains(Duration.ofMillis(1));
  }

  @Test
  void shouldCopyThePrompt() {
    final int[] prompt = {1, 2, 3};
    final Request request = Request.builder("a", prompt).maxTokens(1).build();
    final int[] target = new int[4];
    prompt[0] = 99;

    request.copyPromptTokenIds(0, target, 1, 3);

    assertThat(target).containsExactly(0, 1, 2, 3);
  }

  @Test
  void shouldTakeAnEmptySaltForNone() {
    assertThat(Request.builder("a", 1).maxTokens(1).cacheSalt("").build().cacheSalt()).isEmpty();
  }

  @Test
  void shouldPrintNoTokens() {
    assertThat(Request.builder("a", 1, 2).maxTokens(1).build())
        .hasToString(
            "Request[id=a, promptTokens=2, StopRule[maxTokens=1, minTokens=0,"
                + " eosTokenId=OptionalInt.empty, eosIgnored=false, stopTokenIds=[]]]");
  }

  @Test
  void shouldRefuseABlankId() {
    assertThatThrownBy(() -> Request.builder(" ", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("request id must not be blank: id=' '");
    assertThatThrownBy(() -> Request.builder("", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("request id must not be blank: id=''");
  }

  @Test
  void shouldRefuseAnEmptyPrompt() {
    assertThatThrownBy(() -> Request.builder("a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("prompt must have at least one token: id=a, promptTokens=0");
  }

  @Test
  void shouldRefuseANegativeTokenAndSayWhere() {
    assertThatThrownBy(() -> Request.builder("a", 5, 6, -7, 8))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("prompt token ids must be >= 0: id=a, position=2, tokenId=-7");
  }

  @Test
  void shouldRequireAnEnd() {
    assertThatThrownBy(Request.builder("a", 1)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stopRule must be set, so that the request ends: id=a; call maxTokens(n)");
  }

  @Test
  void shouldRefuseATimeoutThatIsNotPositive() {
    assertThatThrownBy(() -> Request.builder("a", 1).timeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("timeout must be > 0: id=a, timeout=PT0S");
    assertThatThrownBy(() -> Request.builder("a", 1).timeout(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("timeout must be > 0: id=a, timeout=PT-0.000000001S");
  }

  @Test
  void shouldRefuseSamplingOutsideItsRanges() {
    assertRefused(-1f, 1f, 0, 0f, 1f, 0f, 0f, "temperature must be >= 0: temperature=-1.0");
    assertRefused(Float.NaN, 1f, 0, 0f, 1f, 0f, 0f, "temperature must be >= 0: temperature=NaN");
    assertRefused(
        Float.POSITIVE_INFINITY,
        1f,
        0,
        0f,
        1f,
        0f,
        0f,
        "temperature must be >= 0: temperature=Infinity");
    assertRefused(1f, 0f, 0, 0f, 1f, 0f, 0f, "topP must be in (0, 1]: topP=0.0");
    assertRefused(1f, 1.5f, 0, 0f, 1f, 0f, 0f, "topP must be in (0, 1]: topP=1.5");
    assertRefused(1f, Float.NaN, 0, 0f, 1f, 0f, 0f, "topP must be in (0, 1]: topP=NaN");
    assertRefused(1f, 1f, -1, 0f, 1f, 0f, 0f, "topK must be >= 0: topK=-1.0");
    assertRefused(1f, 1f, 0, 2f, 1f, 0f, 0f, "minP must be in [0, 1]: minP=2.0");
    assertRefused(
        1f, 1f, 0, 0f, 0f, 0f, 0f, "repetitionPenalty must be > 0: repetitionPenalty=0.0");
    assertRefused(
        1f, 1f, 0, 0f, 1f, Float.NaN, 0f, "presencePenalty must be finite: presencePenalty=NaN");
    assertRefused(
        1f,
        1f,
        0,
        0f,
        1f,
        0f,
        Float.NEGATIVE_INFINITY,
        "frequencyPenalty must be finite: frequencyPenalty=-Infinity");
  }

  @Test
  void shouldAskForLogprobsOnlyWhenTold() {
    final SamplingParams plain = new SamplingParams(0.7f, 0.9f, 40, 0.1f, 1.1f, 0f, 0f, 3);
    final SamplingParams told = plain.withLogprobs(5).withSeed(4);

    assertThat(plain.wantsLogprobs()).isFalse();
    assertThat(told.wantsLogprobs()).isTrue();
    assertThat(told).isEqualTo(new SamplingParams(0.7f, 0.9f, 40, 0.1f, 1.1f, 0f, 0f, 4, 5));
    assertThat(plain.withLogprobs(0).wantsLogprobs()).isTrue();
    assertThatThrownBy(() -> plain.withLogprobs(-2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("logprobs must be >= -1: logprobs=-2");
  }

  private static void assertRefused(
      float temperature,
      float topP,
      int topK,
      float minP,
      float repetition,
      float presence,
      float frequency,
      String message) {
    assertThatThrownBy(
            () ->
                new SamplingParams(
                    temperature, topP, topK, minP, repetition, presence, frequency, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
