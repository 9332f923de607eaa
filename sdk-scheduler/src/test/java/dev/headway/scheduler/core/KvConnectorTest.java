package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.KvLoadFailurePolicy;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.ExternalTokens.Kind;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SchedulerFixture;
import dev.headway.testkit.FakeKvConnector;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** KV from outside, and for others; blocks of 4 tokens. What vLLM does is in the recorded runs. */
class KvConnectorTest {

  private final FakeKvConnector connector = new FakeKvConnector(KvRole.BOTH);

  private SchedulerFixture scheduler() {
    return fixture().connector(connector);
  }

  private void report(SchedulerFixture given) {
    given.driver().scheduler().transfersEnded(connector.takeReport());
  }

  private static int free(SchedulerFixture given) {
    return given.driver().kv().freeBlocks();
  }

  private static long computed(SchedulerFixture given, String id) {
    return given.view(id).computedTokens();
  }

  /** The entries of the latest plan, with their tokens. */
  private static List<String> scheduled(SchedulerFixture given) {
    return given.plan().entries().stream().map(e -> e.id() + "=" + e.tokens()).toList();
  }

  @Test
  void shouldComputeOnlyWhatTheStepDoesNotLoad() {
    connector.has("a", 8, Kind.IN_STEP);
    final SchedulerFixture given = scheduler().waiting("a", 10).schedule();

    assertThat(given.planOut().externalTokens(0)).isEqualTo(8);
    assertThat(given.planOut().computedTokens(0)).isEqualTo(8);
    assertThat(given.planOut().scheduledTokens(0)).isEqualTo(2);
    assertThat(given.view("a").externalCachedTokens()).isEqualTo(8);

    given.update().schedule();

    assertThat(given.planOut().externalTokens(0)).isZero();
  }

  @Test
  void shouldLoadAheadWithoutASeatAndGoOnBehindIt() {
    connector.has("a", 8, Kind.AHEAD);
    final SchedulerFixture given = scheduler().waiting("a", 10).step();
    final int usable = given.driver().kv().shape().usableBlocks();

    assertThat(given.runningIds()).isEmpty();
    assertThat(free(given)).isEqualTo(usable - 2);
    assertThat(given.driver().scheduler().hasWork()).isFalse();

    connector.receive("a");
    report(given);
    given.step();

    assertThat(given.runningIds()).containsExactly("a");
    assertThat(scheduled(given)).containsExactly("a=2");
  }

  @Test
  void shouldSayWhatAnAdmissionGotFromOutside() {
    connector.has("a", 8, Kind.AHEAD).has("b", 4, Kind.IN_STEP);
    final List<String> told = new ArrayList<>();
    final SchedulerFixture given =
        scheduler()
            .probe(
                new Probe() {
                  @Override
                  public void onAdmitted(AdmittedEvent event) {
                    told.add(event.request().id() + "=" + event.externalTokens());
                  }
                });

    given.waiting("a", 8).waiting("b", 10).waiting("c", 4).step();
    connector.receive("a");
    report(given);
    given.step();

    assertThat(told).containsExactly("b=4", "c=0", "a=7"); // its last token is computed
  }

  @Test
  void shouldComputeTheLastTokenOfAPromptThatIsLoadedWhole() {
    connector.has("a", 8, Kind.AHEAD);
    final SchedulerFixture given = scheduler().waiting("a", 8).step();
    connector.receive("a");
    report(given);

    given.step();

    assertThat(scheduled(given)).containsExactly("a=1");
  }

  @Test
  void shouldFindWhatWasLoadedOnlyOnceItIsThere() {
    connector.has("a", 8, Kind.AHEAD);
    final SchedulerFixture given = scheduler().waiting(request("a", text(1, 12))).step();

    given.waiting(request("b", text(1, 12))).step();

    assertThat(given.view("b").cachedTokens()).isZero();
    connector.receive("a");
    report(given);
    given.step().waiting(request("c", text(1, 12))).step();

    assertThat(given.view("c").cachedTokens()).isEqualTo(8);
  }

  @Test
  void shouldKeepBlocksUntilTheyAreSent() {
    connector.keeps("a");
    final SchedulerFixture given =
        scheduler().running(request("a", StopRule.maxTokens(1), text(1, 8)));
    final int usable = given.driver().kv().shape().usableBlocks();

    assertThat(given.ended("a")).isNotNull();
    assertThat(free(given)).isEqualTo(usable - 2);
    connector.send("a");
    report(given);

    assertThat(free(given)).isEqualTo(usable);
    assertThat(given.reset(ResetScope.IDLE_ONLY)).isTrue();
  }

  @Test
  void shouldKeepTheBlocksOfAnEndedRequestUntilItsLoadHasEnded() {
    connector.has("a", 8, Kind.AHEAD);
    final SchedulerFixture given = scheduler().waiting("a", 12).step();
    final int usable = given.driver().kv().shape().usableBlocks();

    given.finish("a", FinishReason.ABORTED);

    assertThat(free(given)).isEqualTo(usable - 2);
    assertThat(given.reset(ResetScope.PREEMPT_RUNNING)).isFalse();
    connector.receive("a");
    report(given);
    assertThat(free(given)).isEqualTo(usable);
  }

  @Test
  void shouldGoOnWhereALoadIsGood() {
    connector.has("a", 12, Kind.AHEAD);
    final SchedulerFixture given = scheduler().waiting("a", 16).step();
    connector.failLoad("a", 8, 4);
    report(given);

    given.step();

    assertThat(scheduled(given)).containsExactly("a=8");
    assertThat(given.driver().scheduler().stats().failedLoads()).isEqualTo(1);
  }

  @Test
  void shouldNotAskAgainForARequestWhoseLoadHasFailed() {
    connector.has("a", 12, Kind.AHEAD);
    final SchedulerFixture given = scheduler().waiting("a", 16).step();
    connector.failLoad("a", 0, 4);
    report(given);

    given.step();

    assertThat(scheduled(given)).containsExactly("a=16");
    assertThat(connector.loads()).isEmpty();
  }

  @Test
  void shouldEndWhatCouldNotBeLoadedWhereThePolicySaysSo() {
    connector.has("a", 12, Kind.AHEAD);
    final SchedulerFixture given =
        scheduler()
            .settings(settings -> settings.kvLoadFailurePolicy(KvLoadFailurePolicy.FAIL))
            .waiting("a", 16)
            .step();

    connector.failLoad("a", 8, 4);
    report(given);

    assertThat(given.ended("a").reason()).isEqualTo(FinishReason.KV_LOAD_FAILED);
    assertThat(free(given)).isEqualTo(given.driver().kv().shape().usableBlocks());
  }

  /** The step that loads is answered: its second loaded block is not there. */
  private static SyncAnswer secondBlockOf(String id) {
    return (plan, output, given) -> {
      for (int entry = 0; entry < plan.size(); entry++) {
        if (plan.request(entry).id().equals(id)) {
          output.transfers().invalid(plan.blocks().of(entry).blockId(0, 1));
        }
      }
      given.answerAll(plan, output);
    };
  }

  private interface SyncAnswer {
    void fill(StepPlan plan, StepOutput output, SchedulerFixture given);
  }

  private static void update(SchedulerFixture given, SyncAnswer answer) {
    given.update((plan, output) -> answer.fill(plan, output, given));
  }

  @Test
  void shouldDropTheTokenOfAStepThatHasNotLoadedAndComputeAgain() {
    connector.has("a", 8, Kind.IN_STEP);
    final SchedulerFixture given = scheduler().waiting("a", 10).schedule();

    update(given, secondBlockOf("a"));

    assertThat(given.outputs("a")).isEmpty();
    assertThat(given.view("a").status()).isEqualTo(RequestStatus.PREEMPTED);
    given.schedule();
    assertThat(given.planOut().externalTokens(0)).isZero();
    assertThat(given.planOut().computedTokens(0)).isZero(); // nothing of the step is trusted
    given.update();
    assertThat(given.outputs("a")).hasSize(1);
  }

  @Test
  void shouldTakeBackWhatOthersHaveFoundOfAFailedLoad() {
    connector.has("a", 8, Kind.IN_STEP);
    final SchedulerFixture given =
        scheduler()
            .waiting(request("a", text(1, 10)))
            .waiting(request("b", text(1, 10)))
            .waiting(request("other", text(2, 10)))
            .schedule();
    assertThat(given.view("b").cachedTokens()).as("found in the same step").isEqualTo(8);

    update(given, secondBlockOf("a"));

    assertThat(given.outputs("b")).isEmpty();
    assertThat(given.outputs("other")).hasSize(1);
    given.step();
    assertThat(scheduled(given)).contains("a=10", "other=1");
    assertThat(given.outputs("b")).hasSize(1);
  }

  @Test
  void shouldVoidResultsOfLaterStepsThatRestOnAFailedLoad() {
    connector.has("a", 8, Kind.IN_STEP);
    final SchedulerFixture given =
        scheduler()
            .settings(settings -> settings.pipeline(PipelineOptions.ASYNC))
            .waiting(request("a", StopRule.maxTokens(3), text(1, 10)));
    final StepPlan first = given.schedule().planOut();
    final StepPlan second = given.schedule().planOut();

    given.driver().update(first, (plan, output) -> secondBlockOf("a").fill(plan, output, given));
    given.driver().update(second, given::answerAll);

    assertThat(given.outputs("a")).isEmpty();
    given.steps(3);
    assertThat(given.outputs("a")).hasSize(3);
    assertThat(given.ended("a").reason()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void shouldNotPreemptForBlocksThatAreDue() {
    final SchedulerFixture given =
        scheduler()
            .blocks(6)
            .settings(settings -> settings.pipeline(PipelineOptions.ASYNC))
            .waiting("old", 7)
            .waiting("middle", 7)
            .waiting("young", 7);
    StepPlan oldest = given.schedule().planOut();
    StepPlan newest = given.schedule().planOut();
    for (int i = 0; i < 2; i++) { // both have a ninth token then, and the pool is empty
      given.driver().update(oldest, given::answerAll);
      oldest = newest;
      newest = given.schedule().planOut();
    }

    assertThat(given.runningIds()).containsExactly("old", "middle");
    assertThat(given.view("middle").preemptions()).isZero();
  }

  @Test
  void shouldRunTheOneThatCanWhenLoadedRequestsAreInEachOthersWay() {
    connector.has("first", 8, Kind.AHEAD).has("urgent", 8, Kind.AHEAD);
    final SchedulerFixture given = scheduler().byPriority().blocks(6).withoutGate();
    given.waiting(request("first", text(1, 16)).priority(1)).step();
    given.waiting(request("urgent", text(2, 24)).priority(0)).step();
    assertThat(connector.loads()).containsExactlyInAnyOrder("first", "urgent");
    connector.receive("first");
    connector.receive("urgent");
    report(given);

    given.step();

    assertThat(given.runningIds()).containsExactly("urgent");
    assertThat(given.view("first").preemptions()).isEqualTo(1);
  }

  @Test
  void shouldLoadIntoTheBlocksOfAnIdleSession() {
    connector.has("a", 28, Kind.AHEAD);
    final SchedulerFixture given = scheduler().blocks(8);
    given.waiting(request("s", StopRule.maxTokens(1), text(50, 8)).resumable()).step();

    given.waiting("a", 28).step();

    assertThat(connector.loads()).containsExactly("a");
    assertThat(given.view("s").kvBlocks()).isZero();
  }

  @Test
  void shouldEndARequestForWhichTheConnectorFails() {
    final SchedulerFixture given =
        fixture()
            .connector(
                new ForwardingConnector(connector) {
                  @Override
                  public void lookup(RequestView request, int local, ExternalTokens answer) {
                    if (request.id().equals("a")) {
                      throw new IllegalStateException("no route");
                    }
                    answer.inStep(request.id().equals("b") ? 10 : 0);
                  }
                });

    given.waiting("a", 10).waiting("b", 10).waiting("c", 10).step();

    assertThat(given.ended("a").reason()).isEqualTo(FinishReason.KV_LOAD_FAILED);
    assertThat(given.ended("a").cause()).hasMessage("no route");
    assertThat(given.ended("b").cause())
        .hasMessage(
            "external tokens must be in [0, most], so that they are known and one is left to be"
                + " computed in the step that loads them: id=b, answer=ExternalTokens[kind=IN_STEP,"
                + " tokens=10], most=9, localTokens=0, knownTokens=10");
    assertThat(given.runningIds()).containsExactly("c");
  }

  @Test
  void shouldCountTransfersThatAreNotOut() {
    final SchedulerFixture given = scheduler().running("a", 4);
    final var report = connector.takeReport();
    report.received(given.view("a").number());
    report.sent(17);

    given.driver().scheduler().transfersEnded(report);

    assertThat(given.driver().scheduler().stats().strayTransfers()).isEqualTo(2);
    assertThat(computed(given, "a")).isEqualTo(4);
  }

  @Test
  void shouldRefuseACacheThatAConnectorCannotFill() {
    assertThatThrownBy(
            () ->
                scheduler()
                    .groups(new KvGroup.FullAttention(4), new KvGroup.Mamba(4, 0))
                    .waiting("a", 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "a KV connector needs groups of attention, whose KV is kept token by token: groups=");
  }

  /** A window of one token: what is loaded before it needs no blocks. */
  private static SchedulerFixture narrow(SchedulerFixture given) {
    return given.groups(new KvGroup.SlidingWindow(4, 1));
  }

  @Test
  void shouldNotEndARequestForBlocksThatLoadsWhichHoldNoneStillNeed() {
    connector.has("a", 8, Kind.AHEAD).has("b", 8, Kind.AHEAD).has("c", 8, Kind.AHEAD);
    final SchedulerFixture given =
        narrow(scheduler()).blocks(10).maxNumSeqs(4).maxNumBatchedTokens(32);
    given.waiting("a", 40).waiting("b", 40).waiting("c", 40);

    given.step();

    assertThat(free(given)).as("they are loaded into none").isEqualTo(10);
    assertThat(KvExchanges.of(given.driver().scheduler()).reservedBlocks()).isGreaterThan(10);
    assertThat(given.ended("c")).isNull();
    assertThat(connector.loads()).contains("a", "b", "c");
  }

  @Test
  void shouldLetTheLastRequestWaitForBlocksOfOthersThatStepsOutStillWrite() {
    final SchedulerFixture given =
        scheduler()
            .settings(settings -> settings.pipeline(PipelineOptions.ASYNC))
            .groups(new KvGroup.SlidingWindow(4, 4))
            .blocks(5)
            .withoutGate()
            .longPrefillTokenThreshold(12);
    final StepPlan first = given.waiting("a", 24).waiting("b", 1).schedule().planOut();

    given.schedule();

    assertThat(given.plan()).isEmpty().preempts("b"); // with its block, a lacks one more
    assertThat(given.log().lines()).contains("2: blocked a STALLED by - needed=3 free=1");
    given.driver().update(first, given::answerAll);
    given.schedule();
    assertThat(given.plan()).startsAt("a", 12).schedules("a", 12);
  }
}
