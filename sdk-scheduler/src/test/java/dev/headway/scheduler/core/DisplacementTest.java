package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SchedulerFixture;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** A waiting request takes a running one's place, and what else admissions have to look at. */
class DisplacementTest {

  private static final LoraAdapter ONE = new LoraAdapter(1, "one");
  private static final LoraAdapter OTHER = new LoraAdapter(2, "other");

  @Test
  void shouldTakeTheSeatOfALessImportantRequest() {
    final SchedulerFixture given =
        displacing()
            .maxNumSeqs(1)
            .running(request("low", text(0, 4)).priority(9))
            .waiting(request("high", text(1, 4)).priority(0));

    given.step();

    assertThat(given.plan()).schedulesOnly("high").preempts("low");
  }

  /** It would be in vain, and in every step again. */
  @Test
  void shouldNotDisplaceForARequestThatLacksMoreThanASeat() {
    final SchedulerFixture given =
        fixture()
            .byPriority()
            .settings(config -> config.displacement(Displacement.ON).maxLoras(1))
            .maxNumSeqs(1)
            .running(request("low", text(0, 4)).priority(9).lora(ONE))
            .waiting(request("high", text(1, 4)).priority(0).lora(OTHER));

    given.step();

    assertThat(given.plan()).schedulesOnly("low").preempts();
  }

  @Test
  void shouldNotBuildOnTheChunkThatItTookBack() {
    final SchedulerFixture given = victimBesideFiller(8, 2);
    given.waiting(request("high", text(1, 16)).priority(0));

    given.step();

    assertThat(given.plan()).preempts("victim").as("4 of 8 were computed").startsAt("high", 4);
  }

  /** The blocks it has hit are not computed once the victim's chunk is taken back. */
  @Test
  void shouldNotCountBlocksThatItHasFoundAmongThoseItGains() {
    final SchedulerFixture given = victimBesideFiller(4, 3);
    given.waiting(request("high", text(1, 16)).priority(0));

    given.step();

    assertThat(given.plan()).schedulesOnly("filler", "victim").preempts();
  }

  @Test
  void shouldNotTakeBackAChunkThatOthersBuildOn() {
    final SchedulerFixture given = victimBesideFiller(5, 4);
    given.waiting(request("sharer", text(1, 9)).priority(0));
    given.waiting(request("high", text(8, 4)).priority(0));

    given.step();

    assertThat(given.plan()).schedulesOnly("filler", "victim", "sharer").preempts();
    assertThat(given.plan()).startsAt("sharer", 8);
  }

  /**
   * The sharer finds the victim's block of this step in one group of layers. In the other it finds
   * the state that an earlier request has left, whose block in the first group was evicted.
   */
  @Test
  void shouldNotTakeBackAChunkThatOthersBuildOnInOneGroup() {
    final SchedulerFixture given =
        displacing()
            .groups(new KvGroup.FullAttention(4), new KvGroup.Mamba(4, 0))
            .settings(
                config ->
                    config
                        .displacement(Displacement.ON)
                        .pipeline(new PipelineOptions(AsyncScheduling.ENABLED, 4, ModelRunner.V2)))
            .blocks(12)
            .maxNumSeqs(3)
            .answers("victim", text(1, 4)[3])
            .running(request("victim", text(1, 3)).priority(9)) // decodes in each fourth step
            .running(request("earlier", text(1, 5)).maxTokens(1))
            .running(request("frees blocks", text(2, 16)).maxTokens(1))
            .running(request("evicts a block", text(3, 16)))
            .waiting(request("sharer", text(1, 5)).priority(0))
            .waiting(request("high", text(4, 4)).priority(0));

    given.step();

    assertThat(given.plan()).startsAt("sharer", 4).schedulesOnly("victim", "sharer").preempts();
  }

  /** vLLM counts the adapters of scheduled requests only, and admits beyond the limit. */
  @Test
  void shouldAdmitWhoseAdapterIsInUseBeyondTheLimitLikeVllm() {
    final SchedulerFixture given = twoStages().likeVllm();

    admitBesideAnUnscheduledRequest(given);

    assertThat(given.plan()).schedulesOnly("a", "b", "c");
  }

  /** A running request that no step schedules just now keeps its adapter. */
  @Test
  void shouldCountTheAdapterOfARunningRequestThatIsNotScheduled() {
    final SchedulerFixture given = twoStages();

    admitBesideAnUnscheduledRequest(given);

    assertThat(given.plan()).schedulesOnly("a");

    given.finish("a", FinishReason.ABORTED);
    given.step();

    assertThat(given.plan()).schedulesOnly("b", "c");
  }

  private static SchedulerFixture twoStages() {
    return fixture()
        .settings(
            config ->
                config
                    .maxLoras(1)
                    .pipeline(new PipelineOptions(AsyncScheduling.DISABLED, 2, ModelRunner.V1)));
  }

  private static void admitBesideAnUnscheduledRequest(SchedulerFixture given) {
    given.waiting(request("a", text(0, 4)).lora(ONE));
    final StepPlan first = given.schedule().planOut();
    final StepPlan second =
        given.waiting(request("b", text(1, 4)).lora(OTHER)).schedule().planOut();
    given.driver().update(first, given::answerAll);
    given.driver().update(second, given::answerAll);
    given.waiting(request("c", text(2, 4)).lora(OTHER));
    given.step();
  }

  /** Rejected drafts take computed tokens back: those that were never scheduled must not. */
  @Test
  void shouldNotGiveDraftsThatTheCapLeavesNoRoomFor() {
    final SchedulerFixture given =
        fixture()
            .settings(
                config -> config.speculation(SpeculationOptions.of(SpeculativeMethod.NGRAM, 2)))
            .longPrefillTokenThreshold(1)
            .running("a", 1)
            .waiting("b", 1);

    given.schedule();

    assertThat(given.plan()).schedules("b", 1);
    Assertions.assertThat(given.planOut().drafts().count(1)).isZero();
  }

  private static SchedulerFixture displacing() {
    return fixture().byPriority().settings(config -> config.displacement(Displacement.ON));
  }

  /** The next step gives the victim its second chunk and the filler its second block. */
  private static SchedulerFixture victimBesideFiller(int blocks, int seats) {
    return displacing()
        .blocks(blocks)
        .maxNumSeqs(seats)
        .withoutGate()
        .longPrefillTokenThreshold(4)
        .waiting(request("filler", text(7, 5)).priority(0))
        .running(request("victim", text(1, 16)).priority(9));
  }
}
