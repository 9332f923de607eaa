package dev.headway.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WaitTimesTest {

  @Test
  void shouldListWaitsByReason() {
    final long[] ns = new long[WaitReason.WATERMARK.ordinal() + 1];
    ns[WaitReason.INITIAL_WAITING.ordinal()] = 5;
    ns[WaitReason.WATERMARK.ordinal()] = 7;

    final WaitTimes waits = WaitTimes.of(ns);

    assertThat(waits.byReason())
        .containsExactly(
            Map.entry(WaitReason.INITIAL_WAITING, 5L), Map.entry(WaitReason.WATERMARK, 7L));
    assertThat(waits.ns(WaitReason.RECOMPUTATION)).isZero();
    assertThat(waits.totalNs()).isEqualTo(12);
    assertThat(waits).hasToString("{initial_waiting=5 ns, watermark=7 ns}");
  }

  @Test
  void shouldBeNoneWithoutAWait() {
    assertThat(WaitTimes.of(new long[0])).isSameAs(WaitTimes.NONE);
    assertThat(WaitTimes.of(new long[WaitReason.values().length])).isSameAs(WaitTimes.NONE);
    assertThat(WaitTimes.NONE.byReason()).isEmpty();
    assertThat(WaitTimes.NONE.totalNs()).isZero();
    assertThat(WaitTimes.NONE).hasToString("{}");
  }

  @Test
  void shouldTakeArraysOfAnyLengthAndCopyThem() {
    final WaitReason last = WaitReason.values()[WaitReason.values().length - 1];
    final long[] tooLong = new long[last.ordinal() + 3];
    Arrays.fill(tooLong, 4);

    final WaitTimes waits = WaitTimes.of(tooLong);
    tooLong[last.ordinal()] = 9;

    assertThat(waits.ns(last)).isEqualTo(4);
    assertThat(waits.totalNs()).isEqualTo(4L * WaitReason.values().length);
    assertThat(WaitTimes.of(new long[] {3}).ns(last)).isZero();
    assertThat(WaitTimes.of(new long[] {3}).totalNs()).isEqualTo(3);
  }
}
