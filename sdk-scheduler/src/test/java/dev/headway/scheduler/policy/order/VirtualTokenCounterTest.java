package dev.headway.scheduler.policy.order;

import static dev.headway.scheduler.policy.order.Orders.asking;
import static dev.headway.scheduler.policy.order.Orders.ranked;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.Request;
import dev.headway.api.step.EntryKind;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VirtualTokenCounterTest {

  private final VirtualTokenCounter given = new VirtualTokenCounter(1, 2, Map.of("heavy", 10.0));
  private long number;

  @Test
  void shouldChargePromptsAtAdmissionLessWhatWasCached() {
    final FakeRequest request = queued("a", 100);

    given.onAdmitted(request, 30);

    assertThat(given.service("a")).isEqualTo(70);
  }

  @Test
  void shouldChargeOutputsWithTheirWeight() {
    final FakeRequest request = queued("a", 100);
    given.onAdmitted(request, 100);

    given.onServed(new FakePlan().add(request, EntryKind.RUNNING, 1, 3));

    assertThat(given.service("a")).isEqualTo(6);
  }

  @Test
  void shouldChargeTheLastOutputsOfARequestThatHasEnded() {
    final FakeRequest request = queued("a", 100);
    given.onAdmitted(request, 100);
    given.onFinished(request);

    given.onServed(new FakePlan().add(request, EntryKind.RUNNING, 1, 1));

    assertThat(given.service("a")).isEqualTo(2);
  }

  @Test
  void shouldChargeLessForAHeavierTenant() {
    given.onAdmitted(queued("heavy", 100), 0);

    assertThat(given.service("heavy")).isEqualTo(10);
  }

  @Test
  void shouldNotChargeAgainAfterAPreemption() {
    final FakeRequest request = queued("a", 100);

    given.onAdmitted(request, 0);
    given.onAdmitted(request, 0);

    assertThat(given.service("a")).isEqualTo(100);
  }

  @Test
  void shouldTakeTheTenantWithTheLeastServiceFirst() {
    given.onAdmitted(queued("a", 100), 0);
    given.onAdmitted(queued("b", 50), 0);
    final FakeRequest ofA = queued("a", 1);
    final FakeRequest ofB = queued("b", 1);

    // b is lifted to a, the only one waiting when it arrived: the order is that of arrival
    assertThat(ranked(given, ofA, ofB)).containsExactly(2L, 3L);

    given.onAdmitted(queued("a", 20), 0);
    assertThat(ranked(given, ofA, ofB)).containsExactly(3L, 2L);
  }

  @Test
  void shouldLiftWhoComesBackToTheLeastOfThoseWhoWait() {
    queued("b", 1);
    queued("b", 1);
    given.onAdmitted(queued("b", 500), 0);

    queued("late", 1);

    assertThat(given.service("late")).isEqualTo(500);
  }

  @Test
  void shouldLiftWhoComesToAnEmptyQueueToTheLastOneThatLeftIt() {
    given.onAdmitted(queued("b", 500), 0);

    queued("late", 1);

    assertThat(given.service("late")).isEqualTo(500);
  }

  @Test
  void shouldForgetWhoEndedInTheQueue() {
    final FakeRequest cancelled = queued("a", 100);
    given.onFinished(cancelled);
    given.onAdmitted(queued("b", 500), 0);
    queued("b", 1);

    queued("a", 1);

    assertThat(given.service("a")).isEqualTo(500);
  }

  @Test
  void shouldPutRequestsWithoutATenantOnOneAccount() {
    final Request request = asking(0, 1, 40).build();
    final FakeRequest nobodys = FakeRequest.of(number++, request);
    given.onQueued(nobodys);

    given.onAdmitted(nobodys, 0);

    assertThat(given.service("")).isEqualTo(40);
  }

  @Test
  void shouldReuseAccountsOfTenantsThatAreGone() {
    final TenantAccounts accounts = new TenantAccounts(Map.of());
    final int busy = accounts.open("busy");
    accounts.arrive(busy);
    accounts.arrive(busy);
    for (int i = 0; i < 100_000; i++) {
      final int tenant = accounts.open("tenant-" + i);
      accounts.arrive(tenant);
      accounts.charge(tenant, 1);
      accounts.leaveQueue(tenant);
      accounts.end(tenant);
      accounts.charge(busy, 2);
    }

    assertThat(accounts.size()).isLessThan(64);
    assertThat(accounts.service(busy)).isEqualTo(200_000);
  }

  private FakeRequest queued(String tenant, int promptTokens) {
    final FakeRequest request =
        FakeRequest.of(number++, asking(number, 1, promptTokens).tenant(tenant).build());
    given.onQueued(request);
    return request;
  }
}
