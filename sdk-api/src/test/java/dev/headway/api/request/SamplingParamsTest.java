package dev.headway.api.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

class SamplingParamsTest {

  /** One for each parameter: each makes it another. */
  static final List<UnaryOperator<SamplingParams.Builder>> CHANGES =
      List.of(
          params -> params.temperature(0.8f),
          params -> params.topP(1f),
          params -> params.topK(41),
          params -> params.minP(0f),
          params -> params.repetitionPenalty(1f),
          params -> params.presencePenalty(0f),
          params -> params.frequencyPenalty(-0.3f),
          params -> params.seed(4),
          params -> params.logprobs(5),
          params -> params.tokenBias(TokenBias.NONE.withBan(4, 5)),
          params -> params.tokenBias(TokenBias.NONE.withBiases(Map.of(4, -1f))));

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

  @Test
  void shouldPutEachParameterInItsPlace() {
    final SamplingParams params = everyParameter().build();

    assertThat(params.temperature()).isEqualTo(0.7f);
    assertThat(params.topP()).isEqualTo(0.9f);
    assertThat(params.topK()).isEqualTo(40);
    assertThat(params.minP()).isEqualTo(0.1f);
    assertThat(params.repetitionPenalty()).isEqualTo(1.1f);
    assertThat(params.presencePenalty()).isEqualTo(0.2f);
    assertThat(params.frequencyPenalty()).isEqualTo(0.3f);
    assertThat(params.seed()).isEqualTo(3);
  }

  @ParameterizedTest
  @FieldSource("CHANGES")
  void shouldCompareByEveryParameter(UnaryOperator<SamplingParams.Builder> change) {
    final SamplingParams params = everyParameter().build();
    final SamplingParams other = change.apply(everyParameter()).build();

    assertThat(params).isNotEqualTo(other).isNotEqualTo("params");
    assertThat(params.hashCode()).isNotEqualTo(other.hashCode());
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1e-40, 0", "9.9e-6, 0", "1e-5, 1e-5", "0.01, 0.01"})
  void shouldBeGreedyWhereLogitsCouldNotBeDivided(float asked, float temperature) {
    assertThat(SamplingParams.builder().temperature(asked).build().temperature())
        .isEqualTo(temperature);
  }

  @Test
  void shouldTakeTheEndsOfEachRange() {
    final SamplingParams least =
        SamplingParams.builder()
            .temperature(0)
            .topP(Float.MIN_VALUE)
            .topK(0)
            .minP(0)
            .repetitionPenalty(Float.MIN_VALUE)
            .build();
    final SamplingParams most =
        SamplingParams.builder()
            .temperature(Float.MAX_VALUE)
            .topP(1)
            .topK(Integer.MAX_VALUE)
            .minP(1)
            .repetitionPenalty(Float.MAX_VALUE)
            .build();

    assertThat(least.topP()).isEqualTo(Float.MIN_VALUE);
    assertThat(most.minP()).isEqualTo(1);
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

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
