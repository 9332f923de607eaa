package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.branch;
import static dev.headway.kvcache.GroupedFixture.cache;
import static dev.headway.kvcache.GroupedFixture.chunks;
import static dev.headway.kvcache.GroupedFixture.full;
import static dev.headway.kvcache.GroupedFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChunkedLocalTest {

  @Test
  void shouldGiveBackTheBlocksOfEarlierChunks() {
    final GroupedFixture given = cache(chunks(4, 8)).withoutCaching().request("a", text(1, 28));
    given.allocateChunk("a", 8);
    given.extend("a", 8);

    given.extend("a", 8);

    assertThat(given.blocksOf("a", 0)).startsWith(0, 0, 0, 0).hasSize(6);
  }

  @Test
  void shouldCountEarlierChunksAsFoundWhateverTheyHold() {
    final GroupedFixture given = cache(chunks(4, 8)).request("a", text(1, 22));

    assertThat(given.lookup("a")).as("tokens 0 to 15 are never looked at again").isEqualTo(16);
  }

  @Test
  void shouldFindTheBlocksOfTheCurrentChunk() {
    final GroupedFixture given =
        cache(full(4), chunks(4, 8)).request("a", text(1, 21)).request("b", branch(1, 20, 23));
    given.allocate("a");

    given.allocate("b");

    assertThat(given.blocksOf("b", 1)).startsWith(0, 0, 0, 0, given.blocksOf("a", 1).get(4));
    assertThat(given.blocksOf("b", 0).subList(0, 5))
        .isEqualTo(given.blocksOf("a", 0).subList(0, 5));
  }
}
