package dev.headway.report.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.schedule.WaitReason;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ExplainPartsTest {

  @ParameterizedTest
  @EnumSource(WaitReason.class)
  void shouldHavePhrasesForEveryReason(WaitReason reason) {
    assertThat(Phrases.knows(reason.label())).as(reason.label()).isTrue();
    assertThat(Phrases.meaning(reason.label(), Map.of()))
        .doesNotContain("$", "(", "?")
        .isNotBlank();
  }

  @Test
  void shouldNameTheSettingIfTheJournalHoldsIt() {
    assertThat(Phrases.meaning("max_num_seqs", Map.of("maxNumSeqs", "64")))
        .isEqualTo("all seats were taken (maxNumSeqs=64)");
    assertThat(Phrases.meaning("max_num_seqs", Map.of())).isEqualTo("all seats were taken");
    assertThat(Phrases.meaning("of_tomorrow", Map.of()))
        .isEqualTo("a reason that this version does not know");
  }

  @Test
  void shouldCountTokensOrBlocksAsTheReasonDoes() {
    assertThat(Phrases.figures("memory_insufficient", 12, 1))
        .isEqualTo("needed 12 KV blocks, 1 was free");
    assertThat(Phrases.figures("chunked_prefill_disabled", 1, 0))
        .isEqualTo("needed 1 token, 0 were left");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 ns",
    "999, 999 ns",
    "1000, 1.00 us",
    "999499, 999 us",
    "999500, 1.00 ms",
    "12345678, 12.3 ms",
    "59999000000, 1 min",
    "60000000000, 1 min",
    "3723000000000, 1 h 02 min",
    "-1500, -1.50 us"
  })
  void shouldShowDurationsWithThreeDigits(long ns, String text) {
    assertThat(Durations.human(ns)).isEqualTo(text);
  }

  @Test
  void shouldFindTheIdsMostLikeOneInOrder() {
    final ClosestIds ids = new ClosestIds("chat-17");
    for (String id : new String[] {"zebra", "chat-1", "chat-7", "chat-18", "chat-18", "", "job"}) {
      ids.offer(id);
    }
    ids.offer("chat-17x");
    ids.offer("x".repeat(1_000));

    assertThat(ids.ids()).containsExactly("chat-1", "chat-17x", "chat-18", "chat-7", "");
  }

  @Test
  void shouldWrapAtItsWidthAndShowControlCharacters() {
    final TextLayout page =
        new TextLayout().heading("a\u001b[31m").at(7, "word ".repeat(40).strip());

    assertThat(page.toString().lines().toList()).first().isEqualTo("a\\u001b[31m");
    assertThat(page.toString().lines()).allMatch(line -> line.length() <= 92);
    assertThat(page.toString().lines().toList().get(1)).startsWith("                 7  word");
  }

  @Test
  void shouldTellGapsOfTokensThatComeInPairs() {
    final TokenTimes tokens = new TokenTimes();
    final TokenTimes.Origin late = new TokenTimes.Origin(3, 9, 8, "preempted");
    tokens.add(1, 100, new TokenTimes.Origin(1, 1, 1, null));
    tokens.add(2, 150, new TokenTimes.Origin(2, 1, 0, null));
    tokens.add(2, 350, late);

    assertThat(tokens.count()).isEqualTo(5);
    assertThat(tokens.medianGapNs()).as("of 50, 0, 200, 0").isZero();
    assertThat(tokens.longestGapNs()).isEqualTo(200);
    assertThat(tokens.tokenAfterLongestGap()).isEqualTo(4);
    assertThat(tokens.longestGapOrigin()).isSameAs(late);
  }
}
