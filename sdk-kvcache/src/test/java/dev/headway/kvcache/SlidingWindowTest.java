package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.cache;
import static dev.headway.kvcache.GroupedFixture.text;
import static dev.headway.kvcache.GroupedFixture.window;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PrefixRetention;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.Allocation;
import org.junit.jupiter.api.Test;

class SlidingWindowTest {

  @Test
  void shouldGiveBackBlocksThatLeftTheWindow() {
    final GroupedFixture given = cache(window(4, 8)).request("a", text(1, 20));
    given.allocateChunk("a", 16);

    given.extend("a", 4); // the 17th token looks back to the 10th

    assertThat(given.blocksOf("a", 0)).containsExactly(0, 0, 3, 4, 2);
  }

  @Test
  void shouldKeepWhatStepsInFlightLookAt() {
    final GroupedFixture given = cache(window(4, 8)).request("a", text(1, 20));
    given.allocateChunk("a", 16);
    given.inFlight("a", 4);

    given.extend("a", 4);

    assertThat(given.blocksOf("a", 0)).containsExactly(0, 2, 3, 4, 1);
  }

  @Test
  void shouldGiveBackBeforeItRefuses() {
    final GroupedFixture given = cache(window(4, 8)).usableBlocks(4).request("a", text(1, 32));
    given.allocateChunk("a", 16);

    assertThat(given.extend("a", 16)).isEqualTo(Allocation.Status.BLOCKS_SHORT);

    assertThat(given.blocksOf("a", 0)).containsExactly(0, 0, 3, 4);
    assertThat(given.manager().freeBlocks()).isEqualTo(2);
  }

  @Test
  void shouldFindAPrefixByTheBlocksAtItsEnd() {
    final GroupedFixture given =
        cache(window(4, 8)).request("a", text(1, 21)).request("b", text(1, 23));
    given.allocate("a");
    given.release("a");

    given.allocate("b");

    assertThat(given.blocksOf("b", 0)).as("two blocks fill the window").startsWith(0, 0, 0, 4, 5);
  }

  @Test
  void shouldOnlyKeepWhatIsNeededAtTheEndOfThePrompt() {
    final GroupedFixture given =
        cache(window(4, 8)).request("a", text(1, 21)).request("b", text(1, 19));

    given.allocate("a");

    assertThat(given.events()).containsExactly("stored a 0: 0+20 at [12, 16]");
    assertThat(given.manager().cachedContents()).isEqualTo(2);
    assertThat(given.lookup("b")).as("ends where nothing was kept").isZero();
  }

  @Test
  void shouldKeepEverythingWhenRetentionIsDense() {
    final GroupedFixture given =
        cache(window(4, 8))
            .retention(PrefixRetention.DENSE)
            .request("a", text(1, 21))
            .request("b", text(1, 19));

    given.allocate("a");

    assertThat(given.manager().cachedContents()).isEqualTo(5);
    assertThat(given.lookup("b")).isEqualTo(16);
  }

  @Test
  void shouldTakeAShortRunAtTheBeginning() {
    final GroupedFixture given =
        cache(window(4, 100)).request("a", text(1, 9)).request("b", text(1, 30));
    given.allocate("a");

    assertThat(given.lookup("b")).isEqualTo(8);
  }

  @Test
  void shouldComputeTheLastBlockOfAHitAgainForADrafter() {
    final GroupedFixture given =
        cache(window(4, 8))
            .drafting(SpeculativeMethod.EAGLE, 1)
            .retention(PrefixRetention.DENSE)
            .request("a", text(1, 21))
            .request("b", text(1, 21));
    given.allocate("a");

    assertThat(given.lookup("b")).isEqualTo(16);
  }

  @Test
  void shouldAskTheGateForTheWindowOnly() {
    final GroupedFixture given =
        cache(window(4, 8)).usableBlocks(6).maxInFlightTokens(8).request("a", text(1, 60));
    given.reserveTokens(60);

    final Allocation.Status verdict = given.allocateChunk("a", 8);

    assertThat(verdict)
        .isEqualTo(Allocation.Status.ALLOCATED); // ceil((8 - 1 + 8) / 4) + 1 = 5 blocks
    given.reserveTokens(0);
  }

  @Test
  void shouldGiveBackEverythingInReverseOrder() {
    final GroupedFixture given =
        cache(window(4, 8)).usableBlocks(6).withoutCaching().request("a", text(1, 20));
    given.allocate("a");

    given.release("a");

    assertThat(given.free()).containsExactly(5, 4, 3, 2, 1, 6);
  }
}
