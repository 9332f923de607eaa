package dev.headway.events.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecisionQueueTest {

  private final List<String> applied = new ArrayList<>();
  private final PendingDecisions decisions = new PendingDecisions();

  @Test
  void shouldApplyDecisionsInOrderWhenTheirPlanIsDone() {
    decide(1, 7, "admit");
    decide(1, -1, "close");
    assertThat(applied).isEmpty();

    decisions.planned(1, 40);

    assertThat(applied).containsExactly("admit at 40 of 1", "close at 40 of 1");
  }

  @Test
  void shouldApplyAtOnceWhatIsDecidedAfterThePlan() {
    decisions.planned(1, 40);
    decisions.at(55);

    decide(1, 7, "evict");

    assertThat(applied).containsExactly("evict at 55 of 1");
  }

  @Test
  void shouldApplyWhatConcernsARequestWhenItEnds() {
    decide(1, 7, "preempt");
    decide(1, 8, "admit");

    decisions.ended(7, 33);
    assertThat(applied).containsExactly("preempt at 33 of 1");
    decisions.planned(1, 40);

    assertThat(applied).containsExactly("preempt at 33 of 1", "admit at 40 of 1");
  }

  @Test
  void shouldForgetDecisionsWithoutAPlanWhenARunBegins() {
    decide(3, 7, "admit");

    decisions.reset(100);
    decisions.planned(3, 140);

    assertThat(applied).isEmpty();
  }

  private void decide(long stepId, long number, String what) {
    decisions.decide(
        stepId, number, (atNs, step) -> applied.add(what + " at " + atNs + " of " + step));
  }
}
