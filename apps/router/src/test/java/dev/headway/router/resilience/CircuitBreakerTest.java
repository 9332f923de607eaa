package dev.headway.router.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.router.resilience.CircuitBreaker.State;
import dev.headway.router.resilience.CircuitBreaker.Verdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {

  private long nowNs;
  private final CircuitBreaker breaker =
      new CircuitBreaker(
          new BreakerOptions(3, Duration.ofSeconds(10), Duration.ofSeconds(5), 1, 2), () -> nowNs);

  @Test
  void shouldOpenAfterFailuresInARowOnly() {
    request(Verdict.FAILURE);
    request(Verdict.FAILURE);
    request(Verdict.SUCCESS);
    request(Verdict.FAILURE);
    request(Verdict.FAILURE);
    assertThat(breaker.state()).isEqualTo(State.CLOSED);

    request(Verdict.FAILURE);

    assertThat(breaker.state()).isEqualTo(State.OPEN);
    assertThat(breaker.allows()).isFalse();
  }

  @Test
  void shouldForgetFailuresOutsideTheWindow() {
    request(Verdict.FAILURE);
    request(Verdict.FAILURE);
    pass(Duration.ofSeconds(11));

    request(Verdict.FAILURE);

    assertThat(breaker.state()).isEqualTo(State.CLOSED);
  }

  /** A process that was gone is there again: there is nothing to wait for. */
  @Test
  void shouldTryAWorkerThatWasLostWhenItAnswersItsHealthCheck() {
    request(Verdict.LOST);
    request(Verdict.LOST);
    request(Verdict.LOST);
    assertThat(breaker.state()).isEqualTo(State.OPEN);

    breaker.back();

    assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
  }

  /** Its checks were good all the time: they say nothing of what failed. */
  @Test
  void shouldLeaveAWorkerAloneThatFailsRequestsAndAnswersItsHealthChecks() {
    open();

    breaker.back();

    assertThat(breaker.state()).isEqualTo(State.OPEN);
  }

  /** An answer may take minutes. */
  @Test
  void shouldTakeTheBeginningOfAnAnswerForASuccess() {
    open();
    pass(Duration.ofSeconds(5));

    final long first = breaker.answered(breaker.began());
    final long second = breaker.answered(breaker.began());

    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    breaker.ended(first, Verdict.LOST);
    breaker.ended(second, Verdict.LOST);
    assertThat(breaker.allows()).isTrue();
  }

  @Test
  void shouldTryOneRequestAtATimeAndCloseAfterSuccesses() {
    open();
    pass(Duration.ofSeconds(5));
    assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);

    final long trial = breaker.began();

    assertThat(breaker.allows()).as("while the trial is under way").isFalse();
    breaker.ended(trial, Verdict.SUCCESS);
    assertThat(breaker.allows()).isTrue();
    request(Verdict.SUCCESS);
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
  }

  @Test
  void shouldOpenAgainWhenATrialFails() {
    open();
    pass(Duration.ofSeconds(5));

    request(Verdict.FAILURE);

    assertThat(breaker.state()).isEqualTo(State.OPEN);
  }

  @Test
  void shouldGiveATrialBackThatSaysNothing() {
    open();
    pass(Duration.ofSeconds(5));

    request(Verdict.NONE);

    assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
    assertThat(breaker.allows()).isTrue();
  }

  @Test
  void shouldIgnoreWhatBeganBeforeItOpened() {
    final long late = breaker.began();
    open();
    pass(Duration.ofSeconds(5));
    breaker.began();

    breaker.ended(late, Verdict.SUCCESS);

    assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
    assertThat(breaker.allows()).isFalse();
  }

  private void open() {
    request(Verdict.FAILURE);
    request(Verdict.FAILURE);
    request(Verdict.FAILURE);
  }

  private void request(Verdict verdict) {
    breaker.ended(breaker.began(), verdict);
  }

  private void pass(Duration time) {
    nowNs += time.toNanos();
  }
}
