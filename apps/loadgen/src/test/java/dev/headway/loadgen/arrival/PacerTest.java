package dev.headway.loadgen.arrival;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.routing.timing.HostClock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PacerTest {

  @Test
  void shouldLetNothingGoBeforeItsTime() {
    final long[] offsetsNs = LongStream.range(0, 50).map(i -> i * 1_000_000).toArray();
    final List<Long> earlyNs = new ArrayList<>();
    final long startNs = HostClock.nanoTime();

    final int released =
        new Pacer(() -> false)
            .run(
                startNs,
                offsetsNs,
                (i, dueNs) -> earlyNs.add(startNs + offsetsNs[i] - HostClock.nanoTime()));

    assertThat(released).isEqualTo(50);
    assertThat(earlyNs).hasSize(50).allSatisfy(early -> assertThat(early).isLessThanOrEqualTo(0));
  }

  /** A release that takes long makes the next ones late, not the whole schedule longer. */
  @Test
  void shouldMeetDeadlinesThatHavePassedAtOnce() {
    final long[] offsetsNs = LongStream.range(0, 20).map(i -> i * 1_000_000).toArray();
    final long startNs = HostClock.nanoTime();
    final List<Long> dues = new ArrayList<>();

    new Pacer(() -> false)
        .run(
            startNs,
            offsetsNs,
            (i, dueNs) -> {
              dues.add(dueNs - startNs);
              if (i == 0) {
                final long untilNs = HostClock.nanoTime() + 30_000_000;
                while (HostClock.nanoTime() < untilNs) {
                  Thread.onSpinWait();
                }
              }
            });

    assertThat(dues)
        .as("the schedule's times, however late")
        .hasSize(20)
        .last()
        .isEqualTo(19_000_000L);
  }

  @Test
  void shouldStopBetweenTwoReleases() {
    final List<Integer> released = new ArrayList<>();

    final int count =
        new Pacer(() -> released.size() == 3)
            .run(
                HostClock.nanoTime(),
                new long[] {0, 0, 0, 0, Long.MAX_VALUE / 4},
                (i, dueNs) -> released.add(i));

    assertThat(count).isEqualTo(3);
  }
}
