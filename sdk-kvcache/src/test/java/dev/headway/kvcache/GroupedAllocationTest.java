package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.full;
import static dev.headway.kvcache.GroupedFixture.states;
import static dev.headway.kvcache.GroupedFixture.text;
import static dev.headway.kvcache.GroupedFixture.window;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeRequest;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Looking up, admitting, growing and releasing allocate nothing once warm. */
class GroupedAllocationTest {

  static List<List<KvGroup>> shapes() {
    return List.of(
        List.of(full(4), window(4, 8)), List.of(full(8), states(8, 0)), List.of(full(4)));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void shouldAllocateNothingOnceWarm(List<KvGroup> groups) {
    final Rounds rounds = new Rounds(groups);
    rounds.run(20_000);

    final long before = allocatedBytes();
    rounds.run(20_000);
    final long allocated = allocatedBytes() - before;

    assertThat(allocated).as("bytes in 20,000 rounds").isLessThan(20_000);
  }

  private static long allocatedBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  /** Two requests with a common beginning take turns in a cache that is too small for both. */
  private static final class Rounds implements KvBlockWork {
    private final GroupedKvCacheManager manager;
    private final FakeRequest[] requests = new FakeRequest[2];
    private final KvSequence[] sequences = new KvSequence[2];
    private long step;
    private int copies;
    private int zeroed;

    Rounds(List<KvGroup> groups) {
      manager =
          KvCacheManagers.builder(
                  KvCacheShape.builder()
                      .blockSize(groups.get(0).blockSize())
                      .blocks(24)
                      .groups(groups)
                      .build(),
                  200)
              .prefixCache(
                  (groups.get(0).blockSize() == 8
                          ? PrefixCacheOptions.builder().matchUnit(4)
                          : PrefixCacheOptions.builder())
                      .retention(PrefixRetention.DENSE)
                      .build())
              .buildGrouped();
      requests[0] = FakeRequest.of(0, Request.builder("a", text(1, 30)).maxTokens(9).build());
      requests[1] =
          FakeRequest.of(
              0, Request.builder("b", GroupedFixture.branch(1, 22, 30)).maxTokens(9).build());
      for (int i = 0; i < 2; i++) {
        sequences[i] = manager.open(requests[i]);
      }
    }

    void run(int count) {
      for (int round = 0; round < count; round++) {
        final KvSequence sequence = sequences[round % 2];
        manager.beginStep(++step);
        int computed = manager.lookup(sequence);
        int tokens = manager.alignChunk(sequence, computed, 30 - computed, 64);
        if (!manager.allocate(sequence, tokens, 0, 30, 0).isAllocated()) {
          throw new AssertionError("the cache must have room for one");
        }
        while (true) {
          manager.endStep(this);
          manager.acknowledge(step);
          manager.stepEnded(step);
          computed += tokens;
          if (computed == 30) {
            break;
          }
          manager.beginStep(++step);
          tokens = manager.alignChunk(sequence, computed, 30 - computed, 64);
          manager.extend(sequence, computed, tokens, 0);
        }
        manager.release(sequence, 30, step);
      }
    }

    @Override
    public void copy(int source, int target) {
      copies++;
    }

    @Override
    public void zero(int block) {
      zeroed++;
    }
  }
}
