package dev.headway.scheduler.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
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

  /** Room for the longest request, and for at most another one. */
  private static KvCacheShape shape(Random random) {
    final int blockSize = 1 << random.nextInt(3);
    final int longest = (RememberedLoads.MAX_MODEL_LEN + blockSize - 1) / blockSize;
    return new KvCacheShape(blockSize, 1 + longest + random.nextInt(longest), 0);
  }
}
