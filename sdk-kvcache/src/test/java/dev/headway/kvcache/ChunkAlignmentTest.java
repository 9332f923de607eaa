package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.branch;
import static dev.headway.kvcache.GroupedFixture.cache;
import static dev.headway.kvcache.GroupedFixture.full;
import static dev.headway.kvcache.GroupedFixture.states;
import static dev.headway.kvcache.GroupedFixture.text;
import static dev.headway.kvcache.GroupedFixture.window;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SpeculativeMethod;
import org.junit.jupiter.api.Test;

class ChunkAlignmentTest {

  @Test
  void shouldEndAChunkAtABlockBoundary() {
    final GroupedFixture given = cache(full(8), states(8, 0)).request("a", text(1, 60));

    assertThat(align(given, "a", 0, 30)).isEqualTo(24);
    assertThat(align(given, "a", 24, 7)).as("too short for a block").isZero();
  }

  @Test
  void shouldNotAlignWhenNoChunkCanReachABoundary() {
    final GroupedFixture given = cache(full(8), states(8, 0)).request("a", text(1, 60));

    final int tokens = given.manager().alignChunk(given.sequence("a"), 0, 5, 5);

    assertThat(tokens).isEqualTo(5);
  }

  @Test
  void shouldStopAtTheNextBoundaryWhenAChunkStartsInsideABlock() {
    final GroupedFixture given = cache(full(8), states(8, 0)).request("a", text(1, 60));

    assertThat(align(given, "a", 5, 30)).isEqualTo(3);
  }

  @Test
  void shouldStopAtTheLastBoundaryOfThePrompt() {
    final GroupedFixture given = cache(full(8), states(8, 0)).request("a", text(1, 60));

    assertThat(align(given, "a", 24, 36)).isEqualTo(32);
    assertThat(align(given, "a", 56, 4)).isEqualTo(4);
  }

  @Test
  void shouldStopABlockEarlierForADrafter() {
    final GroupedFixture given =
        cache(full(8), states(8, 1)).drafting(SpeculativeMethod.EAGLE, 1).request("a", text(1, 60));

    assertThat(align(given, "a", 24, 36)).isEqualTo(24);
  }

  @Test
  void shouldStopAtTheEndOfThePromptWhenItCanBeKeptInsideABlock() {
    final GroupedFixture given =
        cache(full(8), states(8, 0)).matchUnit(4).request("a", text(1, 62));

    assertThat(align(given, "a", 56, 6)).isEqualTo(4);
  }

  @Test
  void shouldStopWhereAKnownPrefixBranchesOff() {
    final GroupedFixture given =
        cache(full(8), states(8, 0)).request("a", text(1, 60)).request("b", branch(1, 24, 60));
    given.allocate("a");
    given.nextStep();
    given.lookup("b");

    assertThat(align(given, "b", 0, 60)).isEqualTo(24);
  }

  @Test
  void shouldLeaveDecodesAlone() {
    final GroupedFixture given = cache(full(8), states(8, 0)).request("a", text(1, 60));
    given.append("a", 7);

    assertThat(align(given, "a", 60, 1)).isEqualTo(1);
  }

  @Test
  void shouldLeaveChunksAloneWithoutStates() {
    final GroupedFixture given = cache(full(8), window(8, 16)).request("a", text(1, 60));

    assertThat(align(given, "a", 0, 30)).isEqualTo(30);
  }

  private static int align(GroupedFixture given, String id, int start, int tokens) {
    return given.manager().alignChunk(given.sequence(id), start, tokens, 64);
  }
}
