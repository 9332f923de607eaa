package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.cache;
import static dev.headway.kvcache.GroupedFixture.full;
import static dev.headway.kvcache.GroupedFixture.states;
import static dev.headway.kvcache.GroupedFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PrefixRetention;
import dev.headway.api.kvcache.Allocation;
import org.junit.jupiter.api.Test;

class MambaTest {

  @Test
  void shouldHoldOneStateWhateverTheLength() {
    final GroupedFixture given = cache(states(4, 0)).request("a", text(1, 21));

    given.allocateChunk("a", 16);

    assertThat(given.blocksOf("a", 0)).containsExactly(0, 0, 0, 1);
    assertThat(given.usedBlocks()).isEqualTo(1);
  }

  @Test
  void shouldKeepTheStateBeforeUntilTheNextOneIsProcessed() {
    final GroupedFixture given = cache(states(4, 0)).request("a", text(1, 40));
    given.allocateChunk("a", 16);

    given.extend("a", 8);
    assertThat(given.blocksOf("a", 0)).containsExactly(0, 0, 0, 1, 0, 2);

    given.extend("a", 8);
    assertThat(given.blocksOf("a", 0)).containsExactly(0, 0, 0, 0, 0, 2, 0, 1);
  }

  @Test
  void shouldKeepTheStateThatAStepInFlightReads() {
    final GroupedFixture given = cache(states(4, 0)).request("a", text(1, 40));
    given.allocateChunk("a", 16);
    given.extend("a", 8);
    given.inFlight("a", 8);

    given.extend("a", 8);

    assertThat(given.blocksOf("a", 0)).containsExactly(0, 0, 0, 1, 0, 2, 0, 3);
  }

  @Test
  void shouldMoveSpeculativeStatesAlong() {
    final GroupedFixture given = cache(states(4, 2)).request("a", text(1, 40));
    given.allocateChunk("a", 8);
    assertThat(given.blocksOf("a", 0)).containsExactly(0, 1, 2, 3);

    given.extend("a", 12);

    assertThat(given.blocksOf("a", 0)).containsExactly(0, 1, 0, 0, 2, 3, 4);
  }

  @Test
  void shouldContinueFromTheLastStateKept() {
    final GroupedFixture given =
        cache(full(4), states(4, 0)).request("a", text(1, 21)).request("b", text(1, 22));
    given.allocateChunk("a", 20);
    given.nextStep();

    given.allocate("b");

    assertThat(given.blocksOf("b", 1)).startsWith(0, 0, 0, 0, given.blocksOf("a", 1).get(4));
  }

  @Test
  void shouldNotBuildOnAStateOfTheSameStep() {
    final GroupedFixture given =
        cache(full(4), states(4, 0)).request("a", text(1, 21)).request("b", text(1, 22));
    given.allocateChunk("a", 20);

    assertThat(given.allocate("b")).isEqualTo(Allocation.Status.PREFIX_IN_PROGRESS);

    given.nextStep();
    assertThat(given.allocate("b")).isEqualTo(Allocation.Status.ALLOCATED);
  }

  @Test
  void shouldKeepAStateEverySoOften() {
    final GroupedFixture given =
        cache(states(4, 0)).retention(PrefixRetention.every(8)).request("a", text(1, 40));

    given.allocateChunk("a", 4);
    given.extend("a", 4);
    given.extend("a", 4);

    assertThat(given.events())
        .containsExactly(
            "stored a 0: 0+4 at []", "stored a 0: 4+4 at [4]", "stored a 0: 8+4 at []");
  }

  @Test
  void shouldAskForFreshBlocksOfOtherGroupsToBeZeroed() {
    final GroupedFixture given = cache(full(4), states(4, 0)).request("a", text(1, 8));
    given.allocate("a");

    given.nextStep();
    assertThat(given.work()).containsExactly("zero 1", "zero 2");

    given.nextStep();
    assertThat(given.work()).isEmpty();
  }

  @Test
  void shouldNotAskForZeroesWithoutStates() {
    final GroupedFixture given = cache(full(4)).request("a", text(1, 8));
    given.allocate("a");

    given.nextStep();

    assertThat(given.work()).isEmpty();
  }

  /**
   * The state of a request that is ahead of its known tokens is not the one at its prompt's end.
   */
  @Test
  void shouldNotKeepAStateAtThePromptsEndTwice() {
    final GroupedFixture given = cache(full(8), states(8, 0)).matchUnit(4).request("a", text(1, 4));
    given.allocate("a");
    given.nextStep().extend("a", 1);
    given.nextStep();
    assertThat(given.work()).anyMatch(work -> work.startsWith("copy"));

    given.manager().commit(given.sequence("a"), 4);
    given.extend("a", 1);
    given.nextStep();

    assertThat(given.work()).noneMatch(work -> work.startsWith("copy"));
  }
}
