package dev.headway.scheduler.liveness;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicySpec;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.testing.SchedulerFixture;
import dev.headway.scheduler.time.VirtualClock;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every request ends, whatever policies answer: the cases in which some did not, one by one. */
class ProgressLawTest {

  private static final int REQUESTS = 12;
  private static final int SEEDS = 20;

  /** Three times the worst that was measured. */
  private static final int MOST_STEPS = 5_000;

  /**
   * Twelve requests on 32 blocks: each resumed one was preempted before it was where it had been.
   */
  static Stream<Arguments> loads() {
    return Stream.of(
        Arguments.of("most-kv", FullSequenceGate.NEXT_CHUNK, 5, Displacement.OFF),
        Arguments.of("most-kv", FullSequenceGate.NEXT_CHUNK, 16, Displacement.OFF),
        Arguments.of("cost-aware", FullSequenceGate.NEXT_CHUNK, 5, Displacement.OFF),
        Arguments.of("most-kv", FullSequenceGate.NEXT_CHUNK, 6, Displacement.ON),
        Arguments.of("most-kv", FullSequenceGate.WHOLE_SEQUENCE, 6, Displacement.ON),
        Arguments.of("cost-aware", FullSequenceGate.NEXT_CHUNK, 6, Displacement.ON),
        Arguments.of("cost-aware", FullSequenceGate.WHOLE_SEQUENCE, 6, Displacement.ON),
        Arguments.of("least-slack+most-kv", FullSequenceGate.NEXT_CHUNK, 6, Displacement.ON),
        Arguments.of("least-slack+most-kv", FullSequenceGate.WHOLE_SEQUENCE, 6, Displacement.ON));
  }

  @ParameterizedTest
  @MethodSource("loads")
  void shouldLetAllEndWhoeverIsPreempted(
      String policies, FullSequenceGate gate, int threshold, Displacement displacement) {
    for (int seed = 0; seed < SEEDS; seed++) {
      try (Engine given = crowded(policies, gate, threshold, displacement, seed)) {
        for (int step = 0; step < MOST_STEPS && given.stats().finished() < REQUESTS; step++) {
          given.step();
        }

        assertThat(given.stats().finished())
            .as("%s, %s, threshold=%d, seed=%d", policies, gate, threshold, seed)
            .isEqualTo(REQUESTS);
      }
    }
  }

  /** The policy always takes the first that was added, the default the last that was admitted. */
  @Test
  void shouldNotPreemptARequestThatIsNotYetWhereItWas() {
    final VictimPolicy alwaysA =
        (needy, needed, step) -> {
          int index = 0;
          while (!step.running(index).id().equals("a")) {
            index++;
          }
          return index;
        };
    final SchedulerFixture given =
        fixture()
            .policies(Policies.builder().victim(alwaysA).build())
            .withoutCaching()
            .withoutGate()
            .longPrefillTokenThreshold(2)
            .blocks(5)
            .waiting("a", 6)
            .waiting("b", 3)
            .steps(8);
    assertThat(given.plan()).as("a had computed 10 tokens").preempts("a");
    given.waiting("c", 2).steps(2);
    assertThat(given.runningIds()).isEqualTo(List.of("b", "a", "c"));

    given.step();

    assertThat(given.plan()).as("a has computed 4 tokens of 10").preempts("c");
  }

  @Test
  void shouldPreemptForAStalledRequestIfTheOthersMayNotCompute() {
    final VictimPolicy nobody = (needy, needed, step) -> VictimPolicy.STALL;
    final SchedulerFixture given =
        fixture()
            .policies(Policies.builder().victim(nobody).build())
            .withoutCaching()
            .withoutGate()
            .longPrefillTokenThreshold(4)
            .blocks(3)
            .running("decodes", 4)
            .waiting("prompt", 8)
            .step();
    for (int i = 0; i < 3; i++) {
      given.scheduleThrottled().update();
    }

    given.scheduleThrottled();

    assertThat(given.plan()).preempts("prompt").schedulesOnly("decodes");
  }

  /** One token of the prompt can never be computed while a drafting module lacks the next. */
  @Test
  void shouldNotBelieveAChunkThatCannotEndAnywhere() {
    final SchedulerFixture given =
        fixture()
            .policies(Policies.builder().chunking((request, wanted, step) -> 1).build())
            .settings(
                config -> config.speculation(SpeculationOptions.of(SpeculativeMethod.MTP_MULTI, 3)))
            .waiting("a", 3);

    given.schedule();

    assertThat(given.plan()).schedules("a", 3);
  }

  @Test
  void shouldNotBelieveABudgetThatNoPromptFitsInto() {
    final SchedulerFixture given =
        fixture()
            .policies(Policies.builder().budget(step -> 4).build())
            .withoutChunkedPrefill()
            .waiting("a", 9);

    given.step();
    assertThat(given.plan()).isEmpty();
    given.step();

    assertThat(given.plan()).schedules("a", 9);
  }

  @Test
  void shouldBelieveABudgetAgainOnceSomethingIsComputed() {
    final SchedulerFixture given =
        fixture()
            .policies(Policies.builder().budget(step -> 1).build())
            .withoutChunkedPrefill()
            .waiting("a", 9)
            .waiting("b", 1);
    given.steps(2);
    assertThat(given.plan()).schedulesOnly("a", "b");

    given.step();

    assertThat(given.plan()).schedulesOnly("a");
  }

  @Test
  void shouldNotDisplaceForASeatWhenBlocksWouldStillBeMissing() {
    final SchedulerFixture given =
        displacing()
            .maxNumSeqs(2)
            .blocks(6)
            .running(request("hog", text(0, 12)).priority(0))
            .running(request("low", text(1, 3)).priority(9))
            .waiting(request("high", text(2, 16)).priority(1));

    given.step();

    assertThat(given.plan()).schedulesOnly("hog", "low").preempts();
  }

  @Test
  void shouldNotDisplaceForBlocksThatOthersHoldToo() {
    final SchedulerFixture given =
        displacing()
            .blocks(6)
            .running(request("keeper", text(1, 13)).priority(0))
            .running(request("sharer", text(1, 13)).priority(9))
            .waiting(request("high", text(2, 12)).priority(1));

    given.step();

    assertThat(given.plan()).as("three of its four blocks would stay").preempts();
  }

  @Test
  void shouldNotDisplaceForARequestThatTheGateDefers() {
    final AdmissionGate defers =
        (request, step) ->
            request.id().equals("high") ? AdmissionGate.Verdict.DEFER : AdmissionGate.Verdict.ADMIT;
    final SchedulerFixture given =
        displacing()
            .policies(Policies.builder().gate(defers).build())
            .maxNumSeqs(1)
            .running(request("low", text(1, 3)).priority(9))
            .waiting(request("high", text(2, 4)).priority(1));

    given.step();

    assertThat(given.plan()).schedulesOnly("low").preempts();
  }

  /** Its chunk is taken back, and that must not let the other ask for more than there is. */
  @Test
  void shouldSeatTheRequestThatItDisplacesFor() {
    final SchedulerFixture given =
        displacing()
            .withoutCaching()
            .withoutGate()
            .maxNumSeqs(2)
            .maxNumBatchedTokens(6)
            .blocks(3)
            .waiting(request("hog", text(0, 5)).priority(0))
            .running(request("low", text(1, 4)).priority(9))
            .waiting(request("high", text(2, 12)).priority(1));

    given.step();

    assertThat(given.plan()).preempts("low").as("5 tokens are left, for 2 blocks");
    assertThat(given.plan()).schedulesOnly("hog", "high").schedules("high", 2);
  }

  /** The order takes both in turn; the cache promises blocks that another request holds too. */
  @Test
  void shouldDisplaceInVainOnceEvenWhereTheCacheCountsWrong() {
    final DynamicOrder inTurn =
        (candidates, scores, step) -> {
          for (int i = 0; i < candidates.size(); i++) {
            scores[i] =
                (step.stepId() % 2 == 0) == candidates.request(i).id().equals("low") ? 0 : 1;
          }
        };
    final SchedulerFixture given =
        displacing()
            .policies(Policies.builder().order(inTurn).build())
            .kvCache(ProgressLawTest::promisingTooMuch)
            .maxNumSeqs(2)
            .blocks(12)
            .running(request("hog", text(1, 20)).priority(0))
            .running(request("low", text(1, 20)).priority(9))
            .waiting(request("high", text(2, 32)).priority(1));

    given.steps(6);

    assertThat(given.view("low").preemptions()).isEqualTo(1);
    assertThat(given.runningIds()).isEqualTo(List.of("hog", "low"));
  }

  private static KvCacheManager promisingTooMuch(KvCacheManager sound) {
    return (KvCacheManager)
        Proxy.newProxyInstance(
            ProgressLawTest.class.getClassLoader(),
            new Class<?>[] {KvCacheManager.class},
            (proxy, method, arguments) ->
                method.getName().equals("blocksGained") ? 100 : method.invoke(sound, arguments));
  }

  private static SchedulerFixture displacing() {
    return fixture().byPriority().settings(config -> config.displacement(Displacement.ON));
  }

  private static Engine crowded(
      String policies, FullSequenceGate gate, int threshold, Displacement displacement, int seed) {
    final Random random = new Random(seed);
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(33).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final boolean displaces = displacement.mode() == Displacement.Mode.ON;
    final SchedulerConfig config =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(256)
                    .build())
            .longPrefillTokenThreshold(threshold)
            .prefixCache(PrefixCacheOptions.disabled())
            .queuePolicy(displaces ? QueuePolicy.PRIORITY : QueuePolicy.FCFS)
            .displacement(displacement)
            .admission(new AdmissionOptions(gate, 0.0))
            .build();
    final EngineBuilder builder =
        HeadwayEngine.builder(
                new SimulatedExecutor(shape, LinearLatencyModel.LLAMA_3_1_8B_ON_H100, clock, 1))
            .config(config)
            .clock(clock);
    PolicySpec.parse(policies).forEach(builder::policy);
    final Engine engine = builder.build();
    for (int i = 0; i < REQUESTS; i++) {
      final int[] prompt = random.ints(60 + random.nextInt(140), 0, 1_000).toArray();
      engine.submit(
          Request.builder("r" + i, prompt)
              .priority(displaces ? random.nextInt(3) : 0)
              .maxTokens(20 + random.nextInt(36))
              .build());
    }
    return engine;
  }
}
