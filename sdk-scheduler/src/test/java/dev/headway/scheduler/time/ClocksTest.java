package dev.headway.scheduler.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.time.ClockAnchor;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The two clocks. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClocksTest {

  private final SystemNanoClock system = new SystemNanoClock();
  private final VirtualClock virtual = new VirtualClock();

  @Test
  void shouldNeverGoBackOnTheMachinesClock() {
    long before = system.nanoTime();

    assertThat(before).isNotNegative();
    for (int i = 0; i < 100_000; i++) {
      final long now = system.nanoTime();
      assertThat(now >= before).isTrue();
      before = now;
    }
    assertThat(system.isVirtual()).isFalse();
  }

  @Test
  void shouldTieTheMachinesClockToCalendarTime() {
    final ClockAnchor anchor = system.anchor();
    final Instant now = Instant.now();

    final long epochNs = anchor.toUnixEpochNs(system.nanoTime());

    assertThat(anchor.errorNs()).isBetween(0L, TimeUnit.SECONDS.toNanos(1));
    assertThat(anchor.monotonicNs()).isBetween(0L, system.nanoTime());
    assertThat(system.anchor()).isSameAs(anchor);
    assertThat(TimeUnit.NANOSECONDS.toMillis(epochNs))
        .isCloseTo(now.toEpochMilli(), within(TimeUnit.SECONDS.toMillis(10)));
  }

  @Test
  void shouldMeasureTheMachineBesideVirtualTimeWhereAskedTo() {
    final VirtualClock measuring = VirtualClock.measuringHost();
    final long beforeNs = System.nanoTime();
    final long hostNs = measuring.hostNanoTime();

    virtual.advance(5);

    assertThat(hostNs).isBetween(beforeNs, System.nanoTime());
    assertThat(measuring.nanoTime()).isZero();
    assertThat(virtual.hostNanoTime()).isEqualTo(5);
    assertThat(system.hostNanoTime()).isLessThanOrEqualTo(system.nanoTime());
  }

  @Test
  void shouldSleepUntilTheInstantAndNotLess() {
    final long deadlineNs = system.nanoTime() + TimeUnit.MILLISECONDS.toNanos(3);

    system.sleepUntil(deadlineNs);

    assertThat(system.nanoTime()).isGreaterThanOrEqualTo(deadlineNs);
  }

  @Test
  void shouldReturnAtOnceFromAnInstantInThePast() {
    system.sleepUntil(0);
    system.sleepUntil(-1);
    system.sleepUntil(Long.MIN_VALUE / 2);
  }

  @Test
  void shouldEndTheSleepOfAnInterruptedThreadAndKeepItsFlag() {
    Thread.currentThread().interrupt();

    system.sleepUntil(Long.MAX_VALUE);

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void shouldEndTheSleepOfAThreadThatIsInterruptedInIt() throws Exception {
    final Thread sleeper =
        Thread.ofPlatform().start(() -> system.sleepUntil(TimeUnit.DAYS.toNanos(1)));
    while (sleeper.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }

    sleeper.interrupt();
    sleeper.join();

    assertThat(system.nanoTime()).isLessThan(TimeUnit.DAYS.toNanos(1));
  }

  @Test
  void shouldStandStillInVirtualTimeUntilSomebodyWaits() {
    assertThat(virtual.nanoTime()).isZero();
    assertThat(virtual.nanoTime()).isZero();

    virtual.sleepUntil(70);
    assertThat(virtual.nanoTime()).isEqualTo(70);
    virtual.sleepUntil(30); // the past
    assertThat(virtual.nanoTime()).isEqualTo(70);
    virtual.advance(5);

    assertThat(virtual.nanoTime()).isEqualTo(75);
    assertThat(virtual.isVirtual()).isTrue();
  }

  @Test
  void shouldSleepInVirtualTimeThoughInterrupted() {
    Thread.currentThread().interrupt();

    virtual.sleepUntil(70);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(virtual.nanoTime()).isEqualTo(70);
  }

  @Test
  void shouldRefuseToGoBackOrPastTheEndOfVirtualTime() {
    assertThatThrownBy(() -> virtual.advance(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("durationNs must be >= 0: durationNs=-1");
    virtual.sleepUntil(Long.MAX_VALUE);
    assertThatThrownBy(() -> virtual.advance(1)).isInstanceOf(ArithmeticException.class);
    assertThat(virtual.nanoTime()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldHaveTheEpochForVirtualAnchor() {
    assertThat(virtual.anchor()).isEqualTo(new ClockAnchor(0, 0, 0));
  }

  @Test
  void shouldKeepTwoVirtualClocksApart() {
    final VirtualClock other = new VirtualClock();

    virtual.advance(10);

    assertThat(other.nanoTime()).isZero();
  }
}
