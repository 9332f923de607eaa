package dev.headway.probes.otel.span;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SamplingTest {

  private static final int MANY = 100_000;

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.001, 0.25, 0.5, 0.75, 0.999, 1})
  void shouldChooseTheShareThatWasAskedFor(double rate) {
    final Sampling sampling = Sampling.defaults().withRates(rate, rate, rate);

    assertThat(journeys(sampling) / (double) MANY).isCloseTo(rate, within(0.006));
    assertThat(IntStream.rangeClosed(1, MANY).filter(sampling::choosesStep).count() / (double) MANY)
        .isCloseTo(rate, within(0.006));
  }

  @Test
  void shouldChooseTheSameEverywhere() {
    final Sampling sampling = Sampling.defaults().withRates(0.5, 0.5, 0.5);
    final String chosen =
        IntStream.range(0, 16)
            .mapToObj(i -> sampling.choosesJourney("request-" + i, null) ? "1" : "0")
            .reduce("", String::concat);

    assertThat(chosen).as("as it was when this test was written").isEqualTo("0100000100111100");
    assertThat(journeys(sampling)).isEqualTo(journeys(Sampling.defaults().withRates(0.5, 1, 1)));
  }

  @Test
  void shouldChooseOthersWithAnotherSeed() {
    final Sampling one = Sampling.defaults().withRates(0.5, 0.5, 0.5);
    final Sampling two = one.withSeed(1);
    final long both =
        IntStream.range(0, MANY)
            .filter(i -> one.choosesJourney("r" + i, null) && two.choosesJourney("r" + i, null))
            .count();

    assertThat(both / (double) MANY).as("independent").isCloseTo(0.25, within(0.006));
  }

  @Test
  void shouldMultiplyTheRatesOfStepsAndTheirDetail() {
    final Sampling sampling = Sampling.defaults().withRates(1, 0.5, 0.5);
    final long detailed =
        IntStream.rangeClosed(1, MANY)
            .filter(step -> sampling.choosesStep(step) && sampling.choosesDetail(step))
            .count();

    assertThat(detailed / (double) MANY).isCloseTo(0.25, within(0.006));
  }

  @Test
  void shouldChooseListedRequestsAndFirstSteps() {
    final Sampling sampling =
        Sampling.defaults().withRates(0, 0, 0).withRequestIds(Set.of("this one")).withFirstSteps(3);

    assertThat(sampling.choosesJourney("this one", null)).isTrue();
    assertThat(sampling.choosesJourney("another", null)).isFalse();
    assertThat(IntStream.rangeClosed(1, MANY).filter(sampling::choosesStep))
        .containsExactly(1, 2, 3);
  }

  @Test
  void shouldFollowTheCallerIfAsked() {
    final Sampling all = Sampling.everything().withParent(ParentRule.HONOUR_SAMPLED_BIT);
    final Sampling none = all.withRates(0, 0, 0);

    assertThat(all.choosesJourney("a", caller("00"))).isFalse();
    assertThat(none.choosesJourney("a", caller("01"))).isTrue();
    assertThat(all.choosesJourney("a", null)).as("no caller, so the rate").isTrue();
    assertThat(Sampling.everything().choosesJourney("a", caller("00"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
  void shouldRefuseARateThatIsNoShare(double rate) {
    assertThatThrownBy(() -> Sampling.defaults().withRates(1, rate, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stepRate must be in [0, 1]: stepRate=" + rate);
  }

  private static long journeys(Sampling sampling) {
    return IntStream.range(0, MANY)
        .filter(i -> sampling.choosesJourney("request-" + i, null))
        .count();
  }

  private static TraceParent caller(String flags) {
    return Objects.requireNonNull(
        TraceParent.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-" + flags));
  }
}
