package dev.headway.scheduler.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random loads with groups of layers that forget: nobody ever builds on what is not there, however
 * steps overlap, fail or come too late, also where the block that a failed step was to write has
 * left the window of those who build on it.
 */
class SeveralGroupsTest {

  private static final int LOADS = 150;

  @ParameterizedTest
  @CsvSource({
    "full window, 0",
    "full window, 60",
    "full window, 20",
    "window, 0",
    "window, 60",
    "window, 20",
    "window window, 60",
    "chunks, 60",
    "full chunks, 60",
    "states, 60",
    "full states, 0",
    "full states, 60",
    "full states, 20",
    "full window states, 60"
  })
  void shouldNeverBuildOnWhatIsNotThere(String kinds, int oneStepInFails) {
    final long firstSeed = System.nanoTime();
    final RememberedLoads given =
        new RememberedLoads(random -> shape(random, kinds), 0, oneStepInFails);

    given.run(firstSeed, LOADS + LOADS / 3);

    final String done = given + ", firstSeed=" + firstSeed;
    assertThat(given.finished).as(done).isGreaterThan(LOADS);
    assertThat(given.preemptions).as(done).isGreaterThan(LOADS);
    assertThat(given.foundTokens).as(done).isGreaterThan(LOADS);
    assertThat(given.failures).as(done).isGreaterThanOrEqualTo(oneStepInFails > 0 ? LOADS : 0);
  }

  /** Loads that once failed: about one in 100,000 did. */
  @ParameterizedTest
  @CsvSource({
    "full states, 0, 10783505325479", // a copy of a block that its own step was to write
    "full states, 60, 13569552949243",
    "full states, 0, 13839397420365", // a step with copies and nothing to compute
    "full states, 60, 13869908492863"
  })
  void shouldNotFailAgain(String kinds, int oneStepInFails, long seed) {
    final RememberedLoads given =
        new RememberedLoads(random -> shape(random, kinds), 0, oneStepInFails);

    given.run(seed, 1);

    assertThat(given.finished).as(given + ", seed=" + seed).isPositive();
  }

  /** Room for the longest request, and for at most another one. */
  private static KvCacheShape shape(Random random, String kinds) {
    final int blockSize = 1 << random.nextInt(3);
    final boolean uniform = kinds.contains("chunks") || kinds.contains("states");
    final List<KvGroup> groups =
        Arrays.stream(kinds.split(" "))
            .map(kind -> group(random, kind, uniform ? blockSize : blockSize << random.nextInt(2)))
            .toList();
    final int longest =
        groups.stream().mapToInt(g -> 2 + RememberedLoads.MAX_MODEL_LEN / g.blockSize()).sum();
    return KvCacheShape.builder()
        .blockSize(blockSize)
        .blocks(1 + longest + random.nextInt(longest))
        .groups(groups)
        .build();
  }

  private static KvGroup group(Random random, String kind, int blockSize) {
    return switch (kind) {
      case "full" -> new KvGroup.FullAttention(blockSize);
      case "window" -> new KvGroup.SlidingWindow(blockSize, 1 + random.nextInt(12));
      case "chunks" -> new KvGroup.ChunkedLocal(blockSize, blockSize * (1 + random.nextInt(4)));
      case "states" -> new KvGroup.Mamba(blockSize, 0);
      default -> throw new IllegalArgumentException("no such kind: " + kind);
    };
  }
}
