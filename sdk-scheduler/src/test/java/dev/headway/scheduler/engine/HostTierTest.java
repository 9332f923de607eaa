package dev.headway.scheduler.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.Policies;
import dev.headway.api.request.Request;
import dev.headway.scheduler.time.VirtualClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random loads with one group of layers, with a host tier behind the device and without: nobody
 * ever builds on what is not there, however steps overlap, fail or come too late.
 */
class HostTierTest {

  private static final int LOADS = 60;

  @ParameterizedTest
  @CsvSource({"200, 0", "200, 60", "6, 0", "6, 60", "1, 20", "0, 0", "0, 60", "0, 20"})
  void shouldNeverBuildOnWhatIsNotThere(int hostBlocks, int oneStepInFails) {
    final long firstSeed = System.nanoTime();
    final RememberedLoads given =
        new RememberedLoads(HostTierTest::shape, hostBlocks, oneStepInFails);

    given.run(firstSeed, LOADS);

    final String done = given + ", firstSeed=" + firstSeed;
    assertThat(given.finished).as(done).isGreaterThan(LOADS);
    assertThat(given.preemptions).as(done).isGreaterThan(LOADS);
    assertThat(given.saves).as(done).isGreaterThanOrEqualTo(hostBlocks > 0 ? LOADS : 0);
    assertThat(given.loads).as(done).isGreaterThanOrEqualTo(hostBlocks > 1 ? LOADS : 0);
    assertThat(given.failures).as(done).isGreaterThanOrEqualTo(oneStepInFails > 0 ? LOADS : 0);
    if (hostBlocks == 0) {
      assertThat(given.saves + given.loads).as(done).isZero();
    }
  }

  /**
   * In its second step "first" takes a block that "early" has left and is preempted for "needy",
   * which still lacks a block and is preempted as well.
   */
  @Test
  void shouldSubmitAStepThatOnlySaves() {
    final RememberingExecutor executor =
        new RememberingExecutor(
            ExecutorShape.builder()
                .kvCache(KvCacheShape.builder().blockSize(4).blocks(7).build())
                .maxNumSeqs(6)
                .vocabularySize(50)
                .maxStepsInFlight(2)
                .hostBlocks(8)
                .build(),
            new Random(1),
            0);
    final EngineBuilder builder =
        HeadwayEngine.builder(executor)
            .clock(new VirtualClock())
            .policies(Policies.builder().victim((needy, needed, step) -> 0).build())
            .config(
                SchedulerConfig.builder(
                        SchedulerLimits.builder()
                            .maxNumSeqs(6)
                            .maxNumBatchedTokens(32)
                            .maxModelLen(24)
                            .build())
                    .kvOffload(new KvOffloadOptions(8))
                    .longPrefillTokenThreshold(12)
                    .admission(new AdmissionOptions(FullSequenceGate.NEXT_CHUNK, 0))
                    .build());
    try (Engine engine = builder.build()) {
      final RequestHandle early = engine.submit(request("early", 4, 40, 1).build());
      Engines.stepUntilIdle(engine);
      final List<RequestHandle> handles = new ArrayList<>(List.of(early));
      handles.add(engine.submit(request("first", 4, 9, 3).build()));
      handles.add(engine.submit(request("needy", 23, 1, 1).build()));
      handles.add(engine.submit(request("last", 3, 30, 2).build()));
      engine.step();
      assertThat(executor.saves).isZero();

      engine.step(); // the first takes early's block, then it and the needy one give way

      assertThat(executor.emptyStepsWithTransfers).isEqualTo(1);
      assertThat(executor.saves).isEqualTo(1);
      Engines.stepUntilIdle(engine);
      assertThat(handles)
          .extracting(Engines::endOf)
          .containsExactly("LENGTH/1", "LENGTH/3", "LENGTH/1", "LENGTH/2");
    }
    assertThat(executor.unsoundEntries).isZero();
  }

  @Test
  void shouldRefuseAHostTierTheExecutorDoesNotHave() {
    final EngineBuilder builder =
        Engines.builder(Engines.executor())
            .config(
                SchedulerConfig.builder(Engines.LIMITS).kvOffload(new KvOffloadOptions(3)).build());

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "hostBlocks must be <= the executor's, which has to save and load them: hostBlocks=3,"
                + " executor.hostBlocks=0");
  }

  private static Request.Builder request(String id, int tokens, int firstToken, int outputs) {
    final int[] prompt = new int[tokens];
    Arrays.setAll(prompt, i -> (firstToken + i) % 50);
    return Request.builder(id, prompt).maxTokens(outputs);
  }

  /** Room for the longest request, and for at most another one. */
  private static KvCacheShape shape(Random random) {
    final int blockSize = 1 << random.nextInt(3);
    final int longest = (RememberedLoads.MAX_MODEL_LEN + blockSize - 1) / blockSize;
    return KvCacheShape.builder()
        .blockSize(blockSize)
        .blocks(1 + longest + random.nextInt(longest))
        .build();
  }
}
