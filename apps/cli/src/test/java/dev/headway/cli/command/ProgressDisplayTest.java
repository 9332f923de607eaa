package dev.headway.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressDisplayTest {

  @Test
  void shouldSayHowFarAJournalIsReadAtEachTenthAndNotTooOften() {
    final List<String> lines = new ArrayList<>();
    final AtomicLong nowNs = new AtomicLong(7);
    try (ProgressDisplay progress = of(100, lines, nowNs)) {
      progress.advanced(5, -1, 100);
      nowNs.addAndGet(ProgressDisplay.LINE_EVERY_NS);
      progress.advanced(10, -1, 250);
      progress.advanced(15, -1, 300);
      nowNs.addAndGet(ProgressDisplay.LINE_EVERY_NS);
      progress.advanced(16, -1, 299);
      progress.advanced(17, -1, 300);
    }

    assertThat(lines).containsExactly("25 %, 10 records", "30 %, 17 records");
  }

  @Test
  void shouldPrintLines() {
    assertThat(ProgressDisplay.line(10, 2_500, 417)).isEqualTo("41 %, 10 records, 2,500 rows");
    assertThat(ProgressDisplay.line(10, 250, -1)).isEqualTo("10 records, 250 rows");
    assertThat(ProgressDisplay.line(10, -1, 5)).isEqualTo("0 %, 10 records");
    assertThat(ProgressDisplay.line(5, -1, -1)).isEqualTo("5 records");
  }

  @Test
  void shouldSayOfOtherWorkTheSameWay() {
    final List<String> lines = new ArrayList<>();
    final AtomicLong nowNs = new AtomicLong(7);
    try (ProgressDisplay known = of(2_000, lines, nowNs);
        ProgressDisplay unknown = of(-1, lines, nowNs)) {
      known.to(600);
      unknown.to(600);
      nowNs.addAndGet(ProgressDisplay.LINE_EVERY_NS);
      known.to(1_200);
      unknown.to(1_200);
    }

    assertThat(lines).containsExactly("60 %, 1,200 requests", "1,200 requests");
  }

  private static ProgressDisplay of(long total, List<String> lines, AtomicLong nowNs) {
    return new ProgressDisplay(null, total, " requests", lines::add, nowNs::get);
  }
}
