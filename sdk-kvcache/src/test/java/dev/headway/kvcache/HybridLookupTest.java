package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.branch;
import static dev.headway.kvcache.GroupedFixture.cache;
import static dev.headway.kvcache.GroupedFixture.full;
import static dev.headway.kvcache.GroupedFixture.states;
import static dev.headway.kvcache.GroupedFixture.text;
import static dev.headway.kvcache.GroupedFixture.window;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PrefixRetention;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import org.junit.jupiter.api.Test;

/** The longest prefix that all groups hold. */
class HybridLookupTest {

  @Test
  void shouldFindWhatAllGroupsHold() {
    final GroupedFixture given =
        cache(full(4), window(4, 8)).request("a", text(1, 21)).request("b", text(1, 22));
    given.allocate("a");

    given.allocate("b");

    assertThat(given.blocksOf("b", 0).subList(0, 5))
        .isEqualTo(given.blocksOf("a", 0).subList(0, 5));
    assertThat(given.blocksOf("b", 1)).startsWith(0, 0, 0);
    assertThat(given.blocksOf("b", 1).subList(3, 5))
        .isEqualTo(given.blocksOf("a", 1).subList(3, 5));
  }

  @Test
  void shouldRememberWhereFullAttentionWentFurtherAndKeepThatPoint() {
    final GroupedFixture given =
        cache(full(4), window(4, 8))
            .usableBlocks(80)
            .request("a", text(1, 41))
            .request("b", branch(1, 20, 41))
            .request("c", branch(1, 20, 30));
    given.allocate("a");
    assertThat(given.lookup("b")).as("the window kept only the end of a").isZero();
    given.allocate("b");

    assertThat(given.lookup("c")).as("b kept the point where it left a").isEqualTo(20);
  }

  @Test
  void shouldEndHitsWhereAllBlockSizesEnd() {
    final GroupedFixture given =
        cache(full(8), window(4, 4))
            .retention(PrefixRetention.DENSE)
            .request("a", text(1, 21))
            .request("b", text(1, 21));
    given.allocate("a");

    assertThat(given.lookup("b")).isEqualTo(16);
  }

  @Test
  void shouldSearchOneKindForAllItsGroups() {
    final GroupedFixture given =
        cache(full(4), states(4, 0), states(4, 0))
            .retention(PrefixRetention.DENSE)
            .request("a", text(1, 9))
            .request("b", text(1, 9));
    given.allocateChunk("a", 8);
    given.nextStep();

    given.allocate("b");

    assertThat(given.blocksOf("b", 1)).startsWith(0, given.blocksOf("a", 1).get(1));
    assertThat(given.blocksOf("b", 2)).startsWith(0, given.blocksOf("a", 2).get(1));
  }

  @Test
  void shouldGiveTheLastBlockBackInAllGroupsForADrafter() {
    final GroupedFixture given =
        cache(full(4), window(4, 8))
            .drafting(SpeculativeMethod.EAGLE, 1)
            .retention(PrefixRetention.DENSE)
            .request("a", text(1, 21))
            .request("b", text(1, 22));
    given.allocate("a");

    assertThat(given.lookup("b")).isEqualTo(16);
  }

  @Test
  void shouldNotShareBetweenAdaptersOrSalts() {
    final GroupedFixture given =
        cache(full(4), window(4, 8))
            .request("a", text(1, 21))
            .request(Request.builder("b", text(1, 21)).lora(new LoraAdapter(1, "x")))
            .request(Request.builder("c", text(1, 21)).cacheSalt("x"));
    given.allocate("a");

    assertThat(given.lookup("b")).isZero();
    assertThat(given.lookup("c")).isZero();
  }

  @Test
  void shouldTellAgainWhatALookupFoundWhenAskedTo() {
    final GroupedFixture given =
        cache(full(4), window(4, 8)).request("a", text(1, 21)).reportingRequest("b", text(1, 21));
    given.allocate("a");
    given.events().clear();

    given.lookup("b");

    assertThat(given.events())
        .containsExactly(
            "stored b 0: 0+20 at [0, 4, 8, 12, 16]", "stored b 1: 0+20 at [0, 4, 8, 12, 16]");
  }

  @Test
  void shouldNotFindWhatIsForgotten() {
    final GroupedFixture given =
        cache(full(4), window(4, 8))
            .retention(PrefixRetention.DENSE)
            .request("a", text(1, 21))
            .request("b", text(1, 21));
    given.allocate("a");

    given.releaseComputed("a", 10);

    assertThat(given.lookup("b")).isEqualTo(8);
  }

  @Test
  void shouldTellTheLeastThatIsFindableInAnyGroup() {
    final GroupedFixture given = cache(full(4), states(4, 0)).request("a", text(1, 23));

    given.allocateChunk("a", 16);
    assertThat(given.sequence("a").sharedPrefixTokens()).as("no state was kept yet").isZero();

    given.extend("a", 4);
    assertThat(given.sequence("a").sharedPrefixTokens()).isEqualTo(20);
  }

  @Test
  void shouldCountCommonBlocksOfFullAttentionOnly() {
    final GroupedFixture given =
        cache(full(4), window(4, 8)).request("a", text(1, 21)).request("b", text(1, 22));
    given.allocate("a");
    given.allocate("b");

    assertThat(given.manager().commonPrefixBlocks(given.sequence("a"), 0)).isEqualTo(5);
    assertThat(given.manager().commonPrefixBlocks(given.sequence("a"), 1)).isZero();
  }
}
