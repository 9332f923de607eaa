package dev.headway.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressDisplayTest {

  @Test
  void shouldSayHowFarAJournalIsReadEveryFewSeconds() {
    final List<String> lines = new ArrayList<>();
    final AtomicLong nowNs = new AtomicLong(7);
    try (ProgressDisplay progress = new ProgressDisplay(null, lines::add, nowNs::get)) {
      progress.advanced(5, -1, 100);
      nowNs.addAndGet(ProgressDisplay.LINE_EVERY_NS);
      progress.advanced(10, -1, 250);
      progress.advanced(15, -1, 300);
    }

    assertThat(lines).containsExactly("25.0 %, records=10");
  }

  @Test
  void shouldPrintLines() {
    assertThat(ProgressDisplay.line(10, 250, 417)).isEqualTo("41.7 %, records=10, rows=250");
    assertThat(ProgressDisplay.line(10, 250, -1)).isEqualTo("records=10, rows=250");
    assertThat(ProgressDisplay.line(10, -1, 5)).isEqualTo("0.5 %, records=10");
    assertThat(ProgressDisplay.line(5, -1, -1)).isEqualTo("records=5");
  }
}
