package dev.headway.simulation.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class GapBinsTest {

  @Test
  void shouldKeepValuesToLessThanOnePercent() {
    int before = -1;
    for (long ns = 0; ns < 1L << 50; ns = ns * 17 / 16 + 1) {
      final int bin = GapBins.binOf(ns);
      assertThat(bin).isBetween(Math.max(0, before), GapBins.BINS - 1);
      final long largest = GapBins.largestNs(bin);
      assertThat(largest).isBetween(ns, ns + ns / 128);
      assertThat(GapBins.binOf(largest)).isEqualTo(bin);
      assertThat(GapBins.binOf(largest + 1)).isEqualTo(bin + 1);
      before = bin;
    }
    assertThat(GapBins.binOf(Long.MAX_VALUE)).isEqualTo(GapBins.BINS - 1);
  }

  @Test
  void shouldTakePercentilesOfAllRequestsTogether() {
    final GapBins often = new GapBins();
    final GapBins once = new GapBins();
    for (int i = 0; i < 98; i++) {
      often.add(100 - i % 2); // in descending order too
    }
    once.add(120);
    once.add(127);
    final long[] totals = new long[GapBins.BINS];
    often.addTo(totals, 1, 0);
    once.addTo(totals, 1, 0);

    assertThat(GapBins.percentile(totals, 100, 48)).isEqualTo(99); // 49 of 99, 49 of 100, 120, 127
    assertThat(GapBins.percentile(totals, 100, 49)).isCloseTo(99.51, within(1e-9));
    assertThat(GapBins.percentile(totals, 100, 50)).isEqualTo(100);
    assertThat(GapBins.percentile(totals, 100, 99)).isCloseTo(120.07, within(1e-9));
    assertThat(GapBins.percentile(totals, 100, 100)).isEqualTo(127);
    once.addTo(totals, 2, 0);
    assertThat(GapBins.percentile(totals, 104, 97)).isEqualTo(120);
  }

  @Test
  void shouldTakePercentilesOfATailAlone() {
    final GapBins gaps = new GapBins();
    for (int i = 1; i <= 100; i++) {
      gaps.add(i);
    }
    final long[] tail = new long[GapBins.BINS];
    gaps.addTo(tail, 3, 90);

    assertThat(GapBins.percentile(tail, 3 * gaps.count(), 99)).isCloseTo(99.01, within(1e-9));
    assertThat(GapBins.percentile(tail, 3 * gaps.count(), 90)).isCloseTo(90.1, within(1e-9));
    assertThat(GapBins.percentile(tail, 3 * gaps.count(), 89)).isNaN();
  }

  @Test
  void shouldKnowNothingOfNoGaps() {
    assertThat(GapBins.percentile(new long[GapBins.BINS], 0, 50)).isNaN();
  }
}
