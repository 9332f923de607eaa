package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Decision;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.model.WaitInterval;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.UnblockedRecord;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.StepScript;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunModelTest {

  /** Writes down what it hears. */
  private static class Telling implements RunListener {
    final List<String> told = new ArrayList<>();

    @Override
    public void onAdmitted(RequestTimeline request, int cachedTokens, long nowNs) {
      told.add(request.id() + " admitted at " + nowNs);
    }

    @Override
    public void onPreempted(Decision.Preempted preemption, long nowNs) {
      told.add(preemption.request().id() + " preempted at " + nowNs);
    }

    @Override
    public void onPhaseChanged(RequestTimeline request, Phase left, long sinceNs, long nowNs) {
      told.add(request.id() + " " + left + " to " + request.phase() + " at " + nowNs);
    }

    @Override
    public void onFinished(RequestTimeline request, FinishedRecord end) {
      told.add(request.id() + " finished with " + request.outputTokens());
    }

    @Override
    public void onSettled(RequestTimeline request) {
      told.add(request.id() + " settled with " + request.outputTokens());
    }

    @Override
    public void onUnfinished(RequestTimeline request, long nowNs) {
      told.add(request.id() + " unfinished at " + nowNs);
    }

    @Override
    public void onPlanned(StepTimeline step) {
      told.add("step " + step.plan().stepId() + " planned");
    }

    @Override
    public void onStep(StepTimeline step) {
      told.add("step " + step.plan().stepId() + " done in " + step.durationNs());
    }

    @Override
    public void onLost(StepTimeline step) {
      told.add("step " + step.plan().stepId() + " lost");
    }
  }

  /** Writes down waits too. */
  private static class TellingWaits extends Telling implements WaitListener {
    @Override
    public void onWaitEnded(WaitInterval stay) {
      told.add(stay.request().id() + " waited " + stay.lengthNs() + " " + stay.mainCause());
    }
  }

  @Test
  void shouldLetDecisionsTakeEffectWithTheirPlanAndEndsWithTheirTokens() throws IOException {
    final Telling listener = new Telling();

    play(life(), listener);

    assertThat(listener.told)
        .containsExactly(
            "a WAITING to PREFILL at 30",
            "a admitted at 30",
            "step 1 planned",
            "a PREFILL to DECODE at 50",
            "a DECODE to ENDED at 52",
            "a finished with 0",
            "step 1 done in 40",
            "a settled with 1");
  }

  @Test
  void shouldKnowWhatARefusalLackedUntilThatIsOver() throws IOException {
    final List<String> seen = new ArrayList<>();
    final RunListener listener =
        new RunListener() {
          @Override
          public void onPlanned(StepTimeline step) {
            final RunTimeline run = step.run();
            for (RequestTimeline request : run.waiting()) {
              final BlockedRecord refusal = request.refusal();
              seen.add(refusal == null ? "none" : refusal.needed() + " of " + refusal.free());
            }
            seen.add(run.sharedBlockerNumber() + ", dropped by " + run.droppedNs());
          }
        };

    play(
        EventScript.full()
            .queued(0, "a", 10, 10, 8)
            .dropped(1)
            .blocked(1, 0, "memory_insufficient", -1, 12, 3)
            .closed(1, "head_of_line", 7)
            .planned(new StepScript(1, 20, 30))
            .admitted(2, 0, 0)
            .planned(new StepScript(2, 40, 50))
            .preempted(3, 0, "kv_blocks", -1, 8, 1)
            .planned(new StepScript(3, 60, 70)),
        listener);

    assertThat(seen)
        .containsExactly(
            "12 of 3",
            "7, dropped by 10", // a head of which nothing else is known
            "7, dropped by 10",
            "none", // put back, not refused
            "7, dropped by 10");
  }

  @Test
  void shouldTellALostStepBeforeTheOneThatIsDone() throws IOException {
    final Telling listener = new Telling();
    final StepScript second = new StepScript(2, 61, 65).done(66, 70, 75);

    play(
        EventScript.full()
            .planned(new StepScript(1, 20, 30))
            .planned(second)
            .completed(second)
            .planned(new StepScript(3, 80, 85)),
        listener);

    assertThat(listener.told)
        .containsExactly(
            "step 1 planned",
            "step 2 planned",
            "step 1 lost",
            "step 2 done in 14",
            "step 3 planned",
            "step 3 lost");
  }

  @Test
  void shouldEndARunWithThoseWhoAreLeft() throws IOException {
    final Telling listener = new Telling();

    play(
        EventScript.full()
            .queued(1, "b", 12, 12, 8)
            .queued(0, "a", 10, 10, 8)
            .admitted(1, 0, 0) // its plan is missing
            .rejected("c", 11, "queue_full", "no"),
        listener);

    assertThat(listener.told).containsExactly("a unfinished at 12", "b unfinished at 12");
  }

  @Test
  void shouldBookWaitsOfARunThatAsks() throws IOException {
    final Telling listener =
        new TellingWaits() {
          @Override
          public RunListener onRun(RunTimeline run) {
            run.bookWaits(this);
            assertThatIllegalStateException()
                .isThrownBy(() -> run.bookWaits(this))
                .withMessage("the waits of a run must be asked for once");
            return this;
          }
        };

    play(life(), listener);

    assertThat(listener.told)
        .startsWith(
            "a waited 20 Cause[index=0, reason=initial_waiting, root=initial_waiting]",
            "a WAITING to PREFILL at 30");
  }

  @Test
  void shouldBookWaitsForAListenerOfWaits() throws IOException {
    final Telling listener = new TellingWaits();

    play(life(), listener);

    assertThat(listener.told)
        .startsWith("a waited 20 Cause[index=0, reason=initial_waiting, root=initial_waiting]");
  }

  @Test
  void shouldSayHowToAskForWaits() throws IOException {
    final RunListener listener =
        new RunListener() {
          @Override
          public void onQueued(RequestTimeline request) {
            assertThatIllegalStateException()
                .isThrownBy(request::waits)
                .withMessage(
                    "waits must be asked for when the run begins, with RunTimeline.bookWaits:"
                        + " request=a");
          }

          @Override
          public void onPlanned(StepTimeline step) {
            assertThat(step.waitReasons()).isEmpty();
          }
        };

    play(life(), listener);
  }

  @Test
  void shouldCountWaitsOfARunThatAsks() throws IOException {
    final List<String> counts = new ArrayList<>();
    final RunListener listener =
        new RunListener() {
          @Override
          public RunListener onRun(RunTimeline run) {
            run.countWaits();
            return this;
          }

          @Override
          public void onPlanned(StepTimeline step) {
            counts.add(step.waitReasons() + " behind " + step.headBlocker());
          }
        };

    play(
        EventScript.full()
            .queued(0, "a", 10, 10, 8)
            .queued(1, "b", 11, 11, 8)
            .queued(2, "c", 12, 12, 8)
            .blocked(1, 0, "kv_blocks", -1, 4, 2)
            .closed(1, "head_of_line", 0)
            .planned(new StepScript(1, 20, 30).counts(0, 3, 0, 2))
            .admitted(2, 0, 0)
            .planned(new StepScript(2, 40, 50).counts(1, 2, 0, 2)),
        listener);

    assertThat(counts)
        .containsExactly("{kv_blocks=1, head_of_line=2} behind a", "{head_of_line=2} behind a");
  }

  @Test
  void shouldTellWaitsThatGoOnAsOfTheLatestInstant() throws IOException {
    final List<String> told = new ArrayList<>();
    final class Asking implements RunListener, WaitListener {
      private List<Cause> causes = List.of();

      @Override
      public RunListener onRun(RunTimeline run) {
        causes = run.bookWaits(this);
        return this;
      }

      @Override
      public void onPlanned(StepTimeline step) {
        step.run().tellWaits();
        step.run().tellWaits(); // nothing is told twice
        for (Cause cause : causes) {
          final int waiting = step.run().waitingFor(cause);
          if (waiting > 0) {
            told.add(waiting + " for " + cause.reason());
          }
        }
      }

      @Override
      public void onWaited(Cause cause, long fromNs, long toNs, int requests) {
        told.add(requests + " " + cause.reason() + " " + fromNs + " to " + toNs);
      }
    }

    play(
        EventScript.full()
            .queued(0, "a", 10, 10, 8)
            .queued(1, "b", 15, 15, 8)
            .queued(2, "c", 15, 15, 8)
            .blocked(1, 0, "kv_blocks", -1, 4, 2)
            .closed(1, "head_of_line", 0)
            .planned(new StepScript(1, 20, 30).counts(0, 3, 0, 2))
            .admitted(2, 0, 0)
            .planned(new StepScript(2, 40, 50).counts(1, 2, 0, 2))
            .finished(2, 2, "abort", 0, 60),
        new Asking());

    assertThat(told)
        .containsExactly(
            "1 initial_waiting 10 to 15",
            "3 initial_waiting 15 to 30",
            "2 for head_of_line",
            "1 for kv_blocks",
            "1 kv_blocks 30 to 50",
            "2 head_of_line 30 to 50",
            "2 for head_of_line",
            "2 head_of_line 50 to 60");
  }

  @Test
  void shouldBelievePlansAfterLossesOfARunThatAsks() throws IOException {
    final Telling listener =
        new Telling() {
          @Override
          public RunListener onRun(RunTimeline run) {
            run.believePlans();
            return this;
          }

          @Override
          public void onUnknownRequest() {
            told.add("unknown");
          }
        };

    play(
        EventScript.full()
            .queued(0, "a", 10, 10, 8)
            .queued(1, "b", 11, 11, 8)
            .dropped(3)
            .planned(
                new StepScript(1, 20, 30)
                    .entry(1, 8, 0, true, 1, 1)
                    .entry(9, 8, 0, true, 1, 1)
                    .counts(2, 1, 0, 2))
            .planned(new StepScript(2, 40, 50)),
        listener);

    assertThat(listener.told)
        .containsExactly(
            "b WAITING to PREFILL at 30",
            "b admitted at 30",
            "unknown",
            "step 1 planned",
            "a WAITING to ENDED at 50",
            "a unfinished at 50",
            "b PREFILL to ENDED at 50",
            "b unfinished at 50",
            "step 2 planned",
            "step 1 lost",
            "step 2 lost");
  }

  @Test
  void shouldRefuseRecordsBeforeARun() {
    final RunModel observer = new RunModel(new RunListener() {});

    assertThatIllegalStateException()
        .isThrownBy(() -> observer.onUnblocked(new UnblockedRecord(1, 1)))
        .withMessage("records must follow a start record: runs=0");
  }

  /** A request that makes one token; its end is recorded before the step that made it. */
  private static EventScript life() {
    final StepScript step =
        new StepScript(1, 20, 30).entry(0, 8, 0, true, 1, 1).done(31, 50, 60, 1);
    return EventScript.full()
        .queued(0, "a", 10, 10, 8)
        .admitted(1, 0, 0)
        .planned(step)
        .firstToken(1, 0, 50)
        .finished(1, 0, "stop", 1, 52)
        .completed(step);
  }

  private static void play(EventScript script, RunListener listener) throws IOException {
    try (RunModel observer = new RunModel(listener)) {
      script.playTo(observer);
    }
  }
}
