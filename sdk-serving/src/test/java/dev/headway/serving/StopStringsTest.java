package dev.headway.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StopStringsTest {

  @Test
  void shouldHoldBackWhatMayBecomeAStop() {
    final StopStrings stops = new StopStrings(List.of("END", "\n\n"));

    assertThat(stops.push("one E")).isEqualTo("one ");
    assertThat(stops.push("N")).isEmpty();
    assertThat(stops.push("D?\n")).isEmpty();
    assertThat(stops.isFound()).isTrue();
    assertThat(stops.push("more")).isEmpty();
    assertThat(stops.finish()).isEmpty();
  }

  @Test
  void shouldGiveBackWhatDidNotBecomeAStop() {
    final StopStrings stops = new StopStrings(List.of("END"));

    assertThat(stops.push("EN")).isEmpty();
    assertThat(stops.push("EN")).isEqualTo("EN");
    assertThat(stops.finish()).isEqualTo("EN");
    assertThat(stops.isFound()).isFalse();
  }

  @Test
  void shouldCutWhereASearchInTheWholeTextCuts() {
    for (int seed = 0; seed < 5_000; seed++) {
      final SplittableRandom random = new SplittableRandom(seed);
      final String text = text(random, 40);
      final List<String> stops = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        stops.add(text(random, 4));
      }
      final StopStrings cut = new StopStrings(stops);
      final StringBuilder kept = new StringBuilder();
      for (int at = 0; at < text.length() && !cut.isFound(); ) {
        final int end = Math.min(text.length(), at + 1 + random.nextInt(5));
        kept.append(cut.push(text.substring(at, end)));
        at = end;
      }
      kept.append(cut.finish());

      final int first =
          stops.stream().mapToInt(text::indexOf).filter(at -> at >= 0).min().orElse(-1);
      // a later stop may be whole before an earlier one is: the answer ends with the first whole
      // one
      if (first < 0) {
        assertThat(kept.toString()).as("seed %d", seed).isEqualTo(text);
      } else {
        assertThat(cut.isFound()).as("seed %d", seed).isTrue();
        assertThat(text).as("seed %d", seed).startsWith(kept.toString());
        assertThat(stops)
            .as("seed %d: a stop stands where it was cut", seed)
            .anyMatch(stop -> text.startsWith(stop, kept.length()));
        assertThat(stops)
            .as("seed %d: no stop is left in '%s'", seed, kept)
            .noneMatch(kept.toString()::contains);
      }
    }
  }

  private static String text(SplittableRandom random, int longest) {
    final StringBuilder text = new StringBuilder();
    for (int i = 1 + random.nextInt(longest); i > 0; i--) {
      text.append("ab\u00e9".charAt(random.nextInt(3)));
    }
    return text.toString();
  }
}
