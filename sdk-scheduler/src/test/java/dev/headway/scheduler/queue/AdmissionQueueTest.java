package dev.headway.scheduler.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.guard.GuardLimits;
import dev.headway.scheduler.policy.guard.GuardedPolicies;
import dev.headway.scheduler.state.RequestState;
import dev.headway.scheduler.state.RequestState.Held;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holding requests back changes who is looked at, never who is considered, nor when. */
class AdmissionQueueTest {

  private static final int ADAPTERS = 9;
  private static final int SEATS = 3;
  private final Seats seats = new Seats();
  private final List<RequestState> released = new ArrayList<>();

  @ParameterizedTest
  @CsvSource({"priority, 1", "priority, 2", "priority, 3", "key, 4", "key, 5", "key, 6"})
  void shouldConsiderTheSameRequestsInTheSameOrderAsWithoutHoldingBack(String order, long seed) {
    final Random random = new Random(seed);
    final AdmissionQueue given = new AdmissionQueue(order(order), seats, released::add);
    final List<RequestState> all = new ArrayList<>();
    int looks = 0;

    for (int step = 0; step < 2_000; step++) {
      final String where = "order=" + order + ", seed=" + seed + ", step=" + step;
      for (int i = random.nextInt(4); i > 0 && all.size() < 300; i--) {
        final RequestState added = request(all.size() + 1_000 * step, random);
        given.add(added);
        all.add(added);
      }
      if (!all.isEmpty() && random.nextInt(3) == 0) {
        given.remove(all.remove(random.nextInt(all.size())));
      }
      seats.draw(random);
      all.sort(order.equals("key") ? BY_KEY : PriorityOrder::compare);
      final int most = random.nextInt(12);
      final List<RequestState> expected =
          all.stream().filter(request -> !seats.lacks(request)).limit(most).toList();

      final List<RequestState> considered = new ArrayList<>();
      given.begin();
      while (considered.size() < most && given.peek() != null) {
        final RequestState head = given.peek();
        looks++;
        if (seats.lacks(head)) {
          given.awaitAdapter(head);
        } else if (random.nextBoolean()) {
          considered.add(head);
          given.remove(head);
          all.remove(head);
        } else {
          considered.add(head);
          given.passOver(head);
        }
      }
      given.end();

      assertThat(considered).as(where).isEqualTo(expected);
      assertThat(given.size()).as(where).isEqualTo(all.size());
      for (RequestState request : all) {
        final boolean seated = seats.adapters.contains(request.adapterId());
        assertThat(request.held == Held.FOR_ADAPTER && seated)
            .as("held back for an adapter of the step: id=%s, %s", request.id(), where)
            .isFalse();
      }
    }
    assertThat(looks).as("seed=%d", seed).isLessThan(2_000 * 20);
  }

  @Test
  void shouldAskAgainInTurn() {
    final AdmissionQueue given = new AdmissionQueue(order("key"), seats, released::add);
    final int deferred = 5 * AdmissionQueue.ASKED_AGAIN;
    final Random random = new Random(1);
    for (int i = 0; i < deferred; i++) {
      given.add(request(i, random));
    }
    assertThat(deferAll(given)).hasSize(deferred);

    final Set<RequestState> asked = new HashSet<>();
    for (int step = 0; step < 5; step++) {
      final List<RequestState> now = deferAll(given);
      assertThat(now).hasSize(AdmissionQueue.ASKED_AGAIN);
      asked.addAll(now);
    }

    assertThat(asked).as("all, each once").hasSize(deferred);
    assertThat(released).hasSize(deferred);
    assertThat(given.size()).isEqualTo(deferred);
  }

  @Test
  void shouldNotAskAgainWhereNobodyIsConsidered() {
    final AdmissionQueue given = new AdmissionQueue(order("key"), seats, released::add);
    given.add(request(1, new Random(1)));
    deferAll(given);

    given.begin();
    given.end();

    assertThat(released).isEmpty();
  }

  @Test
  void shouldForgetARequestThatEndsWhileItIsHeldBack() {
    final AdmissionQueue given = new AdmissionQueue(order("priority"), seats, released::add);
    final RequestState deferred = request(1, new Random(1));
    given.add(deferred);
    deferAll(given);

    given.remove(deferred);

    assertThat(given.size()).isZero();
    assertThat(deferAll(given)).isEmpty();
  }

  private static List<RequestState> deferAll(AdmissionQueue queue) {
    final List<RequestState> asked = new ArrayList<>();
    queue.begin();
    for (RequestState head = queue.peek(); head != null; head = queue.peek()) {
      asked.add(head);
      queue.defer(head);
    }
    queue.end();
    return asked;
  }

  private static final Comparator<RequestState> BY_KEY =
      Comparator.comparingInt(RequestState::promptTokens).thenComparingLong(RequestState::number);

  private static AdmissionOrder order(String name) {
    final StaticOrder shortest = RequestView::promptTokens;
    return name.equals("priority")
        ? TwoLineQueue.byPriority()
        : new KeyedQueue(
            new GuardedPolicies(
                Policies.builder().order(shortest).build(), GuardLimits.DEFAULT, System::nanoTime));
  }

  private static RequestState request(int number, Random random) {
    final Request.Builder request =
        Request.builder("r" + number, new int[1 + random.nextInt(20)])
            .maxTokens(1)
            .priority(random.nextInt(5));
    final int adapter = random.nextInt(ADAPTERS);
    if (adapter > 0) {
      request.lora(new LoraAdapter(adapter, "a" + adapter));
    }
    return new RequestState(request.build(), Unheard.NONE, number, number, number);
  }

  /** The adapters of a step, some of {@link #SEATS}. */
  private static final class Seats implements AdapterSeats {

    final List<Integer> adapters = new ArrayList<>();

    void draw(Random random) {
      adapters.clear();
      final int taken = random.nextInt(3) == 0 ? random.nextInt(SEATS) : SEATS;
      while (adapters.size() < taken) {
        final int adapter = 1 + random.nextInt(ADAPTERS - 1);
        if (!adapters.contains(adapter)) {
          adapters.add(adapter);
        }
      }
    }

    boolean lacks(RequestState request) {
      return areTaken() && request.hasAdapter() && !adapters.contains(request.adapterId());
    }

    @Override
    public boolean areTaken() {
      return adapters.size() == SEATS;
    }

    @Override
    public int count() {
      return adapters.size();
    }

    @Override
    public int adapterId(int index) {
      return adapters.get(index);
    }

    @Override
    public boolean holds(int adapterId) {
      return adapters.contains(adapterId);
    }

    @Override
    public boolean isDrained(int adapterId) {
      return false;
    }
  }
}
