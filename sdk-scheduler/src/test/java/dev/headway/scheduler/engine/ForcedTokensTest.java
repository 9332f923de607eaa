package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.LIMITS;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.ResetScope;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests whose outputs are given beforehand, beside others. */
class ForcedTokensTest {

  private static final int[] GIVEN = IntStream.range(0, 20).map(i -> 7 * i + 1).toArray();

  /** What steps are made of. */
  enum Way {
    PLAIN,
    AHEAD,
    DRAFTS,
    DRAFTS_AHEAD
  }

  private static Engine engine(Way way) {
    final boolean drafts = way == Way.DRAFTS || way == Way.DRAFTS_AHEAD;
    final boolean ahead = way == Way.AHEAD || way == Way.DRAFTS_AHEAD;
    final SchedulerConfig.Builder config = SchedulerConfig.builder(LIMITS);
    if (drafts) {
      config.speculation(SpeculationOptions.of(SpeculativeMethod.NGRAM, 3));
    }
    if (ahead) {
      config.pipeline(PipelineOptions.ASYNC);
    }
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(65).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .maxStepsInFlight(ahead ? 2 : 1)
            .build();
    return HeadwayEngine.builder(new SimulatedExecutor(shape, features -> 1_000, clock, 1, 0.7))
        .config(config.build())
        .clock(clock)
        .build();
  }

  private static Request forced(String id) {
    return Request.builder(id, 1, 2, 3, 4, 5).forcedTokens(GIVEN).build();
  }

  @ParameterizedTest
  @EnumSource
  void shouldHaveTheGivenOutputsAndEndWithThem(Way way) {
    final Engine engine = engine(way);
    final RequestHandle free = engine.submit(prompt("free", 9, 30));
    final RequestHandle forced = engine.submit(forced("forced"));

    stepUntilIdle(engine);

    assertThat(finished(forced).outputTokenIds()).isEqualTo(GIVEN);
    assertThat(endOf(forced)).isEqualTo("LENGTH/20");
    assertThat(endOf(free)).isEqualTo("LENGTH/30");
  }

  @ParameterizedTest
  @EnumSource
  void shouldGoOnWithTheGivenOutputsAfterAPreemption(Way way) {
    final Engine engine = engine(way);
    final RequestHandle forced = engine.submit(forced("forced"));
    for (int i = 0; i < 6; i++) {
      engine.step();
    }
    engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING);

    stepUntilIdle(engine);

    assertThat(finished(forced).preemptions()).isEqualTo(1);
    assertThat(finished(forced).outputTokenIds()).isEqualTo(GIVEN);
  }

  @Test
  void shouldShareThePrefixOfOneThatRanBefore() {
    final Engine engine = engine(Way.PLAIN);
    final RequestHandle first = engine.submit(forced("first"));
    stepUntilIdle(engine);
    final RequestHandle second = engine.submit(forced("second"));
    stepUntilIdle(engine);

    assertThat(engine.stats().scheduler().prefixHitTokens()).isEqualTo(4);
    assertThat(finished(second).outputTokenIds()).isEqualTo(finished(first).outputTokenIds());
  }

  @Test
  void shouldEndEarlierWhereItsStopRuleSays() {
    final Engine engine = engine(Way.PLAIN);
    final StopRule rule = StopRule.maxTokens(10);
    final RequestHandle shorter =
        engine.submit(Request.builder("shorter", 1, 2).stopRule(rule).forcedTokens(GIVEN).build());
    final RequestHandle stopped =
        engine.submit(
            Request.builder("stopped", 1, 3)
                .stopRule(rule.withStopTokenIds(GIVEN[4]))
                .forcedTokens(GIVEN)
                .build());

    stepUntilIdle(engine);

    assertThat(endOf(shorter)).isEqualTo("LENGTH/10");
    assertThat(endOf(stopped)).isEqualTo("STOP/5");
  }

  @Test
  void shouldEndARequestWhoseExecutorAnswersAnotherToken() {
    final Engine engine = Engines.engine(executor()); // looks at no constraint
    final RequestHandle forced = engine.submit(forced("forced"));

    stepUntilIdle(engine);

    assertThat(endOf(forced)).isEqualTo("GRAMMAR_REFUSED/1");
  }

  @Test
  void shouldRejectTokensThatTheVocabularyDoesNotHave() {
    final RequestHandle forced =
        engine(Way.PLAIN).submit(Request.builder("a", 1).forcedTokens(3, 1_000).build());

    assertThat(Engines.rejected(forced).message())
        .isEqualTo(
            "forced token ids must be in [0, vocabularySize): id=a, tokenId=1000,"
                + " vocabularySize=1000");
  }

  @Test
  void shouldRefuseAStopRuleBeyondTheGivenOutputs() {
    assertThatThrownBy(() -> Request.builder("a", 1).maxTokens(3).forcedTokens(5, 6).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "forcedTokens must be as many as the stop rule allows: id=a, forcedTokens=2,"
                + " maxTokens=3");
  }
}
