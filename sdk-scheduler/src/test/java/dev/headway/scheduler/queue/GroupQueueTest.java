package dev.headway.scheduler.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.policy.GroupOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.probe.ScoredEvent;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.guard.GuardLimits;
import dev.headway.scheduler.policy.guard.GuardedPolicies;
import dev.headway.scheduler.state.RequestState;
import dev.headway.testkit.policy.PolicyContract;
import dev.headway.testkit.policy.SampleStep;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of all that wait, the first request of the group with the smallest score comes first. */
class GroupQueueTest {

  private final Served order = new Served();
  private final List<String> scored = new ArrayList<>();
  private final GroupQueue given = queue(order);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void shouldConsiderTheFirstOfTheLeastServedGroup(long seed) {
    final Random random = new Random(seed);
    final List<RequestState> all = new ArrayList<>();
    final Comparator<RequestState> first =
        Comparator.comparingDouble((RequestState request) -> order.score(order.group(request)))
            .thenComparingLong(RequestState::number);

    for (int step = 0; step < 3_000; step++) {
      final String where = "seed=" + seed + ", step=" + step;
      for (int i = random.nextInt(4); i > 0 && all.size() < 200; i--) {
        final RequestState added = request(random.nextInt(Served.GROUPS));
        given.add(added);
        all.add(added);
      }
      if (!all.isEmpty() && random.nextInt(3) == 0) {
        given.remove(all.remove(random.nextInt(all.size())));
      }
      order.serve(random.nextInt(Served.GROUPS), random.nextInt(3));
      final List<RequestState> left = new ArrayList<>(all);

      given.begin();
      for (int i = random.nextInt(8); i > 0; i--) {
        final RequestState head = given.peek();
        assertThat(head).as(where).isSameAs(left.stream().min(first).orElse(null));
        if (head == null) {
          break;
        }
        left.remove(head);
        if (random.nextBoolean()) {
          given.passOver(head);
          if (random.nextInt(4) == 0) { // aborted by a listener of the same step
            given.remove(head);
            all.remove(head);
          }
        } else {
          given.remove(head);
          all.remove(head);
          order.serve((int) head.orderGroup, 1 + random.nextInt(5));
          given.admitted();
        }
      }
      given.end();

      assertThat(given.neverPassedOver()).as(where).isEqualTo(all.size());
      final List<RequestState> visited = new ArrayList<>();
      given.forEachInOrder(visited::add);
      assertThat(visited).as(where).containsExactlyInAnyOrderElementsOf(all);
    }
  }

  @Test
  void shouldAskForNoScoreOfGroupsThatOnlyWait() {
    for (int group = 0; group < Served.GROUPS; group++) {
      order.serve(group, group);
      for (int i = 0; i < 1_000; i++) {
        given.add(request(group));
      }
    }
    order.asked = 0;

    for (int step = 0; step < 1_000; step++) {
      given.begin();
      final RequestState head = given.peek();
      assertThat(head).isNotNull();
      given.remove(head);
      given.admitted();
      given.peek();
      given.end();
    }

    assertThat(order.asked).isEqualTo(2_000);
  }

  @Test
  void shouldGoByArrivalOnceThePolicyIsNotAskedAnyMore() {
    final GroupOrder breaks =
        new GroupOrder() {
          @Override
          public long group(RequestView request) {
            return order.group(request);
          }

          @Override
          public double score(long group) {
            if (order.asked++ < 8) {
              return -group;
            }
            throw new AssertionError("a policy that breaks");
          }
        };
    final GroupQueue queue = queue(breaks);
    final RequestState first = request(0);
    final RequestState second = request(1);
    queue.add(first);
    queue.add(second);
    queue.begin();
    assertThat(queue.peek()).isSameAs(second);
    for (int i = 0; i < 8; i++) {
      queue.peek();
    }
    queue.end();

    queue.begin();

    assertThat(queue.peek()).isSameAs(first);
  }

  @Test
  void shouldPutARequestWithAnImpossibleGroupIntoThatOfTheOneBefore() {
    final GroupOrder impossible =
        new GroupOrder() {
          @Override
          public long group(RequestView request) {
            return request.number() == 2 ? -7 : request.number();
          }

          @Override
          public double score(long group) {
            return -group;
          }
        };
    final GroupQueue queue = queue(impossible);
    final RequestState zero = request(0);
    final RequestState one = request(0);
    final RequestState two = request(0);

    List.of(zero, one, two).forEach(queue::add);

    assertThat(two.orderGroup).isEqualTo(one.orderGroup).isEqualTo(1);
    assertThat(queue.peek()).isSameAs(one);
  }

  @Test
  void shouldReportTheScoreOfWhoIsConsideredOnce() {
    order.serve(1, 5);
    given.add(request(1));
    given.add(request(2));

    given.begin();
    given.peek();
    given.peek();
    given.passOver(given.peek());
    given.peek();
    given.end();

    assertThat(scored).containsExactly("r1=0.0", "r0=5.0");
  }

  private GroupQueue queue(GroupOrder groups) {
    final Probe probe =
        new Probe() {
          @Override
          public Set<ProbeInterest> interests() {
            return EnumSet.of(ProbeInterest.SCORES);
          }

          @Override
          public void onScored(ScoredEvent event) {
            scored.add(event.request().id() + "=" + event.score());
          }
        };
    return new GroupQueue(
        new GuardedPolicies(
            Policies.builder().order(groups).build(), GuardLimits.DEFAULT, System::nanoTime),
        SampleStep.of(PolicyContract.CONFIG, 16, 64).build(),
        new SchedulerEvents(probe));
  }

  private long requests;

  private RequestState request(int group) {
    final Request request =
        Request.builder("r" + requests, 1).maxTokens(1).tenant("" + group).build();
    return new RequestState(request, Unheard.NONE, requests, requests, requests++);
  }

  /** Groups that are served more and more, the least served first. */
  private static final class Served implements GroupOrder {

    static final int GROUPS = 7;

    final double[] service = new double[GROUPS];
    int asked;

    void serve(int group, int tokens) {
      service[group] += tokens;
    }

    @Override
    public long group(RequestView request) {
      return Integer.parseInt(request.tenant());
    }

    @Override
    public double score(long group) {
      asked++;
      return service[(int) group];
    }
  }
}
