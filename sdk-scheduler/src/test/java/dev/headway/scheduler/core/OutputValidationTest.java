package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;
import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.VOCABULARY;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SchedulerFixture;
import dev.headway.scheduler.testing.SchedulerFixture.Ended;
import dev.headway.scheduler.testing.SyncDriver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An executor that answers nonsense, fails, or comes late harms only the requests it is about. */
class OutputValidationTest {

  private static final IllegalStateException BROKEN = new IllegalStateException("broken");

  @Test
  void shouldEndARequestThatGotNoToken() {
    final SchedulerFixture given = twoDecoding().schedule();

    given.update(except(given, "bad", (plan, output) -> {}));

    assertBadFailed(given, "executor must answer 1 token: id=bad, stepId=2, tokens=0");
  }

  @Test
  void shouldEndARequestThatGotTooManyTokens() {
    final SchedulerFixture given = twoDecoding().schedule();

    given.update(answeringBad(given, 5, 6));

    assertBadFailed(given, "executor must answer 1 token: id=bad, stepId=2, tokens=2");
  }

  @Test
  void shouldEndARequestThatGotATokenForAChunk() {
    final SchedulerFixture given =
        fixture()
            .maxNumSeqs(4)
            .maxNumBatchedTokens(8)
            .waiting("good", 4)
            .waiting("bad", 9)
            .schedule();

    given.update(answeringBad(given, 5));

    assertBadFailed(
        given, "executor must answer 0 tokens for a prefill chunk: id=bad, stepId=1, tokens=1");
  }

  @Test
  void shouldEndARequestThatGotATokenOutOfTheVocabulary() {
    final SchedulerFixture given = twoDecoding().schedule();

    given.update(answeringBad(given, VOCABULARY));

    assertBadFailed(
        given,
        "executor must answer token ids in [0, vocabularySize): id=bad, stepId=2, tokenId=1000000,"
            + " vocabularySize=1000000");
  }

  @Test
  void shouldEndARequestThatGotANegativeToken() {
    final SchedulerFixture given = twoDecoding().schedule();

    given.update(answeringBad(given, -1));

    assertBadFailed(
        given,
        "executor must answer token ids in [0, vocabularySize): id=bad, stepId=2, tokenId=-1,"
            + " vocabularySize=1000000");
  }

  @Test
  void shouldTakeTheSmallestAndTheLargestToken() {
    final SchedulerFixture given = fixture().answers("a", 0, VOCABULARY - 1).running("a", 4);

    given.step();

    assertThat(given.outputs("a")).containsExactly(0, VOCABULARY - 1);
  }

  @Test
  void shouldEndOnlyTheRequestWhoseEntryFailed() {
    final SchedulerFixture given = twoDecoding().schedule();

    given.update(except(given, "bad", (plan, output) -> output.fail(entryOf(plan, "bad"), BROKEN)));

    assertThat(given.ended("bad"))
        .isEqualTo(new Ended(FinishReason.EXECUTOR_FAILED, ABSENT, BROKEN));
    assertGoodGoesOn(given);
  }

  @Test
  void shouldBelieveAFailureRatherThanTheTokensBesideIt() {
    final SchedulerFixture given = twoDecoding().schedule();

    given.update(
        (plan, output) -> {
          given.answerAll(plan, output);
          output.fail(entryOf(plan, "bad"), BROKEN);
        });

    assertThat(given.ended("bad"))
        .isEqualTo(new Ended(FinishReason.EXECUTOR_FAILED, ABSENT, BROKEN));
    assertThat(given.outputs("bad")).hasSize(1);
  }

  @Test
  void shouldEndEveryRequestOfAStepThatFailedAndNobodyElse() {
    final SchedulerFixture given =
        fixture()
            .blocks(10)
            .maxNumSeqs(2)
            .waiting("a", 4)
            .waiting("b", 4)
            .waiting("c", 4)
            .schedule();

    given.fail(BROKEN, BlockFence.RELEASE);

    assertThat(given.ended("a")).isEqualTo(new Ended(FinishReason.EXECUTOR_FAILED, ABSENT, BROKEN));
    assertThat(given.ended("b")).isEqualTo(new Ended(FinishReason.EXECUTOR_FAILED, ABSENT, BROKEN));
    assertThat(given.driver().kv().freeBlocks()).isEqualTo(10);
    given.step();
    assertThat(given.plan()).schedulesOnly("c").announcesFinished("a", "b");
  }

  @Test
  void shouldKeepTheBlocksOfAnUnansweredStepUntilItIsAcknowledged() {
    final SchedulerFixture given = fixture().blocks(2).waiting("a", 8).waiting("b", 8).schedule();

    given.fail(BROKEN, BlockFence.HOLD);
    assertThat(given.driver().kv().quarantinedBlocks()).isEqualTo(2);

    given.schedule();
    assertThat(given.plan()).isEmpty();
    given.fail(BROKEN, BlockFence.HOLD);

    given.driver().scheduler().releaseFence(1);
    assertThat(given.driver().kv().quarantinedBlocks()).isZero();
    given.step();
    assertThat(given.plan()).schedulesOnly("b");
  }

  @Test
  void shouldReuseTheBlocksOfAnUnansweredStepAtOnceLikeVllm() {
    final SchedulerFixture given =
        fixture().likeVllm().blocks(2).waiting("a", 8).waiting("b", 8).schedule();

    given.fail(BROKEN, BlockFence.HOLD);
    given.step();

    assertThat(given.plan()).schedulesOnly("b");
  }

  @Test
  void shouldDropAnswersForRequestsThatAResetPutBackMeanwhile() {
    final SchedulerFixture given = twoDecoding().schedule();

    final boolean forgotten = given.reset(ResetScope.PREEMPT_RUNNING);
    given.update();

    assertThat(forgotten).as("the step out still writes their blocks").isFalse();
    assertThat(given.outputs("good")).as("one from the first step").hasSize(1);
    assertThat(given.waitingIds()).containsExactly("good", "bad");
    assertThat(given.ended("good")).isNull();
    given.step();
    assertThat(given.plan()).schedules("good", 1).schedules("bad", 1).startsAt("good", 4);
  }

  @Test
  void shouldForgetTheCacheInAStepLikeVllmAndDropItsAnswers() {
    final SchedulerFixture given =
        fixture().likeVllm().waiting("a", 4).waiting("b", 4).step().schedule();

    final boolean forgotten = given.reset(ResetScope.PREEMPT_RUNNING);
    given.update().step();

    assertThat(forgotten).isTrue();
    assertThat(given.plan()).schedules("a", 5).schedules("b", 5).startsAt("a", 0);
  }

  @Test
  void shouldNotFailRequestsForAStepFromBeforeTheirReset() {
    final SchedulerFixture given = twoDecoding().schedule();
    given.reset(ResetScope.PREEMPT_RUNNING);

    given.fail(BROKEN, BlockFence.RELEASE);

    assertThat(given.ended("good")).isNull();
    assertThat(given.ended("bad")).isNull();
    assertThat(given.waitingIds()).containsExactly("good", "bad");
  }

  @Test
  void shouldNotBelieveNonsenseAboutARequestThatAResetPutBack() {
    final SchedulerFixture given = twoDecoding().schedule();
    given.reset(ResetScope.PREEMPT_RUNNING);

    given.update(answeringBad(given, -5));

    assertThat(given.ended("bad")).isNull();
  }

  @Test
  void shouldIgnoreAnswersForARequestThatWasCancelledMeanwhile() {
    final SchedulerFixture given = twoDecoding().schedule();

    given.finish("bad", FinishReason.ABORTED);
    given.update();

    assertThat(given.ended("bad")).isEqualTo(Ended.with(FinishReason.ABORTED));
    assertThat(given.outputs("bad")).hasSize(1);
    assertGoodGoesOn(given);
  }

  @Test
  void shouldHoldTheBlocksOfARequestCancelledInAStepUntilTheUpdate() {
    final SchedulerFixture given = fixture().blocks(4).waiting("a", 8).schedule();

    given.finish("a", FinishReason.ABORTED);
    assertThat(given.driver().kv().freeBlocks()).isEqualTo(2);
    assertThat(given.driver().kv().quarantinedBlocks()).isEqualTo(2);

    given.update();
    assertThat(given.driver().kv().freeBlocks()).isEqualTo(4);
  }

  @Test
  void shouldEndARequestOnlyOnce() {
    final SchedulerFixture given = fixture().waiting("a", 4);

    assertThat(given.finish("a", FinishReason.ABORTED)).isTrue();
    assertThat(given.finish("a", FinishReason.DEADLINE)).isFalse();
    assertThat(given.ended("a")).isEqualTo(Ended.with(FinishReason.ABORTED));
    assertThat(given.log().of("finished"))
        .containsExactly("0: finished a ABORTED token=absent freed=0");
  }

  @Test
  void shouldCutNothingButTheStopOfAOneTokenAnswer() {
    final SchedulerFixture given =
        fixture().waiting(request("a", StopRule.maxTokens(1), text(1, 4))).schedule();

    given.update();

    assertThat(given.planOut().producedTokens(0)).isEqualTo(1);
  }

  @Test
  void shouldRefuseTheAnswerToAnotherStep() {
    final SchedulerFixture given = twoDecoding().schedule();
    final StepOutput wrong = new StepOutput();
    wrong.begin(9, 2);

    assertThatThrownBy(() -> given.driver().scheduler().complete(given.planOut(), wrong))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("output must answer the plan: stepId=9, size=2, plan.stepId=2, plan.size=2");

    given.update();
    assertThat(given.outputs("good")).as("the right answer is still welcome").hasSize(2);
  }

  @Test
  void shouldRefuseAnAnswerOfAnotherSize() {
    final SchedulerFixture given = twoDecoding().schedule();
    final StepOutput wrong = new StepOutput();
    wrong.begin(2, 3);

    assertThatThrownBy(() -> given.driver().scheduler().complete(given.planOut(), wrong))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("output must answer the plan: stepId=2, size=3, plan.stepId=2, plan.size=2");
  }

  @Test
  void shouldRefuseToPlanWhileAStepIsOut() {
    final SchedulerFixture given = twoDecoding().schedule();

    assertThatThrownBy(given::schedule)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "an earlier step must be completed or failed first: nextStepId=3, oldestStepId=2,"
                + " maxStepsInFlight=1");
  }

  @Test
  void shouldRefuseASecondAnswer() {
    final SchedulerFixture given = twoDecoding().step();

    assertThatThrownBy(given::update)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the plan must be the oldest that is out: stepId=2");
    assertThatThrownBy(() -> given.fail(BROKEN, BlockFence.RELEASE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the plan must be the oldest that is out: stepId=2");
  }

  @Test
  void shouldRefuseARequestOfAnotherScheduler() {
    final ContinuousBatchingScheduler scheduler = twoDecoding().driver().scheduler();
    final RequestView foreign = twoDecoding().view("good");
    final String message =
        "the request must be what add of this scheduler returned: id=good, number=0, class="
            + foreign.getClass().getName();

    assertThatThrownBy(() -> scheduler.finish(foreign, FinishReason.ABORTED, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> scheduler.proposeDrafts(foreign, new int[1], 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void shouldStampWhatAnAnswerCausesWithTheInstantOfTheAnswer() {
    final List<Long> endsNs = new ArrayList<>();
    final Probe ends =
        new Probe() {
          @Override
          public void onFinished(FinishedEvent event) {
            endsNs.add(event.atNs());
          }
        };
    final SchedulerFixture given =
        fixture().probe(ends).waiting(request("a", text(1, 4)).maxTokens(1)).schedule();

    given.update(
        (plan, output) -> {
          output.addToken(0, SchedulerFixture.TOKEN);
          output.availableAt(77);
        });

    assertThat(endsNs).containsExactly(77L);
  }

  private static SchedulerFixture twoDecoding() {
    return fixture().waiting("good", 4).waiting("bad", 4).step();
  }

  private static SyncDriver.Answer answeringBad(SchedulerFixture given, int... tokens) {
    return except(
        given,
        "bad",
        (plan, output) -> {
          for (int token : tokens) {
            output.addToken(entryOf(plan, "bad"), token);
          }
        });
  }

  /** Answers all as usual but one. */
  private static SyncDriver.Answer except(
      SchedulerFixture given, String id, SyncDriver.Answer answerForIt) {
    return (plan, output) -> {
      for (int entry = 0; entry < plan.size(); entry++) {
        if (plan.samples(entry) && !plan.request(entry).id().equals(id)) {
          output.addToken(entry, SchedulerFixture.TOKEN);
        }
      }
      answerForIt.fill(plan, output);
    };
  }

  private static int entryOf(StepPlan plan, String id) {
    for (int entry = 0; entry < plan.size(); entry++) {
      if (plan.request(entry).id().equals(id)) {
        return entry;
      }
    }
    throw new AssertionError("not in the plan: id=" + id);
  }

  private static void assertBadFailed(SchedulerFixture given, String message) {
    final int outputsBefore = given.plan().stepId() == 1 ? 0 : 1;
    assertThat(given.ended("bad").reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(given.ended("bad").cause())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(message);
    assertThat(given.outputs("bad")).as("nothing entered its state").hasSize(outputsBefore);
    assertGoodGoesOn(given);
  }

  private static void assertGoodGoesOn(SchedulerFixture given) {
    final int before = given.outputs("good").size();
    given.step();
    assertThat(given.ended("good")).isNull();
    assertThat(given.outputs("good")).hasSize(before + 1);
    assertThat(given.plan()).schedulesOnly("good").announcesFinished("bad");
  }
}
