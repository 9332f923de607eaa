package dev.headway.kvcache;

import static dev.headway.kvcache.KvFixture.cache;
import static dev.headway.kvcache.KvFixture.text;
import static dev.headway.kvcache.KvFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the release of a request would free for one that waits, exactly. */
class BlocksGainedTest {

  private static final int WHOLE = 1_000;

  @Test
  void shouldCountTheBlocksOfTheHoldingRequest() {
    final KvFixture given = cache().request("a", text(1, 3)).request("b", text(2, 1));
    given.allocate("a");
    given.lookup("b");

    assertThat(gained(given, WHOLE, 0)).isEqualTo(3);
    assertThat(given.usedBlocks()).as("nothing is released by asking").isEqualTo(3);
  }

  @Test
  void shouldNotCountWhatAnotherRequestHolds() {
    final KvFixture given =
        cache()
            .request("a", with(text(1, 2), 8))
            .request("c", with(text(1, 2), 9))
            .request("b", text(2, 1));
    given.allocate("a");
    given.allocate("c");
    given.lookup("b");

    assertThat(given.blocksOf("c")).startsWith(given.blocksOf("a").get(0));
    assertThat(gained(given, WHOLE, 0)).as("the block behind the shared ones").isEqualTo(1);
  }

  @Test
  void shouldNotCountWhatTheWaitingRequestHasFound() {
    final KvFixture given =
        cache().request("a", text(1, 3)).request("b", with(text(1, 2), 5, 6, 7, 8, 9));
    given.allocate("a");
    given.lookup("b");

    assertThat(gained(given, WHOLE, 0)).isEqualTo(1);
  }

  @Test
  void shouldCountNothingThatAStepMayStillWrite() {
    final KvFixture given = cache().request("a", text(1, 3)).request("b", text(2, 1));
    given.allocate("a");
    given.lookup("b");
    given.manager().acknowledge(6);

    assertThat(gained(given, WHOLE, 7)).isZero();

    given.manager().acknowledge(7);
    assertThat(gained(given, WHOLE, 7)).isEqualTo(3);
  }

  /** What is taken back is free for the waiting request to compute it itself. */
  @Test
  void shouldNotCountWhatTheWaitingRequestHasFoundThoughTheReleaseTakesItBack() {
    final KvFixture given = cache().request("a", text(1, 3)).request("b", with(text(1, 2), 9));
    given.allocate("a");
    given.lookup("b");

    final int gained = gained(given, KvFixture.BLOCK_SIZE, 0);

    assertThat(gained).isEqualTo(1);
    given.manager().release(given.sequence("a"), KvFixture.BLOCK_SIZE, 0);
    assertThat(given.lookup("b")).isEqualTo(KvFixture.BLOCK_SIZE);
  }

  @Test
  void shouldSayWhenWhatIsTakenBackIsNotFreeEither() {
    final KvFixture given =
        cache()
            .request("a", text(1, 3))
            .request("b", with(text(1, 2), 9))
            .request("c", with(text(1, 2), 8));
    given.allocate("a");
    given.allocate("c");
    given.lookup("b");

    assertThat(gained(given, 2 * KvFixture.BLOCK_SIZE, 0)).isEqualTo(1);
    assertThat(gained(given, 2 * KvFixture.BLOCK_SIZE - 1, 0)).isNegative();
  }

  @Test
  void shouldFreeInSeveralGroupsWhatItCounts() {
    final GroupedFixture given =
        GroupedFixture.cache(GroupedFixture.full(4), GroupedFixture.window(4, 8))
            .request("a", GroupedFixture.text(1, 20))
            .request("b", GroupedFixture.text(2, 4));
    given.allocateChunk("a", 16);
    given.extend("a", 4); // two blocks leave the window
    given.lookup("b");
    final int free = given.manager().freeBlocks();

    final int gained = gained(given, 20, 0);

    assertThat(gained).isEqualTo(5 + 3);
    given.release("a");
    assertThat(given.manager().freeBlocks()).isEqualTo(free + gained);
  }

  @Test
  void shouldCountInSeveralGroupsWhatNobodyElseHoldsOrHasFound() {
    final GroupedFixture given =
        GroupedFixture.cache(GroupedFixture.full(4), GroupedFixture.window(4, 8))
            .request("a", GroupedFixture.text(1, 12))
            .request("b", GroupedFixture.text(1, 12))
            .request("c", GroupedFixture.text(2, 12));
    given.allocate("a");

    given.lookup("c");
    assertThat(gained(given, 12, 0, "c")).isEqualTo(6);

    final int found = given.lookup("b");
    assertThat(found).isEqualTo(8);
    assertThat(gained(given, 12, 0)).as("but two of each group").isEqualTo(2);

    given.allocate("b");
    given.lookup("c");
    assertThat(gained(given, 12, 0, "c")).as("what b does not hold").isEqualTo(2);
  }

  @Test
  void shouldSayInSeveralGroupsWhenTheFoundPrefixMayEndEarlier() {
    final GroupedFixture given =
        GroupedFixture.cache(GroupedFixture.full(4), GroupedFixture.window(4, 8))
            .request("a", GroupedFixture.text(1, 12))
            .request("b", GroupedFixture.text(1, 12));
    given.allocate("a");
    given.lookup("b");

    assertThat(gained(given, 8, 0)).isEqualTo(2);
    assertThat(gained(given, 7, 0)).isNegative();
  }

  @Test
  void shouldCountNothingInSeveralGroupsThatAStepMayStillWrite() {
    final GroupedFixture given =
        GroupedFixture.cache(GroupedFixture.full(4), GroupedFixture.window(4, 8))
            .request("a", GroupedFixture.text(1, 12))
            .request("b", GroupedFixture.text(2, 4));
    given.allocate("a");
    given.lookup("b");

    assertThat(gained(given, 12, 7)).isZero();

    given.manager().acknowledge(7);
    assertThat(gained(given, 12, 7)).isEqualTo(6);
  }

  private static int gained(KvFixture given, int computedTokens, long lastStepId) {
    return given
        .manager()
        .blocksGained(given.sequence("a"), computedTokens, lastStepId, given.sequence("b"));
  }

  private static int gained(GroupedFixture given, int computedTokens, long lastStepId) {
    return gained(given, computedTokens, lastStepId, "b");
  }

  private static int gained(
      GroupedFixture given, int computedTokens, long lastStepId, String waiting) {
    return given
        .manager()
        .blocksGained(given.sequence("a"), computedTokens, lastStepId, given.sequence(waiting));
  }
}
