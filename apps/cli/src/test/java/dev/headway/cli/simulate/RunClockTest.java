package dev.headway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.simulation.run.EngineSettings;
import org.junit.jupiter.api.Test;

class RunClockTest {

  @Test
  void shouldStandAtTheStartUntilTheRunBegins() throws InterruptedException {
    final RunClock clock = new RunClock();
    Thread.sleep(20); // an executor starts

    assertThat(clock.nanoTime()).isZero();
    assertThatThrownBy(clock::anchor).hasMessage("the clock of a run must have begun");
    final long beforeNs = System.nanoTime();
    clock.begin();
    final long nowNs = clock.nanoTime();
    final long sinceNs = System.nanoTime() - beforeNs;
    clock.sleepUntil(nowNs + 1_000_000);

    assertThat(nowNs).isLessThanOrEqualTo(sinceNs);
    assertThat(clock.nanoTime()).isGreaterThanOrEqualTo(nowNs + 1_000_000);
    assertThat(clock.anchor()).isSameAs(clock.anchor());
  }

  @Test
  void shouldBeTheClockOfARunInRealTime() throws Exception {
    final EngineSettings settings =
        new EngineOptions().settings(PolicyChoice.parse("fcfs").requireNoEngineOptions());
    final Pace pace = Pace.simulatedInRealTime(settings);
    Thread.sleep(20);

    assertThat(pace.clock().nanoTime()).isZero();
    pace.begin();
    Thread.sleep(1);
    assertThat(pace.clock().nanoTime()).isPositive();
  }
}
