package dev.headway.kvcache;

import static dev.headway.kvcache.KvFixture.cache;
import static dev.headway.kvcache.KvFixture.text;
import static dev.headway.kvcache.KvFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.Allocation;
import java.util.List;
import org.junit.jupiter.api.Test;

class PrefixReuseTest {

  @Test
  void shouldShareTheBlocksOfARunningRequest() {
    final KvFixture given = cache().request("a", text(1, 2)).request("b", with(text(1, 2), 7));
    given.allocate("a");

    given.allocate("b");

    assertThat(given.blocksOf("b")).containsExactly(1, 2, 3);
    assertThat(given.manager().freeBlocks()).isEqualTo(5);
    assertThat(given.manager().cachedContents()).isEqualTo(2);
  }

  @Test
  void shouldFindBlocksAlsoWhenNobodyHoldsThem() {
    final KvFixture given = cache().request("a", text(1, 2)).request("b", with(text(1, 2), 7));
    given.allocate("a");
    given.release("a");

    final int matched = given.lookup("b");

    assertThat(matched).isEqualTo(8);
    assertThat(given.manager().freeBlocks()).as("a lookup takes nothing").isEqualTo(8);
  }

  @Test
  void shouldNameTheContentsThatWereFound() {
    final KvFixture given = cache().request("a", text(1, 2)).request("b", with(text(1, 2), 7));
    given.allocate("a");
    given.allocate("b");

    assertThat(given.sequence("b").prefixHash(8)).isEqualTo(given.sequence("a").prefixHash(8));
    assertThat(given.sequence("b").prefixHash(4))
        .isEqualTo(given.sequence("a").prefixHash(4))
        .isNotZero()
        .isNotEqualTo(given.sequence("b").prefixHash(8));
    assertThat(given.sequence("b").prefixHash(5)).as("inside a block").isZero();
    assertThat(given.sequence("b").prefixHash(12)).as("behind all blocks").isZero();
  }

  @Test
  void shouldComputeTheLastBlockAgainWhenAllTokensAreKnown() {
    final KvFixture given = cache().request("a", text(1, 2)).request("b", text(1, 2));
    given.allocate("a");

    given.allocate("b");

    assertThat(given.lookup("b")).isEqualTo(4);
    assertThat(given.blocksOf("b")).containsExactly(1, 3);
  }

  /** What was found to be wanting in one sequence can be good in another, which found it too. */
  @Test
  void shouldStoreAgainWhatAnotherHasForgotten() {
    final int[] longer = with(text(1, 2), 7, 8, 9, 10, 11);
    final KvFixture given =
        cache().request("a", text(1, 2)).request("b", longer).request("c", longer);
    given.allocate("a");
    given.allocateChunk("b", 1);
    given.manager().forget(given.sequence("a"), 4);
    assertThat(given.lookup("c")).isEqualTo(4);

    given.extend("b", 4);

    assertThat(given.lookup("c")).isEqualTo(12);
  }

  /** Two have found a block that was never loaded, and compute it anew one after the other. */
  @Test
  void shouldStoreABlockOnceThatTwoComputeAnew() {
    final int[] longer = with(text(1, 1), 7);
    final KvFixture given = cache().request("a", longer).request("b", longer).request("c", longer);
    given.request("other", text(2, 8));
    given.allocate("a");
    given.allocate("b");
    for (String each : List.of("a", "b")) {
      given.manager().forget(given.sequence(each), 0);
    }
    for (String each : List.of("a", "b")) {
      given.manager().commit(given.sequence(each), 4);
    }
    assertThat(given.lookup("c")).isEqualTo(4);
    given.release("a");
    given.release("b");

    given.allocate("other"); // takes all blocks

    assertThat(given.lookup("c")).isZero();
  }

  @Test
  void shouldStopAtTheFirstBlockThatDiffers() {
    final int[] other = text(1, 3);
    other[5]++;
    final KvFixture given = cache().request("a", text(1, 3)).request("b", other);
    given.allocate("a");

    assertThat(given.lookup("b")).isEqualTo(4);
  }

  @Test
  void shouldHandOutTheFirstOfTwoBlocksWithOneContentAndThenTheSecond() {
    final KvFixture given =
        cache().request("a", text(1, 1)).request("b", text(1, 1)).request("c", with(text(1, 1), 7));
    given.allocate("a");
    given.allocate("b"); // its only block is its last one: computed again
    given.release("a");
    given.release("b");

    given.allocate("c");
    assertThat(given.blocksOf("c")).startsWith(1);
    assertThat(given.manager().cachedContents()).isEqualTo(1);

    given.release("c");
    given.request("evictor", text(5, 7)).request("d", with(text(1, 1), 7)); // leaves block 1 only
    given.allocate("evictor");
    assertThat(given.lookup("d")).isEqualTo(4);
  }

  @Test
  void shouldFindTheSecondBlockOfAContentWhenTheFirstIsTaken() {
    final KvFixture given =
        cache().usableBlocks(3).request("a", text(1, 1)).request("b", text(1, 1));
    given.allocate("a");
    given.allocate("b");
    given.release("a");
    given.request("evictor", with(text(5, 1), 9)).allocate("evictor");

    given.release("evictor");
    given.request("c", with(text(1, 1), 7)).allocate("c");

    assertThat(given.blocksOf("evictor")).isEmpty();
    assertThat(given.blocksOf("c")).startsWith(2);
  }

  @Test
  void shouldNotShareBetweenSalts() {
    final KvFixture given =
        cache()
            .saltedRequest("a", "tenant a", text(1, 2))
            .saltedRequest("b", "tenant b", with(text(1, 2), 7))
            .saltedRequest("a2", "tenant a", with(text(1, 2), 7))
            .request("unsalted", with(text(1, 2), 7));
    given.allocate("a");

    assertThat(given.lookup("b")).isZero();
    assertThat(given.lookup("unsalted")).isZero();
    assertThat(given.lookup("a2")).as("the same salt does share").isEqualTo(8);
  }

  @Test
  void shouldNotLookUpForARequestThatSkipsTheCacheButCacheItsBlocks() {
    final KvFixture given =
        cache()
            .requestThatSkipsTheCache("a", text(1, 2))
            .requestThatSkipsTheCache("skipping", with(text(1, 2), 7))
            .request("b", with(text(1, 2), 7));
    given.allocate("a");

    assertThat(given.lookup("skipping")).isZero();
    assertThat(given.lookup("b")).isEqualTo(8);
  }

  @Test
  void shouldFindNothingWithCachingOff() {
    final KvFixture given =
        cache().withoutCaching().request("a", text(1, 2)).request("b", with(text(1, 2), 7));
    given.allocate("a");

    assertThat(given.lookup("b")).isZero();
    assertThat(given.manager().cachedContents()).isZero();
    assertThat(given.sequence("a").sharedPrefixTokens()).isZero();
    assertThat(given.events()).isEmpty();
  }

  @Test
  void shouldCacheOnlyFullBlocksOfKnownTokens() {
    final KvFixture given = cache().request("a", with(text(1, 1), 5, 6, 7));
    given.allocate("a");
    assertThat(given.sequence("a").sharedPrefixTokens()).isEqualTo(4);

    given.append("a", 8);
    given.extend("a", 1);

    assertThat(given.sequence("a").sharedPrefixTokens()).isEqualTo(8);
    assertThat(given.events()).containsExactly("stored a 0+1 blocks", "stored a 4+1 blocks");
  }

  @Test
  void shouldFindOutputsInAFollowUpPrompt() {
    final KvFixture given = cache().request("a", with(text(1, 1), 5, 6));
    given.allocate("a");
    given.append("a", 7);
    given.extend("a", 1);
    given.append("a", 8);
    given.extend("a", 1);
    given.release("a");

    given.request("followUp", with(text(1, 1), 5, 6, 7, 8, 9));

    assertThat(given.lookup("followUp")).isEqualTo(8);
  }

  @Test
  void shouldFindAChunkedPromptChunkByChunk() {
    final KvFixture given = cache().request("a", text(1, 3)).request("b", with(text(1, 3), 9));
    given.allocateChunk("a", 6);
    assertThat(given.lookup("b")).isEqualTo(4);

    given.extend("a", 6);

    assertThat(given.lookup("b")).isEqualTo(12);
  }

  @Test
  void shouldTellTheHashOfABlockWithAllThatStandsBeforeIt() {
    final int[] end = text(3, 1);
    final KvFixture given =
        cache()
            .request("a", with(text(1, 1), end))
            .request("other", with(text(2, 1), end))
            .saltedRequest("salted", "tenant", with(text(1, 1), end))
            .requestThatSkipsTheCache("same", with(text(1, 1), end));

    given.allocate("a");
    given.allocate("other");
    given.allocate("salted");
    given.allocate("same");

    assertThat(given.hashes("a")).hasSize(2).doesNotContainAnyElementsOf(given.hashes("other"));
    assertThat(given.hashes("salted")).hasSize(2).doesNotContainAnyElementsOf(given.hashes("a"));
    assertThat(given.hashes("same")).isEqualTo(given.hashes("a"));
  }

  @Test
  void shouldNameTheBlockBeforeAsParent() {
    final KvFixture given = cache().request("a", text(1, 3));

    given.allocateChunk("a", 4);
    given.extend("a", 8); // the fixture compares the parent it is told

    assertThat(given.hashes("a")).hasSize(3).doesNotHaveDuplicates();
  }

  @Test
  void shouldForgetEverythingAtAResetAndKeepTheFreeOrder() {
    final KvFixture given = cache().usableBlocks(4).request("a", text(1, 2));
    given.allocate("a");
    given.release("a");

    final boolean done = given.manager().reset();

    assertThat(done).isTrue();
    assertThat(given.free()).containsExactly(3, 4, 2, 1);
    assertThat(given.manager().cachedContents()).isZero();
    assertThat(given.request("b", with(text(1, 2), 7)).lookup("b")).isZero();
    assertThat(given.events()).endsWith("cleared");
  }

  @Test
  void shouldRefuseAResetWhileABlockIsHeld() {
    final KvFixture given = cache().request("a", text(1, 2)).request("b", with(text(1, 2), 7));
    given.allocate("a");

    final boolean done = given.manager().reset();

    assertThat(done).isFalse();
    assertThat(given.lookup("b")).as("nothing was forgotten").isEqualTo(8);
  }

  @Test
  void shouldCountLeadingBlocksThatAllShare() {
    final KvFixture given =
        cache()
            .request("a", with(text(1, 2), 5, 6, 7, 8, 9))
            .request("b", with(text(1, 2), 5))
            .request("c", with(text(1, 1), 5));
    given.allocate("a");
    assertThat(commonOf(given, "a")).as("alone it shares all with all").isEqualTo(4);

    given.allocate("b");
    assertThat(commonOf(given, "a")).isEqualTo(2);

    given.allocate("c");
    assertThat(commonOf(given, "a")).isEqualTo(1);

    given.release("c");
    given.request("d", 5, 6).allocate("d");
    assertThat(commonOf(given, "a")).isZero();
  }

  @Test
  void shouldNotCountBlocksAsSharedByAllThatOnlyTheQuarantineShares() {
    final KvFixture given =
        cache()
            .request("a", with(text(1, 1), 5))
            .request("b", with(text(1, 1), 6))
            .request("stranger", text(2, 1));
    given.allocate("a");
    given.allocate("b");
    given.allocate("stranger");

    given.releaseAfterStep("b", 1);

    assertThat(commonOf(given, "a")).isZero();
  }

  @Test
  void shouldCountBlocksAsSharedByAllThoughTheQuarantineHoldsThemToo() {
    final KvFixture given =
        cache()
            .request("a", with(text(1, 1), 5))
            .request("b", with(text(1, 1), 6))
            .request("c", with(text(1, 1), 7));
    given.allocate("a");
    given.allocate("b");
    given.allocate("c");

    given.releaseAfterStep("c", 1);

    assertThat(commonOf(given, "a")).isEqualTo(1);
  }

  @Test
  void shouldHaveNoCommonPrefixWithCachingOff() {
    final KvFixture given = cache().withoutCaching().request("a", text(1, 2));
    given.allocate("a");

    assertThat(commonOf(given, "a")).isZero();
  }

  @Test
  void shouldForgetTheHitsOfALookupWhenTheSequenceIsReleased() {
    final KvFixture given = cache().request("a", text(1, 2)).request("b", with(text(1, 2), 7));
    given.allocate("a");
    given.allocate("b");
    given.release("b");

    final Allocation answer = given.manager().allocate(given.sequence("b"), 9, 0, 0, 0);

    assertThat(answer.isAllocated()).isTrue();
    assertThat(given.blocksOf("b")).doesNotContain(1, 2);
  }

  private static int commonOf(KvFixture given, String id) {
    return given.manager().commonPrefixBlocks(given.sequence(id), 0);
  }
}
