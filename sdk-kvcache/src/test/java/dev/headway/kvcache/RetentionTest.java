package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.cache;
import static dev.headway.kvcache.GroupedFixture.full;
import static dev.headway.kvcache.GroupedFixture.text;
import static dev.headway.kvcache.GroupedFixture.window;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PrefixRetention;
import dev.headway.api.config.SpeculativeMethod;
import org.junit.jupiter.api.Test;

/** Which blocks of a window of eight tokens stay findable, of a prompt of 41. */
class RetentionTest {

  @Test
  void shouldKeepWhatContinuesAPrefixAtEveryInterval() {
    final GroupedFixture given =
        cache(window(4, 8)).retention(PrefixRetention.every(16)).request("a", text(1, 41));

    given.allocate("a");

    assertThat(given.events())
        .containsExactly("stored a 0: 0+40 at [8, 12, 24, 28, 32, 36]"); // 32, 36: the prompt's end
  }

  @Test
  void shouldKeepABlockBehindForADrafter() {
    final GroupedFixture given =
        cache(window(4, 8))
            .drafting(SpeculativeMethod.EAGLE, 1)
            .retention(PrefixRetention.every(16))
            .request("a", text(1, 41));

    given.allocate("a");

    assertThat(given.events()).containsExactly("stored a 0: 0+40 at [8, 12, 16, 24, 28, 32, 36]");
  }

  @Test
  void shouldKeepEverythingWhenTheWindowSpansTheInterval() {
    final GroupedFixture given =
        cache(window(4, 13)).retention(PrefixRetention.every(12)).request("a", text(1, 41));

    given.allocate("a");

    assertThat(given.manager().cachedContents()).isEqualTo(10);
  }

  @Test
  void shouldKeepTheEndsOfLargerBlocksWhenDense() {
    final GroupedFixture given =
        cache(full(16), window(4, 8)).retention(PrefixRetention.DENSE).request("a", text(1, 41));

    given.allocate("a");

    assertThat(given.events())
        .containsExactly("stored a 0: 0+32 at [0, 16]", "stored a 1: 0+32 at [8, 12, 24, 28]");
  }

  @Test
  void shouldNotKeepGeneratedTokensAtBoundariesOnly() {
    final GroupedFixture given = cache(window(4, 8)).request("a", text(1, 41));
    given.allocate("a");
    given.events().clear();
    given.append("a", 1, 2, 3, 4, 5, 6);

    given.extend("a", 6);

    assertThat(given.events()).containsExactly("stored a 0: 40+4 at []");
  }
}
