package dev.headway.kvcache;

import static dev.headway.kvcache.KvFixture.text;
import static dev.headway.kvcache.KvFixture.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.DurationHistogram;
import dev.headway.api.kvcache.KvResidency;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long blocks stay: one block of content and one that is begun for each request. */
class BlockResidencyTest {

  private final KvFixture cache = KvFixture.cache().usableBlocks(4).residencySample(1);
  private int requests;

  private void serve(int number) {
    final String id = "serves " + requests++;
    cache.request(id, with(text(number, 1), 9));
    assertThat(cache.allocate(id)).isEqualTo(Allocation.Status.ALLOCATED);
    cache.release(id);
  }

  /** Takes every block once, for requests that leave no content. */
  private void takeAll() {
    final List<String> holding = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      final String id = "takes " + requests++;
      cache.requestThatSkipsTheCache(id, 1, 2);
      assertThat(cache.allocate(id)).isEqualTo(Allocation.Status.ALLOCATED);
      holding.add(id);
    }
    holding.forEach(cache::release);
  }

  private static List<Long> counted(DurationHistogram durations) {
    return List.of(durations.total(), durations.sumNs());
  }

  private static long seconds(long count) {
    return Duration.ofSeconds(count).toNanos();
  }

  @Test
  void shouldMeasureABlockWhenItIsTakenForOtherContent() {
    serve(1);
    for (int gap : new int[] {10, 3, 4, 5, 6}) {
      cache.wait(Duration.ofSeconds(gap));
      serve(1);
    }
    cache.wait(Duration.ofSeconds(7));
    final KvResidency before = cache.manager().residency();

    takeAll();

    final KvResidency residency = cache.manager().residency();
    assertThat(before.idleBeforeEviction().total())
        .as("blocks that were begun, taken again")
        .isEqualTo(5);
    assertThat(before.reuseGap().total()).isZero();
    assertThat(residency.lifetime().sumNs() - before.lifetime().sumNs())
        .as("35 s of the content, 7 s of the other")
        .isEqualTo(seconds(35 + 7));
    assertThat(residency.idleBeforeEviction().sumNs() - before.idleBeforeEviction().sumNs())
        .isEqualTo(seconds(7 + 7));
    assertThat(counted(residency.reuseGap()))
        .as("of the latest 4 of 5 hits")
        .containsExactly(3L, seconds(15));
  }

  @Test
  void shouldForgetWhatAResetForgets() {
    serve(1);
    cache.wait(Duration.ofSeconds(10));
    assertThat(cache.manager().reset()).isTrue();

    takeAll();

    assertThat(cache.manager().residency()).isEqualTo(KvResidency.NONE);
  }

  @Test
  void shouldMeasureNothingUnlessAsked() {
    final KvFixture plain = KvFixture.cache().usableBlocks(4);
    plain.request("a", with(text(1, 1), 9));
    plain.allocate("a");
    plain.release("a");

    assertThat(plain.manager().residency()).isSameAs(KvResidency.NONE);
  }

  @Test
  void shouldMeasureAboutTheShareThatIsAskedFor() {
    final long[] nowNs = {0};
    final BlockResidency residency = new BlockResidency(2, 0.01, () -> nowNs[0]);

    for (int i = 0; i < 100_000; i++) {
      nowNs[0]++;
      residency.taken(1);
    }

    assertThat(residency.snapshot().lifetime().total()).isBetween(900L, 1_100L);
  }

  @Test
  void shouldRefuseAShareThatIsNone() {
    assertThatThrownBy(() -> PrefixCacheOptions.builder().residencySample(1.5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("residencySample must be in [0, 1]: residencySample=1.5");
  }
}
