package dev.headway.api.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class JourneyEventTest {

  @Test
  void shouldHaveNoReasonUnlessAborted() {
    final JourneyEvent event = JourneyEvent.of("one", JourneyStage.DEPARTED, 7);

    assertThat(event.requestId()).isEqualTo("one");
    assertThat(event.stage()).isEqualTo(JourneyStage.DEPARTED);
    assertThat(event.atNs()).isEqualTo(7);
    assertThat(event.reason()).isNull();
    assertThat(event.error()).isNull();
  }

  @Test
  void shouldSayWhatAbortedAJourney() {
    final JourneyEvent aborted = JourneyEvent.aborted("one", 1, "gone", "reset");

    assertThat(aborted.stage()).isEqualTo(JourneyStage.ABORTED);
    assertThat(aborted.reason()).isEqualTo("gone");
    assertThat(aborted.error()).isEqualTo("reset");
    assertThat(aborted.atNs()).isEqualTo(1);
    assertThat(JourneyEvent.aborted("one", 1, "gone", null).error()).isNull();
  }

  @Test
  void shouldRefuseAnAbortedJourneyWithoutAReason() {
    assertThatThrownBy(() -> JourneyEvent.of("one", JourneyStage.ABORTED, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("an aborted journey must have a reason: id=one");
    assertThatThrownBy(() -> JourneyEvent.aborted("one", 1, null, "reset"))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("reason");
  }
}
