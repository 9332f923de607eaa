package dev.headway.kvcache;

import static dev.headway.kvcache.KvFixture.text;
import static dev.headway.kvcache.KvFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.request.KvCacheRetention;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Texts are of whole blocks and one token more, so that all their blocks can be found. */
class KvRetentionTest {

  private static final KvCacheRetention PINNED = KvCacheRetention.of(KvCacheRetention.PINNED);

  private int requests;
  private final KvFixture cache = KvFixture.cache().usableBlocks(8).maxModelLen(16);

  @Test
  void shouldGiveUpTheLowestPriorityFirstAndOfEqualOnesTheOldest() {
    finish("low", KvCacheRetention.of(10), 1);
    finish("high", KvCacheRetention.of(90), 2);
    finish("usual", null, 3);
    finish("lower", KvCacheRetention.of(KvCacheRetention.DROP), 4);

    evict(1);
    assertThat(found(4)).as("priority 0").isZero();
    assertThat(found(1)).as("priority 10").isEqualTo(4);

    evict(1);
    assertThat(found(1)).as("priority 10").isZero();

    evict(1);
    assertThat(found(3)).as("default priority").isZero();
    assertThat(found(2)).as("priority 90").isEqualTo(4);
  }

  @Test
  void shouldTreatTheDefaultPriorityAsNoWish() {
    finish("first", null, 1);
    finish("second", KvCacheRetention.of(KvCacheRetention.DEFAULT_PRIORITY), 2);
    finish("third", null, 3);

    evict(1);

    assertThat(found(1)).isZero();
    assertThat(found(2)).isEqualTo(4);
  }

  @Test
  void shouldKeepRangesOfAPromptAndItsOutputsByTheirOwnPriorities() {
    final KvCacheRetention ranges =
        KvCacheRetention.builder().tokens(0, 4, 90).tokens(4, 8, 5).decode(60).build();
    cache.requestWith(ranges, "a", text(1, 2)).allocate("a");
    cache.append("a", 7, 7, 7, 7, 7);
    cache.extend("a", 4);
    cache.release("a");
    finish("usual", null, 3);

    evict(1);
    assertThat(cache.request("both", with(text(1, 2), 9)).lookup("both")).isEqualTo(4);

    evict(1);
    assertThat(found(3)).as("before the outputs").isZero();

    evict(1);
    assertThat(found(1)).as("the outputs went").isEqualTo(4);
  }

  @Test
  void shouldGoBackToTheDefaultPriorityWhenTheTimeIsOver() {
    finish("kept", KvCacheRetention.of(90, Duration.ofSeconds(5)), 1);
    finish("usual", null, 2);
    cache.wait(Duration.ofSeconds(4));
    evict(1);
    assertThat(found(2)).as("the other one goes while the first is kept").isZero();
    assertThat(found(1)).isEqualTo(4);

    cache.wait(Duration.ofSeconds(1));
    finish("dearer", KvCacheRetention.of(50), 3);
    evict(1);

    assertThat(found(1)).isZero();
    assertThat(found(3)).isEqualTo(4);
  }

  @Test
  void shouldCountTheTimeFromTheLastUse() {
    finish("kept", KvCacheRetention.of(90, Duration.ofSeconds(5)), 1);
    cache.wait(Duration.ofSeconds(4));
    finish("again", null, 1);
    finish("usual", KvCacheRetention.of(50), 2);
    cache.wait(Duration.ofSeconds(4));

    evict(1);

    assertThat(found(1)).isEqualTo(4);
    assertThat(found(2)).isZero();
  }

  @Test
  void shouldNotGiveUpWhatIsPinned() {
    finish("pinned", PINNED, 1);
    finish("pinned too", PINNED, 2);

    assertThat(cache.manager().freeBlocks()).isEqualTo(6);
    assertThat(cache.manager().pinnedBlocks()).isEqualTo(2);
    assertThat(take(7)).isFalse();
    assertThat(take(6)).isTrue();
    assertThat(found(1)).isEqualTo(4);
  }

  @Test
  void shouldTakePinnedBlocksAgainWithoutABlockOfTheFreeOnes() {
    finish("pinned", PINNED, 1);

    cache.request("again", with(text(1, 1), 9)).allocate("again");

    assertThat(cache.neededBlocks()).isEqualTo(1);
    assertThat(cache.manager().pinnedBlocks()).isZero();
    cache.release("again");
    assertThat(cache.manager().pinnedBlocks()).isEqualTo(1);
  }

  @Test
  void shouldPinNoMoreThanLeavesRoomForTheLongestRequest() {
    for (int number = 1; number <= 6; number++) {
      finish("r" + number, PINNED, number);
    }

    assertThat(cache.manager().pinnedBlocks()).isEqualTo(4);
    assertThat(cache.manager().freeBlocks()).isEqualTo(4);
    assertThat(take(4)).isTrue();
  }

  @Test
  void shouldLetGoOfAPinWhenItsTimeIsOver() {
    finish("pinned", KvCacheRetention.of(KvCacheRetention.PINNED, Duration.ofSeconds(5)), 1);

    cache.wait(Duration.ofSeconds(5));

    assertThat(cache.manager().pinnedBlocks()).isZero();
    assertThat(cache.manager().freeBlocks()).isEqualTo(8);
    assertThat(found(1)).isEqualTo(4);
  }

  @Test
  void shouldFollowTheLastRequestThatAsks() {
    finish("high", KvCacheRetention.of(90), 1);
    finish("no wish", null, 1);
    finish("usual", null, 2);
    evict(1);
    assertThat(found(1)).as("a request without a wish changes nothing").isEqualTo(4);

    finish("drop", KvCacheRetention.of(KvCacheRetention.DROP), 1);
    finish("usual again", null, 2);
    evict(1);

    assertThat(found(1)).isZero();
    assertThat(found(2)).isEqualTo(4);
  }

  @Test
  void shouldChangeWhatIsKeptOfAFoundPrefix() {
    finish("pinned", PINNED, 1);
    finish("usual", null, 2);
    cache.request("prefix", with(text(1, 1), 9)).lookup("prefix");

    cache.manager().retain(cache.sequence("prefix"), KvCacheRetention.of(KvCacheRetention.DROP));

    assertThat(cache.manager().pinnedBlocks()).isZero();
    evict(1);
    assertThat(found(1)).isZero();
    assertThat(found(2)).isEqualTo(4);
  }

  @Test
  void shouldFreePinnedBlocksWhenTheCacheIsCleared() {
    finish("pinned", PINNED, 1);

    assertThat(cache.manager().reset()).isTrue();

    assertThat(cache.manager().pinnedBlocks()).isZero();
    assertThat(cache.manager().freeBlocks()).isEqualTo(8);
    assertThat(found(1)).isZero();
    assertThat(take(8)).isTrue();
  }

  @Test
  void shouldExpectNoBlocksOfARequestThatPinsThem() {
    cache.requestWith(PINNED, "pins", with(text(1, 2), 9)).allocate("pins");
    cache.request("waits", text(5, 2)).lookup("waits");

    final int gained =
        cache.manager().blocksGained(cache.sequence("pins"), 9, 0, cache.sequence("waits"));

    assertThat(gained).as("the last block is not full, so not pinned").isEqualTo(1);
  }

  @Test
  void shouldAskAPolicy() {
    final EvictionPolicy segmented = block -> block.priority() + Math.min(2, block.hits());
    cache.eviction(segmented);
    finish("hit", null, 1);
    finish("hit again", null, 1);
    finish("never hit", null, 2);

    evict(1);

    assertThat(found(1)).isEqualTo(4);
    assertThat(found(2)).isZero();
  }

  @Test
  void shouldGoOnLeastRecentlyUsedFirstWithAPolicyThatFails() {
    cache.eviction(
        block -> {
          throw new IllegalStateException("a policy that fails");
        });
    finish("first", null, 1);
    finish("second", null, 2);

    evict(1);

    assertThat(found(1)).isZero();
    assertThat(found(2)).isEqualTo(4);
  }

  @Test
  void shouldGoOnLeastRecentlyUsedFirstWithAPolicyThatAnswersWhatIsNoPriority() {
    cache.eviction(block -> block.id() == 1 ? 101 : 0);
    finish("first", null, 1);
    finish("second", null, 2);

    evict(1);

    assertThat(found(1)).isZero();
    assertThat(found(2)).isEqualTo(4);
  }

  /** A request of one whole block and a token comes and goes. */
  private void finish(String id, KvCacheRetention retention, int number) {
    final int[] tokens = with(text(number, 1), 9);
    if (retention == null) {
      cache.request(id, tokens);
    } else {
      cache.requestWith(retention, id, tokens);
    }
    assertThat(cache.allocate(id)).isEqualTo(Allocation.Status.ALLOCATED);
    cache.release(id);
  }

  /** Other requests need all blocks without content, and {@code cached} more. */
  private void evict(int cached) {
    final PagedKvCacheManager manager = cache.manager();
    final int empty = manager.freeBlocks() + manager.pinnedBlocks() - manager.cachedContents();
    take(empty + cached);
  }

  /**
   * Requests of a block each hold blocks and give them back, empty; returns whether all got one.
   */
  private boolean take(int blocks) {
    final List<String> holding = new ArrayList<>();
    boolean done = true;
    for (int i = 0; i < blocks && done; i++) {
      final String id = "takes " + requests++;
      cache.requestThatSkipsTheCache(id, 1, 2);
      done = cache.allocate(id) == Allocation.Status.ALLOCATED;
      holding.add(id);
    }
    holding.forEach(cache::release);
    return done;
  }

  /** Tokens of a text's first block that a lookup finds. */
  private int found(int number) {
    final String id = "finds " + requests++;
    return cache.request(id, with(text(number, 1), 9)).lookup(id);
  }
}
