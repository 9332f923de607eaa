package dev.headway.events.reason;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.schedule.WaitReason;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One row for each reason, with all that readers ask for. */
class WaitReasonTableTest {

  @Test
  void shouldHaveARowForEveryReason() {
    assertThat(WaitReasonTable.all())
        .extracting(WaitReasonInfo::reason)
        .containsExactlyInAnyOrder(WaitReason.values());
    for (WaitReason reason : WaitReason.values()) {
      final WaitReasonInfo row = Objects.requireNonNull(WaitReasonTable.of(reason.label()));
      assertThat(row.reason()).isEqualTo(reason);
      assertThat(row.meaning()).as(row.label()).isNotBlank().doesNotEndWith(".");
    }
  }

  @Test
  void shouldGiveEachOwnStyleOfReportsToOneReason() {
    final List<Integer> styles =
        WaitReasonTable.all().stream()
            .map(WaitReasonInfo::style)
            .filter(style -> style != WaitReasonInfo.SHARED_STYLE)
            .sorted()
            .toList();

    assertThat(styles).isEqualTo(IntStream.range(0, WaitReasonInfo.SHARED_STYLE).boxed().toList());
  }

  @Test
  void shouldSayTheSettingWhereTheRunHasIt() {
    assertThat(WaitPhrases.meaning("max_num_seqs", Map.of("maxNumSeqs", "8")))
        .isEqualTo("all seats were taken (maxNumSeqs=8)");
    assertThat(WaitPhrases.meaning("max_num_seqs")).isEqualTo("all seats were taken");
  }

  @Test
  void shouldPassWordsOfNewerWritersOn() {
    assertThat(WaitReasonTable.of("of_tomorrow")).isNull();
    assertThat(WaitReasonTable.familyOf("of_tomorrow")).isEqualTo(WaitFamily.OTHER);
    assertThat(WaitPhrases.knows("of_tomorrow")).isFalse();
    assertThat(WaitPhrases.meaning("of_tomorrow"))
        .isEqualTo("a reason that this version does not know");
    assertThat(WaitPhrases.knows("engine_idle")).isTrue();
  }
}
