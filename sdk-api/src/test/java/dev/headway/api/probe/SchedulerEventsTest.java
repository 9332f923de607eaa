package dev.headway.api.probe;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.support.SimplePlan;
import dev.headway.api.support.SimpleRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each decision reaches the probe once, with its own figures, also when views are used again. */
class SchedulerEventsTest {

  private final Heard heard = new Heard();
  private final SchedulerEvents events = new SchedulerEvents(heard);
  private final SimpleRequest one = request("one", 5);
  private final SimpleRequest other = request("other", 6);

  private static SimpleRequest request(String id, long queuedNs) {
    return new SimpleRequest(Request.builder(id, 1).maxTokens(1).build(), 0, 0, queuedNs);
  }

  @Test
  void shouldPassOnWhatHappensToARequest() {
    events.queued(1, one);
    events.admitted(2, one, EntryKind.NEW, 3, 4, 5);
    events.admitted(3, other, EntryKind.RESUMED, 6, 7, 2, 8, 21);
    events.blocked(4, one, WaitReason.MAX_NUM_SEQS, other, 9, 10);
    events.blocked(5, other, WaitReason.MAX_NUM_SEQS, null, 0, 0);
    events.unblocked(6, one);
    events.preempted(7, one, PreemptionCause.KV_BLOCKS, other, 11, 12, 13);
    events.preempted(8, other, PreemptionCause.DISPLACED, null, 14, 15);
    events.scored(9, one, 0.5);
    events.firstToken(10, one, 16);
    final Throwable cause = new IllegalStateException("why");
    events.finished(11, one, FinishReason.STOP, 17, null, 18, 19);
    events.finished(12, other, FinishReason.EXECUTOR_FAILED, ABSENT, cause, 0, 20);

    assertThat(heard.lines)
        .containsExactly(
            "queued one @1 5",
            "admitted one @2 - NEW cached 3 host 4 outside 0 evicted 5 prefix 0",
            "admitted other @3 - RESUMED cached 6 host 7 outside 2 evicted 8 prefix 21",
            "blocked one @4 - MAX_NUM_SEQS behind other, 9 of 10",
            "blocked other @5 - MAX_NUM_SEQS behind nothing, 0 of 0",
            "unblocked one @6 -",
            "preempted one @7 - KV_BLOCKS for other, lost 11, freed 12, missing 13",
            "preempted other @8 - DISPLACED for nothing, lost 14, freed 15, missing 0",
            "scored one @9 - 0.5",
            "first token one @10 16",
            "finished one @11 19 STOP by 17, freed 18, because null",
            "finished other @12 20 EXECUTOR_FAILED by "
                + ABSENT
                + ", freed 0, because java.lang.IllegalStateException: why");
  }

  @Test
  void shouldPassOnWhatConcernsAll() {
    final Request refused = Request.builder("refused", 1).maxTokens(1).build();
    events.rejected(1, refused, RejectReason.QUEUE_FULL, "no room", 2);
    events.admissionsClosed(3, WaitReason.MAX_NUM_SEQS, one);
    events.admissionsClosed(4, WaitReason.MAX_NUM_BATCHED_TOKENS, null);
    events.cacheReset(5, ResetScope.IDLE_ONLY, 6);
    events.journey(JourneyEvent.of("one", JourneyStage.TOKENIZE_STARTED, 7));

    assertThat(heard.lines)
        .containsExactly(
            "rejected refused @1 2 QUEUE_FULL: no room",
            "closed @3 - MAX_NUM_SEQS behind one",
            "closed @4 - MAX_NUM_BATCHED_TOKENS behind nothing",
            "reset @5 6 IDLE_ONLY",
            "journey one TOKENIZE_STARTED 7");
  }

  @Test
  void shouldPassOnSteps() {
    final SimplePlan plan = new SimplePlan();
    final StepOutput output = new StepOutput();
    plan.begin(1, 10);
    plan.end(12);
    events.planned(plan, 2, 3, 4, 5);
    events.stepCompleted(plan, output, 13, 14, 15, null);
    plan.begin(2, 20);
    plan.end(23);
    events.planned(plan, 6, 7, 8, 9);
    events.stepCompleted(plan, output, ABSENT, 23, 24, new IllegalStateException("lost"));

    assertThat(heard.lines)
        .containsExactly(
            "planned @1 12, 10..12, running 2, waiting 3 and 4, free 5",
            "completed @1 15, executed true, submitted 13, output 14, end 15, null",
            "planned @2 23, 20..23, running 6, waiting 7 and 8, free 9",
            "completed @2 24, executed false, submitted 23, output 23, end 24,"
                + " java.lang.IllegalStateException: lost");
    assertThat(heard.plan).isSameAs(plan);
    assertThat(heard.output).isSameAs(output);
  }

  @Test
  void shouldKnowWhatIsWanted() {
    assertThat(events.areWanted(ProbeInterest.WAITS)).isTrue();
    assertThat(events.areWanted(ProbeInterest.SCORES)).isFalse();
  }

  /** Writes down what it hears, while it hears it: views are valid during the call only. */
  private static final class Heard implements Probe {
    private final List<String> lines = new ArrayList<>();
    private Object plan;
    private Object output;

    @Override
    public Set<ProbeInterest> interests() {
      return Set.of(ProbeInterest.REQUESTS, ProbeInterest.WAITS);
    }

    private static String when(ProbeEvent event) {
      return "@" + event.stepId() + " " + (event.atNs() == ABSENT ? "-" : event.atNs());
    }

    private static String id(RequestView request) {
      return request == null ? "nothing" : request.id();
    }

    @Override
    public void onQueued(QueuedEvent event) {
      lines.add("queued " + id(event.request()) + " " + when(event));
    }

    @Override
    public void onRejected(RejectedEvent event) {
      lines.add(
          "rejected %s %s %s: %s"
              .formatted(event.request().id(), when(event), event.reason(), event.message()));
    }

    @Override
    public void onAdmitted(AdmittedEvent event) {
      lines.add(
          "admitted %s %s %s cached %d host %d outside %d evicted %d prefix %d"
              .formatted(
                  id(event.request()),
                  when(event),
                  event.kind(),
                  event.cachedTokens(),
                  event.hostCachedTokens(),
                  event.externalTokens(),
                  event.evictedTokens(),
                  event.prefixHash()));
    }

    @Override
    public void onBlocked(BlockedEvent event) {
      lines.add(
          "blocked %s %s %s behind %s, %d of %d"
              .formatted(
                  id(event.request()),
                  when(event),
                  event.reason(),
                  id(event.blocker()),
                  event.needed(),
                  event.free()));
    }

    @Override
    public void onUnblocked(UnblockedEvent event) {
      lines.add("unblocked " + id(event.request()) + " " + when(event));
    }

    @Override
    public void onAdmissionsClosed(AdmissionsClosedEvent event) {
      lines.add(
          "closed %s %s behind %s".formatted(when(event), event.reason(), id(event.blocker())));
    }

    @Override
    public void onPreempted(PreemptedEvent event) {
      lines.add(
          "preempted %s %s %s for %s, lost %d, freed %d, missing %d"
              .formatted(
                  id(event.request()),
                  when(event),
                  event.cause(),
                  id(event.beneficiary()),
                  event.lostTokens(),
                  event.freedBlocks(),
                  event.missingBlocks()));
    }

    @Override
    public void onCacheReset(CacheResetEvent event) {
      lines.add("reset " + when(event) + " " + event.scope());
    }

    @Override
    public void onScored(ScoredEvent event) {
      lines.add("scored " + id(event.request()) + " " + when(event) + " " + event.score());
    }

    @Override
    public void onJourney(JourneyEvent event) {
      lines.add("journey " + event.requestId() + " " + event.stage() + " " + event.atNs());
    }

    @Override
    public void onPlanned(PlannedEvent event) {
      plan = event.plan();
      lines.add(
          "planned %s, %d..%d, running %d, waiting %d and %d, free %d"
              .formatted(
                  when(event),
                  event.beginNs(),
                  event.endNs(),
                  event.runningCount(),
                  event.waitingCount(),
                  event.preemptedWaitingCount(),
                  event.freeBlocks()));
    }

    @Override
    public void onFirstToken(FirstTokenEvent event) {
      lines.add("first token " + id(event.request()) + " " + when(event));
    }

    @Override
    public void onFinished(FinishedEvent event) {
      lines.add(
          "finished %s %s %s by %d, freed %d, because %s"
              .formatted(
                  id(event.request()),
                  when(event),
                  event.reason(),
                  event.stopTokenId(),
                  event.freedBlocks(),
                  event.cause()));
    }

    @Override
    public void onStepCompleted(StepCompletedEvent event) {
      output = event.output();
      lines.add(
          "completed %s, executed %s, submitted %d, output %d, end %d, %s"
              .formatted(
                  when(event),
                  event.wasExecuted(),
                  event.submitNs(),
                  event.outputNs(),
                  event.endNs(),
                  event.failure()));
    }
  }
}
