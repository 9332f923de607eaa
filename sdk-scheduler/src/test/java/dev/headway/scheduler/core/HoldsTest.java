package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.ResetScope;
import dev.headway.scheduler.testing.SchedulerFixture;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that something outside the scheduler holds back. */
class HoldsTest {

  private final Hold grammar = hold(HoldReason.GRAMMAR);
  private final Hold adapter = hold(HoldReason.ADAPTER_LOADING);

  private static Hold hold(HoldReason reason) {
    return Hold.until(reason, new CompletableFuture<>());
  }

  private static Request.Builder prompt(int number) {
    return request("r" + number, text(number, 8));
  }

  @Test
  void shouldLetThoseBehindAHeldRequestPass() {
    final SchedulerFixture given =
        fixture().waiting(prompt(0).hold(grammar)).waiting(prompt(1)).waiting(prompt(2));

    given.schedule();

    assertThat(given.plan()).schedulesOnly("r1", "r2");
    assertThat(given.driver().scheduler().waitingCount()).isEqualTo(1);
    assertThat(given.view("r0").kvBlocks()).isZero();
  }

  @Test
  void shouldAdmitAReleasedRequestBeforeThoseThatCameLater() {
    final SchedulerFixture given =
        fixture().maxNumSeqs(1).waiting(prompt(0).hold(grammar)).waiting(prompt(1)).step();
    given.waiting(prompt(2)).release("r0", grammar);
    given.finish("r1", FinishReason.ABORTED);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("r0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fcfs", "priority", "policy"})
  void shouldKeepItsPlaceInTheQueue(String order) {
    final SchedulerFixture given =
        switch (order) {
          case "fcfs" -> fixture();
          case "priority" -> fixture().byPriority();
          default -> fixture().policies(byPromptTokens());
        };
    given.maxNumSeqs(1).running("long", 4);
    given.waiting(prompt(0).hold(grammar)).waiting(prompt(1)).waiting(prompt(2));
    given.release("r0", grammar).finish("long", FinishReason.ABORTED);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("r0");
  }

  private static Policies byPromptTokens() {
    return Policies.builder().order((StaticOrder) RequestView::promptTokens).build();
  }

  @Test
  void shouldNameTheFirstHoldThatIsNotOver() {
    final SchedulerFixture given =
        fixture().waiting(prompt(0).hold(grammar).hold(adapter)).schedule().update();

    given.release("r0", grammar).schedule().update();
    given.release("r0", adapter).schedule();

    assertThat(given.plan()).schedulesOnly("r0");
    assertThat(given.log().lines())
        .containsSubsequence(
            "0: blocked r0 GRAMMAR by - needed=0 free=0",
            "1: blocked r0 ADAPTER_LOADING by - needed=0 free=0",
            "2: unblocked r0");
  }

  @Test
  void shouldKeepTheReasonWhileALaterHoldEndsFirst() {
    final SchedulerFixture given = fixture().waiting(prompt(0).hold(grammar).hold(adapter));

    given.release("r0", adapter).schedule().update();

    assertThat(given.plan()).isEmpty();
    assertThat(given.log().lines()).noneMatch(line -> line.contains("ADAPTER_LOADING"));
  }

  @Test
  void shouldHaveNothingToDoWhileAllAreHeld() {
    final SchedulerFixture given = fixture().waiting(prompt(0).hold(grammar));

    assertThat(given.driver().scheduler().hasWork()).isFalse();
    given.release("r0", grammar);
    assertThat(given.driver().scheduler().hasWork()).isTrue();
  }

  @Test
  void shouldEndAHeldRequest() {
    final SchedulerFixture given = fixture().waiting(prompt(0).hold(grammar)).waiting(prompt(1));

    given.finish("r0", FinishReason.ABORTED);
    given.release("r0", grammar).schedule(); // too late

    assertThat(given.ended("r0").reason()).isEqualTo(FinishReason.ABORTED);
    assertThat(given.plan()).schedulesOnly("r1");
  }

  @Test
  void shouldNotHoldARequestAgainThatWasPreempted() {
    final SchedulerFixture given = fixture().waiting(prompt(0).hold(grammar));
    given.release("r0", grammar).step();
    given.reset(ResetScope.PREEMPT_RUNNING);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("r0");
  }

  @Test
  void shouldRefuseTheHoldOfAnother() {
    final SchedulerFixture given = fixture().waiting(prompt(0).hold(grammar)).waiting(prompt(1));

    assertThatThrownBy(() -> given.release("r1", grammar))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the hold must be one of the request's: id=r1, hold=Hold[reason=GRAMMAR, timeout=null]");
  }
}
