package dev.headway.api.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
    assertThat(request.tenant()).isNull();
    assertThat(request.cacheSalt()).isNull();
    assertThat(request.prefixReuse()).isEqualTo(PrefixReuse.ALLOWED);
    assertThat(request.timeout()).isNull();
  }

  @Test
  void shouldKeepWhatWasSet() {
    final SamplingParams sampling =
        SamplingParams.builder()
            .temperature(0.7f)
            .topP(0.9f)
            .topK(40)
            .minP(0.1f)
            .repetitionPenalty(1.1f)
            .seed(3)
            .build();

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
    assertThat(request.tenant()).isEqualTo("t");
    assertThat(request.cacheSalt()).isEqualTo("s");
    assertThat(request.timeout()).isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void shouldRefuseNamesTooLongForRecordsAndLogLines() {
    final String longest = "n".repeat(Request.MAX_NAME_CHARS);
    final String longer = "n".repeat(10_000_000);
    final Request.Builder request = Request.builder(longest, 1).tenant(longest);

    assertThat(request.traceParent(longest).lora(new LoraAdapter(1, longest)).maxTokens(1).build())
        .extracting(Request::tenant)
        .isEqualTo(longest);
    for (ThrowingCallable refused :
        List.<ThrowingCallable>of(
            () -> Request.builder(longer, 1),
            () -> request.tenant(longer),
            () -> request.traceParent(longer),
            () -> new LoraAdapter(1, longer))) {
      assertThatThrownBy(refused)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageMatching(
              "(request id|tenant|traceParent|adapter name) must be at most 256 characters: "
                  + "length=10000000, begins with 'n{32}'");
    }
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
    assertThat(Request.builder("a", 1).maxTokens(1).cacheSalt("").build().cacheSalt()).isNull();
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
    final SamplingParams.Builder sampling = SamplingParams.builder();

    assertRefused(() -> sampling.temperature(-1), "temperature must be >= 0: temperature=-1.0");
    assertRefused(
        () -> sampling.temperature(Float.NaN), "temperature must be >= 0: temperature=NaN");
    assertRefused(
        () -> sampling.temperature(Float.POSITIVE_INFINITY),
        "temperature must be >= 0: temperature=Infinity");
    assertRefused(() -> sampling.topP(0), "topP must be in (0, 1]: topP=0.0");
    assertRefused(() -> sampling.topP(1.5f), "topP must be in (0, 1]: topP=1.5");
    assertRefused(() -> sampling.topP(Float.NaN), "topP must be in (0, 1]: topP=NaN");
    assertRefused(() -> sampling.topK(-1), "topK must be >= 0: topK=-1.0");
    assertRefused(() -> sampling.minP(2), "minP must be in [0, 1]: minP=2.0");
    assertRefused(
        () -> sampling.repetitionPenalty(0),
        "repetitionPenalty must be > 0: repetitionPenalty=0.0");
    assertRefused(
        () -> sampling.presencePenalty(Float.NaN),
        "presencePenalty must be finite: presencePenalty=NaN");
    assertRefused(
        () -> sampling.frequencyPenalty(Float.NEGATIVE_INFINITY),
        "frequencyPenalty must be finite: frequencyPenalty=-Infinity");
    assertRefused(() -> sampling.logprobs(-2), "logprobs must be >= 0: logprobs=-2");
    assertThat(sampling.build()).isEqualTo(SamplingParams.GREEDY);
  }

  @Test
  void shouldAskForLogprobsOnlyWhenSet() {
    final SamplingParams plain = everyParameter().build();
    final SamplingParams asking = plain.toBuilder().logprobs(0).build();

    assertThat(plain.logprobs()).isEmpty();
    assertThat(asking.logprobs()).hasValue(0);
    assertThat(asking)
        .isNotEqualTo(plain)
        .hasToString(plain.toString().replace("]", ", logprobs=0]"));
  }

  @Test
  void shouldKeepEveryParameterThroughItsBuilder() {
    final SamplingParams params = everyParameter().logprobs(5).build();

    assertThat(params.toBuilder().build()).isEqualTo(params).hasSameHashCodeAs(params);
    assertThat(params)
        .isNotEqualTo(params.toBuilder().seed(4).build())
        .hasToString(
            "SamplingParams[temperature=0.7, topP=0.9, topK=40, minP=0.1, repetitionPenalty=1.1,"
                + " presencePenalty=0.2, frequencyPenalty=0.3, seed=3, logprobs=5]");
  }

  private static SamplingParams.Builder everyParameter() {
    return SamplingParams.builder()
        .temperature(0.7f)
        .topP(0.9f)
        .topK(40)
        .minP(0.1f)
        .repetitionPenalty(1.1f)
        .presencePenalty(0.2f)
        .frequencyPenalty(0.3f)
        .seed(3);
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
