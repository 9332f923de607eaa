package dev.headway.api.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.RequestOutcome.Rejected;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.api.schedule.WaitTimes;
import org.junit.jupiter.api.Test;

class RequestOutcomeTest {

  @Test
  void shouldHandOutCopiesOfTheTokens() {
    final Finished outcome =
        new Finished("a", FinishReason.STOP, new int[] {1, 2}, 3, 10, 20, null, WaitTimes.NONE);

    outcome.outputTokenIds()[0] = 99;

    assertThat(outcome.outputTokenIds()).containsExactly(1, 2);
    assertThat(outcome.outputTokens()).isEqualTo(2);
    assertThat(outcome.preemptions()).isEqualTo(3);
    assertThat(outcome.arrivalNs()).isEqualTo(10);
    assertThat(outcome.finishedNs()).isEqualTo(20);
    assertThat(outcome.cause()).isNull();
    assertThat(outcome.waits().byReason()).isEmpty();
    assertThat(outcome).hasToString("Finished[id=a, reason=STOP, outputTokens=2, preemptions=3]");
  }

  @Test
  void shouldSayWhatFailed() {
    final Throwable cause = new IllegalStateException("device lost");
    final WaitTimes waits = WaitTimes.of(new long[] {5});

    final Finished outcome =
        new Finished("a", FinishReason.EXECUTOR_FAILED, new int[0], 0, 10, 20, cause, waits);

    assertThat(outcome.id()).isEqualTo("a");
    assertThat(outcome.reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(outcome.cause()).isSameAs(cause);
    assertThat(outcome.waits()).isSameAs(waits);
  }

  @Test
  void shouldHaveNoTokensWhenRejected() {
    assertThat(new Rejected("a", RejectReason.QUEUE_FULL, "full").outputTokens()).isZero();
  }
}
