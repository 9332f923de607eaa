package dev.headway.simulation.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TenantFairnessTest {

  private final TenantFairness fairness = new TenantFairness(100);
  private final TenantFairness.Account a = fairness.of("a");
  private final TenantFairness.Account b = fairness.of("b");

  private void window(int number, double toA, double toB) {
    a.receives(toA);
    b.receives(toB);
    fairness.stepEnded(number * 100L + 50);
    fairness.stepEnded(number * 100L + 100);
  }

  @Test
  void shouldCompareTenantsThatWaitAllTheTime() {
    a.waits();
    b.waits();
    window(0, 0, 0); // from here on both have waited since the beginning of the window
    window(1, 10, 10);
    assertThat(fairness.index()).isEqualTo(1);
    window(2, 20, 0);
    assertThat(fairness.index()).isEqualTo((1 + 0.5) / 2);
  }

  @Test
  void shouldLeaveOutWhoGotAllItAskedFor() {
    a.waits();
    b.waits();
    window(0, 0, 0);
    b.stopsWaiting();
    window(1, 50, 1);

    assertThat(fairness.index()).isEqualTo(1);
  }

  @Test
  void shouldKnowNothingIfNobodyWaits() {
    window(0, 10, 20);
    window(1, 10, 20);

    assertThat(fairness.index()).isNaN();
  }
}
