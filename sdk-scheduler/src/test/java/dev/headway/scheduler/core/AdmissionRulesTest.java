package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.LonePrefill;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SchedulerFixture;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is admitted beyond order, seats, tokens and blocks: adapters, displacement, caps, pauses. */
class AdmissionRulesTest {

  private static final StaticOrder SHORTEST_PROMPT = RequestView::promptTokens;

  /** The latest arrival first, of three at a time. */
  private static final DynamicOrder NEWEST_OF_THREE =
      new DynamicOrder() {
        @Override
        public int window() {
          return 3;
        }

        @Override
        public void score(Candidates candidates, double[] scores, StepView step) {
          for (int i = 0; i < candidates.size(); i++) {
            scores[i] = -candidates.request(i).number();
          }
        }
      };

  // -- LoRA adapters

  @Test
  void shouldPassOverARequestWhoseAdapterHasNoSeat() {
    final SchedulerFixture given =
        fixture()
            .settings(settings -> settings.maxLoras(1))
            .waiting(adapted("a1", 1))
            .waiting(adapted("b", 2))
            .waiting(adapted("a2", 1))
            .waiting("plain", 3);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("a1", "a2", "plain");
    assertThat(given.log().lines()).contains("1: blocked b MAX_LORAS by - needed=0 free=0");
  }

  @Test
  void shouldConsiderThosePassedOverFirstOnceASeatIsFree() {
    final SchedulerFixture given =
        fixture()
            .settings(settings -> settings.maxLoras(1))
            .maxNumSeqs(2)
            .waiting(adapted("a", 1))
            .waiting(adapted("b", 2))
            .step()
            .waiting("late", 3);
    given.finish("a", FinishReason.ABORTED);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("b", "late");
  }

  /** Its adapter is what it lacks, whatever else others lack; then it is what all lack. */
  @Test
  void shouldWaitForItsAdapterUntilThatIsPartOfAStep() {
    final SchedulerFixture given =
        fixture()
            .settings(settings -> settings.maxLoras(1))
            .maxNumSeqs(2)
            .waiting(adapted("a", 1))
            .waiting(adapted("b1", 2))
            .waiting(adapted("b2", 2))
            .waiting("plain", 3)
            .step()
            .waiting("late", 4)
            .step();
    assertThat(given.log().of("blocked"))
        .containsExactly(
            "1: blocked b1 MAX_LORAS by - needed=0 free=0",
            "1: blocked b2 MAX_LORAS by - needed=0 free=0");
    given.log().clear();
    given.finish("a", FinishReason.ABORTED);

    given.step();

    assertThat(given.plan()).schedulesOnly("plain", "b1");
    assertThat(given.log().waits()).containsExactly("3: unblocked b2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"arrival", "priority", "key", "scores"})
  void shouldLeaveNobodyWaitingWhoseAdapterHasASeat(String order) {
    final Random random = new Random(7);
    final SchedulerFixture given =
        fixture()
            .blocks(2_000)
            .maxNumSeqs(64)
            .maxNumBatchedTokens(8_192)
            .settings(settings -> settings.maxLoras(3));
    switch (order) {
      case "priority" -> given.byPriority();
      case "key" -> given.policies(Policies.builder().order(SHORTEST_PROMPT).build());
      case "scores" -> given.policies(Policies.builder().order(NEWEST_OF_THREE).build());
      default -> {}
    }
    final Map<String, Integer> adapters = new HashMap<>();
    for (int step = 0; step < 400; step++) {
      for (int i = random.nextInt(4); i > 0; i--) {
        final String id = "r" + adapters.size();
        final int adapter = 1 + random.nextInt(12);
        adapters.put(id, adapter);
        given.waiting(adapted(id, adapter).priority(random.nextInt(3)));
      }
      final List<String> running = given.runningIds();
      if (!running.isEmpty()) {
        given.finish(running.get(random.nextInt(running.size())), FinishReason.ABORTED);
      }

      given.step();

      final Set<Integer> seated = new HashSet<>();
      given.runningIds().forEach(id -> seated.add(adapters.get(id)));
      assertThat(seated).hasSizeLessThanOrEqualTo(3);
      final List<String> waiting = given.waitingIds();
      given.driver().scheduler().inspect().forEachPassedOver(request -> waiting.add(request.id()));
      assertThat(waiting)
          .as("order=%s, step=%d, seated=%s", order, step, seated)
          .allMatch(id -> seated.size() == 3 && !seated.contains(adapters.get(id)));
    }
  }

  @Test
  void shouldShareNoPrefixBetweenAdapters() {
    final SchedulerFixture given = fixture().running(adapted("a", 1)).waiting(adapted("b", 2));

    given.schedule();

    assertThat(given.plan()).startsAt("b", 0);
  }

  // -- displacement

  @Test
  void shouldGiveTheSeatOfTheLeastImportantToAMoreImportantRequest() {
    final SchedulerFixture given =
        displacing(Displacement.ON)
            .maxNumSeqs(2)
            .running(ranked("five", 5))
            .running(ranked("nine", 9))
            .waiting(ranked("one", 1));

    given.schedule();

    assertThat(given.plan()).schedulesOnly("five", "one").preempts("nine");
    assertThat(given.log().lines()).anyMatch(line -> line.contains("nine DISPLACED for one"));
  }

  @Test
  void shouldNotDisplaceAnEqual() {
    final SchedulerFixture given =
        displacing(Displacement.ON)
            .maxNumSeqs(1)
            .running(ranked("first", 3))
            .waiting(ranked("second", 3));

    given.schedule();

    assertThat(given.plan()).schedulesOnly("first").preempts();
  }

  @Test
  void shouldKeepTheGapThatDisplacementDemands() {
    final SchedulerFixture given =
        displacing(new Displacement(Displacement.Mode.ON, 10, 0))
            .maxNumSeqs(1)
            .running(ranked("nine", 9))
            .waiting(ranked("zero", 0));

    given.schedule();

    assertThat(given.plan()).schedulesOnly("nine");
  }

  @Test
  void shouldLetARequestRunForItsStepsBeforeItIsDisplaced() {
    final SchedulerFixture given =
        displacing(new Displacement(Displacement.Mode.ON, 1, 3))
            .maxNumSeqs(1)
            .running(ranked("nine", 9)) // admitted by step 1
            .waiting(ranked("zero", 0));

    given.schedule();
    assertThat(given.plan()).schedulesOnly("nine");
    given.update().schedule();
    assertThat(given.plan()).schedulesOnly("nine");
    given.update().schedule();

    assertThat(given.plan()).schedulesOnly("zero").preempts("nine");
  }

  @Test
  void shouldTakeTheBlocksOfTheLessImportant() {
    final SchedulerFixture given =
        displacing(Displacement.ON)
            .blocks(4)
            .withoutCaching()
            .running(ranked("nine", 9, 11))
            .waiting(ranked("zero", 0, 7));

    given.schedule();

    assertThat(given.plan()).schedulesOnly("zero").preempts("nine");
  }

  @Test
  void shouldDisplaceNobodyInVain() {
    final SchedulerFixture given =
        displacing(Displacement.ON)
            .blocks(6)
            .withoutCaching()
            .running(ranked("zero", 0, 11)) // 3 blocks that nobody takes
            .running(ranked("nine", 9, 3)) // 1 block
            .waiting(ranked("one", 1, 15)); // needs 4; 2 are free

    given.schedule();

    assertThat(given.plan()).schedulesOnly("zero", "nine").preempts();
  }

  // -- caps

  @Test
  void shouldAdmitNoMoreThanMayBeActive() {
    final SchedulerFixture given =
        fixture()
            .settings(settings -> settings.maxNumActiveSeqs(2))
            .waiting("a", 3)
            .waiting("b", 3)
            .waiting("c", 3);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("a", "b");
    assertThat(given.log().lines()).contains("1: closed MAX_NUM_ACTIVE_SEQS by -");
  }

  @Test
  void shouldGiveALoneRequestTheWholeBudgetIfToldSo() {
    final SchedulerFixture given =
        fixture()
            .longPrefillTokenThreshold(5)
            .settings(settings -> settings.lonePrefill(LonePrefill.UNCAPPED))
            .waiting("alone", 20);

    given.schedule();
    assertThat(given.plan()).schedules("alone", 20);
    given.update().waiting("a", 20).waiting("b", 20).schedule();

    assertThat(given.plan()).schedules("a", 5).schedules("b", 5);
  }

  @Test
  void shouldChargeDraftSlotsOfThoseWhoDecodeWithoutDrafts() {
    final SchedulerFixture given =
        fixture()
            .blockTokens(16)
            .maxNumSeqs(4)
            .maxNumBatchedTokens(4) // two entries of one token and one slot each
            .settings(
                settings ->
                    settings
                        .speculation(SpeculationOptions.of(SpeculativeMethod.DRAFT_MODEL, 2))
                        .pipeline(new PipelineOptions(AsyncScheduling.DISABLED, 2, ModelRunner.V1)))
            .waiting("a", 1)
            .waiting("b", 1)
            .waiting("c", 1)
            .waiting("d", 1);
    final StepPlan first = given.driver().schedule();
    final StepPlan second = given.driver().schedule(); // the first two are out

    given.driver().update(first, given::answerAll);
    given.driver().update(second, given::answerAll);
    given.schedule();

    assertThat(given.runningIds()).containsExactly("a", "b", "c", "d");
    assertThat(given.plan()).schedulesOnly("a", "b");
  }

  // -- pauses

  @Test
  void shouldAdmitNobodyWhileAdmissionsArePaused() {
    final SchedulerFixture given = fixture().running("runs", 3).waiting("waits", 3);
    given.driver().scheduler().setPauseState(PauseState.NO_ADMISSIONS);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("runs");
    assertThat(given.driver().scheduler().inspect().unfinishedCount()).isEqualTo(1);
    assertThat(given.log().lines()).contains("2: closed PAUSED by -");
  }

  @Test
  void shouldScheduleNobodyWhilePausedAndGoOnAfterwards() {
    final SchedulerFixture given = fixture().running("runs", 3);
    given.driver().scheduler().setPauseState(PauseState.PAUSED);

    given.step();
    assertThat(given.plan()).isEmpty();
    given.driver().scheduler().setPauseState(PauseState.RUNNING);
    given.schedule();

    assertThat(given.plan()).schedulesOnly("runs");
  }

  private static SchedulerFixture displacing(Displacement displacement) {
    return fixture().byPriority().settings(settings -> settings.displacement(displacement));
  }

  private static Request.Builder adapted(String id, int adapter) {
    return request(id, text(7, 9)).lora(new LoraAdapter(adapter, "adapter-" + adapter));
  }

  private static Request.Builder ranked(String id, int priority) {
    return ranked(id, priority, 3);
  }

  private static Request.Builder ranked(String id, int priority, int promptTokens) {
    return request(id, text(priority, promptTokens)).priority(priority);
  }
}
