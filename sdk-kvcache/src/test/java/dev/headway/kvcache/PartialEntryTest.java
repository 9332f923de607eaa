package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.cache;
import static dev.headway.kvcache.GroupedFixture.full;
import static dev.headway.kvcache.GroupedFixture.states;
import static dev.headway.kvcache.GroupedFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PrefixRetention;
import dev.headway.api.kvcache.Allocation;
import org.junit.jupiter.api.Test;

/** Prefixes that end inside a block of eight, at a match unit of four. */
class PartialEntryTest {

  private static GroupedFixture fixture() {
    return cache(full(8), states(8, 0)).matchUnit(4);
  }

  /** A prompt of 14 tokens, computed up to 8, 12 and 14, as chunks are aligned. */
  private static GroupedFixture givenAPrompt() {
    final GroupedFixture given = fixture().request("a", text(1, 14));
    given.allocateChunk("a", 8);
    given.nextStep();
    given.extend("a", 4);
    return given;
  }

  @Test
  void shouldRegisterThePromptsEndInsideABlock() {
    final GroupedFixture given = givenAPrompt();

    assertThat(given.events()).endsWith("stored a 0: 8+4 at [8]", "stored a 1: 8+4 at [8]");
    assertThat(given.manager().cachedContents()).isEqualTo(4);
  }

  @Test
  void shouldFindItAndGoOnInACopy() {
    final GroupedFixture given = givenAPrompt();
    given.nextStep();
    given.extend("a", 2);
    given.nextStep();
    given.request("b", text(1, 14));

    assertThat(given.lookup("b")).isEqualTo(12);
    given.allocate("b");

    final int source = given.blocksOf("a", 0).get(1);
    final int target = given.blocksOf("b", 0).get(1);
    given.nextStep();
    assertThat(target).isNotEqualTo(source);
    assertThat(given.work()).contains("copy " + source + " to " + target, "zero " + target);
  }

  /** The copy comes before the step computes, and would not have what the step writes. */
  @Test
  void shouldNotCopyABlockThatTheSameStepWrites() {
    final GroupedFixture given = fixture().retention(PrefixRetention.BOUNDARIES);
    given.request("b", text(1, 40)).allocateChunk("b", 8);
    given.nextStep();
    given.request("a", text(1, 14)).allocateChunk("a", 8);
    given.nextStep();
    given.extend("a", 4); // leaves the state behind 12 tokens
    given.nextStep();
    given.request("c", text(1, 40));

    given.extend("b", 8); // fills a block that holds the other half of this prefix

    assertThat(given.lookup("c")).isEqualTo(12);
    assertThat(given.allocate("c")).isEqualTo(Allocation.Status.PREFIX_IN_PROGRESS);
    given.nextStep();
    assertThat(given.lookup("c")).isEqualTo(12);
    assertThat(given.allocate("c")).isEqualTo(Allocation.Status.ALLOCATED);
  }

  @Test
  void shouldMoveAStateThatOthersCanHitToABlockOfItsOwn() {
    final GroupedFixture given = givenAPrompt();
    given.nextStep();
    final int running = given.blocksOf("a", 1).get(1);

    given.extend("a", 2);

    assertThat(given.blocksOf("a", 1)).as("the request stays where it is").endsWith(running);
    final int free = given.manager().freeBlocks();
    given.nextStep();
    assertThat(given.work()).hasSize(1).first().asString().startsWith("copy " + running + " to ");
    assertThat(given.manager().freeBlocks()).as("nobody holds the copy").isEqualTo(free + 1);
  }

  @Test
  void shouldKeepThePromptsEndBesideTheFullBlock() {
    final GroupedFixture given = givenAPrompt();
    given.nextStep();
    given.events().clear();
    given.append("a", 1, 2, 3);

    given.extend("a", 4); // fills the block

    assertThat(given.events())
        .containsSubsequence("removed 0", "stored a 0: 8+8 at [8]", "stored a 0: 8+4 at [8]");
    given.nextStep();
    assertThat(given.request("b", text(1, 14)).lookup("b")).isEqualTo(12);
  }

  @Test
  void shouldKeepBothBlocksOfACopyUntilTheStepIsPlanned() {
    final GroupedFixture given = givenAPrompt();
    given.nextStep();
    given.extend("a", 2);
    given.nextStep();
    given.request("b", text(1, 14)).allocate("b");

    given.release("b");
    given.release("a");
    assertThat(given.manager().freeBlocks()).as("two groups, two blocks each").isEqualTo(36);

    given.nextStep();
    assertThat(given.manager().freeBlocks()).isEqualTo(40);
  }
}
