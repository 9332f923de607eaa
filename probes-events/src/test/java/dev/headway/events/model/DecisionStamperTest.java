package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.events.record.UnblockedRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DecisionStamperTest {

  private final List<String> applied = new ArrayList<>();
  private final RunTimeline run =
      new RunTimeline(
          0, new RunStartedRecord(1, "test", "full", true, 0, 0, 0, 16, 8, 0, Map.of(), Map.of()));
  private final DecisionStamper decisions =
      new DecisionStamper(
          run,
          (decision, atNs, step) -> applied.add(nameOf(decision) + " at " + atNs + " of " + step));
  private final RequestTimeline first = request(7, "first");
  private final RequestTimeline second = request(8, "second");

  @Test
  void shouldApplyDecisionsInOrderWhenTheirPlanIsDone() {
    decisions.decide(1, new Decision.Unblocked(first, new UnblockedRecord(1, first.number())));
    decisions.decide(1, new Decision.Unblocked(second, new UnblockedRecord(1, second.number())));
    assertThat(applied).isEmpty();

    decisions.planned(1, 40);

    assertThat(applied).containsExactly("first at 40 of 1", "second at 40 of 1");
  }

  @Test
  void shouldApplyAtOnceWhatIsDecidedAfterThePlan() {
    decisions.planned(1, 40);
    decisions.seen(55);

    decisions.decide(1, new Decision.Unblocked(first, new UnblockedRecord(1, first.number())));

    assertThat(applied).containsExactly("first at 55 of 1");
    assertThat(run.latestNs()).isEqualTo(55);
  }

  @Test
  void shouldApplyWhatConcernsARequestWhenItEnds() {
    decisions.decide(1, new Decision.Unblocked(first, new UnblockedRecord(1, first.number())));
    decisions.decide(1, new Decision.Unblocked(second, new UnblockedRecord(1, second.number())));

    decisions.ended(first, 33, 1);
    assertThat(applied).containsExactly("first at 33 of 1");
    decisions.planned(1, 40);

    assertThat(applied).containsExactly("first at 33 of 1", "second at 40 of 1");
  }

  @Test
  void shouldForgetDecisionsWithoutAPlan() {
    decisions.decide(3, new Decision.Unblocked(first, new UnblockedRecord(1, first.number())));

    decisions.clear();
    decisions.planned(3, 140);

    assertThat(applied).isEmpty();
  }

  @Test
  void shouldStampWhatBelongsToNoStepWithTheNextInstant() {
    decisions.note(new Decision.KvCleared());
    decisions.happened(20);
    assertThat(applied).containsExactly("cache at 20 of 0");

    decisions.decide(1, new Decision.Unblocked(first, new UnblockedRecord(1, first.number())));
    decisions.note(new Decision.KvCleared());
    decisions.happened(30); // inside scheduling: both wait for the plan
    decisions.planned(1, 40);

    assertThat(applied).endsWith("first at 40 of 1", "cache at 40 of 1").hasSize(3);
  }

  private static String nameOf(Decision decision) {
    return decision.request() == null ? "cache" : decision.request().id();
  }

  private static RequestTimeline request(long number, String id) {
    return new RequestTimeline(
        new QueuedRecord(number, id, 0, 0, 8, 8, 0, 0, null, ABSENT, ABSENT, null, null),
        Ingress.NONE);
  }
}
