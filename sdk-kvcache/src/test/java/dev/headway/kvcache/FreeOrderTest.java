package dev.headway.kvcache;

import static dev.headway.kvcache.KvFixture.cache;
import static dev.headway.kvcache.KvFixture.text;
import static dev.headway.kvcache.KvFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** In which order blocks are taken again: what is worth keeping is kept longest. */
class FreeOrderTest {

  @Test
  void shouldTakeBlocksInOrderAtFirst() {
    final KvFixture given = cache().usableBlocks(4).request("a", text(1, 2));

    given.allocate("a");

    assertThat(given.blocksOf("a")).containsExactly(1, 2);
    assertThat(given.free()).containsExactly(3, 4);
  }

  @Test
  void shouldReuseBlocksWithoutContentFirstAndCachedOnesLast() {
    final KvFixture given = cache().usableBlocks(5).request("a", with(text(1, 2), 9));
    given.allocate("a");

    given.release("a");

    assertThat(given.free()).containsExactly(3, 4, 5, 2, 1);
  }

  @Test
  void shouldReuseTheEndOfAPrefixBeforeItsBeginning() {
    final KvFixture given = cache().usableBlocks(4).request("a", text(1, 4));
    given.allocate("a");

    given.release("a");

    assertThat(given.free()).containsExactly(4, 3, 2, 1);
  }

  @Test
  void shouldPutSeveralBlocksWithoutContentInFrontLastOneFirst() {
    final KvFixture given =
        cache().usableBlocks(5).lookaheadTokens(4).request("a", with(text(1, 1), 9));
    given.allocate("a");

    given.release("a");

    assertThat(given.free()).containsExactly(3, 2, 4, 5, 1);
  }

  @Test
  void shouldPutEverythingInFrontWithCachingOff() {
    final KvFixture given = cache().usableBlocks(5).withoutCaching().request("a", text(1, 3));
    given.allocate("a");

    given.release("a");

    assertThat(given.free()).containsExactly(3, 2, 1, 4, 5);
  }

  @Test
  void shouldEvictTheContentThatWasFreedLongestAgo() {
    final KvFixture given =
        cache()
            .usableBlocks(4)
            .request("old", text(1, 2))
            .request("young", text(2, 2))
            .request("needy", text(3, 3));
    given.allocate("old");
    given.allocate("young");
    given.release("old");
    given.release("young");

    given.allocate("needy");

    assertThat(given.blocksOf("needy")).containsExactly(2, 1, 4);
    assertThat(given.events()).endsWith("removed", "removed", "removed", "stored needy 0+3 blocks");
    assertThat(given.request("again", with(text(2, 2), 9)).lookup("again")).isEqualTo(4);
    assertThat(given.request("gone", with(text(1, 2), 9)).lookup("gone")).isZero();
  }

  @Test
  void shouldMoveContentThatWasHitToTheEndOfTheQueue() {
    final KvFixture given =
        cache()
            .usableBlocks(3)
            .request("a", text(1, 1))
            .request("b", text(2, 1))
            .request("hit", with(text(1, 1), 9));
    given.allocate("a");
    given.allocate("b");
    given.release("a");
    given.release("b");

    given.allocate("hit");
    given.release("hit");

    assertThat(given.free()).as("b was used least recently").containsExactly(3, 2, 1);
  }

  @Test
  void shouldTakeAHitOutOfTheMiddleOfTheFreeQueue() {
    final KvFixture given = cache().usableBlocks(5).request("a", text(1, 3));
    given.allocate("a");
    given.release("a");
    given.request("b", with(text(1, 2), 9, 9));

    given.allocate("b");

    assertThat(given.blocksOf("b")).containsExactly(1, 2, 4);
    assertThat(given.free()).containsExactly(5, 3);
  }
}
