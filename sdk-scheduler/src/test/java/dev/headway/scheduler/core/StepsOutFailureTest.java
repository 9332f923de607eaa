package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SchedulerFixture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Failures while later steps are out, and who else stands on what was to be computed. */
class StepsOutFailureTest {

  private static final IllegalStateException BROKEN = new IllegalStateException("broken");

  @Test
  void shouldEndARequestOnceThatIsInALaterStepToo() {
    final SchedulerFixture given = ahead().waiting("a", 4);
    final StepPlan first = given.schedule().planOut();
    given.schedule();
    assertThat(given.plan()).schedulesOnly("a");

    given.driver().update(first, (plan, output) -> output.fail(0, BROKEN));

    assertThat(given.ended("a").reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(given.driver().scheduler().stats().finished()).isEqualTo(1);
  }

  @Test
  void shouldFailThoseInLaterStepsWhoShareBlocksOfAStepThatFailedAsAWhole() {
    final SchedulerFixture given = ahead().waiting(request("a", text(1, 9)));
    final StepPlan first = given.schedule().planOut();
    given.waiting(request("sharer", text(1, 9))).waiting(request("other", text(2, 9))).schedule();
    assertThat(given.plan()).startsAt("sharer", 8);

    given.driver().scheduler().fail(first, BROKEN, BlockFence.RELEASE);

    assertThat(given.ended("a").reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(given.ended("sharer").reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(given.ended("other")).isNull();
  }

  /** The sharer has the first block of a twin, and only the second one of the failed request. */
  @Test
  void shouldFailThoseWhoShareALaterBlockOnly() {
    final SchedulerFixture given =
        fixture()
            .waiting(request("twin", text(1, 5)))
            .waiting(request("failing", text(1, 9)).prefixReuse(PrefixReuse.SKIPPED))
            .waiting(request("sharer", text(1, 9)))
            .schedule();
    assertThat(given.plan()).startsAt("failing", 0).startsAt("sharer", 8);

    given.update(
        (plan, output) -> {
          output.addToken(0, 5);
          output.fail(1, BROKEN);
          output.addToken(2, 5);
        });

    assertThat(given.ended("sharer").reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(given.ended("twin")).isNull();
  }

  /** The second step ends the block that the first one has begun, for a request that is gone. */
  @Test
  void shouldFailThoseWhoFoundABlockThatTheFailedStepHasBegun() {
    final SchedulerFixture given = fourOut(config -> config).waiting(request("gone", text(1, 9)));
    final StepPlan first = given.schedule().planOut();
    given.schedule();
    given.finish("gone", FinishReason.ABORTED);
    given.waiting(request("sharer", text(1, 9))).waiting(request("other", text(2, 9))).schedule();
    assertThat(given.plan()).startsAt("sharer", 4).startsAt("other", 0);

    given.driver().scheduler().fail(first, BROKEN, BlockFence.RELEASE);

    assertThat(given.ended("sharer").reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(given.ended("other")).isNull();
  }

  /** The sharer's window begins behind the block of the step that fails. */
  @Test
  void shouldFailThoseWhoFoundOnlyWhatWasToFollow() {
    final SchedulerFixture given =
        fourOut(
                config ->
                    config.prefixCache(
                        PrefixCacheOptions.builder().retention(PrefixRetention.DENSE).build()))
            .groups(new KvGroup.SlidingWindow(4, 4), new KvGroup.SlidingWindow(4, 3))
            .longPrefillTokenThreshold(4)
            .waiting(request("gone", text(1, 9)));
    final StepPlan first = given.schedule().planOut();
    given.schedule();
    given.finish("gone", FinishReason.ABORTED);
    given.waiting(request("sharer", text(1, 9))).waiting(request("other", text(2, 9))).schedule();
    assertThat(given.plan()).startsAt("sharer", 8).startsAt("other", 0);

    given.driver().update(first, (plan, output) -> output.fail(0, BROKEN));

    assertThat(given.ended("sharer").reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(given.ended("other")).isNull();
  }

  private static SchedulerFixture fourOut(UnaryOperator<SchedulerConfig.Builder> more) {
    final PipelineOptions pipeline =
        new PipelineOptions(AsyncScheduling.DISABLED, 4, ModelRunner.V1);
    return fixture()
        .settings(config -> more.apply(config.pipeline(pipeline)))
        .longPrefillTokenThreshold(2);
  }

  private static SchedulerFixture ahead() {
    return fixture().settings(config -> config.pipeline(PipelineOptions.ASYNC));
  }
}
