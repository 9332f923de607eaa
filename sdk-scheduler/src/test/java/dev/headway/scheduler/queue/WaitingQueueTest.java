package dev.headway.scheduler.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.scheduler.state.RequestState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queues and the running list, against plain lists. */
class WaitingQueueTest {

  @Test
  void shouldKeepTheOrderOfArrival() {
    final WaitingQueue given = new FcfsQueue();

    given.add(request("a", 9, 1));
    given.add(request("b", 0, 2));

    assertThat(order(given)).containsExactly("a", "b");
    assertThat(given.peek().id()).isEqualTo("a");
  }

  @Test
  void shouldPutEachPreemptedRequestInFrontOfThoseBefore() {
    final WaitingQueue given = new FcfsQueue();
    given.add(request("new", 0, 9));

    given.putBack(request("younger", 0, 2));
    given.putBack(request("older", 0, 1));

    assertThat(order(given)).containsExactly("older", "younger", "new");
  }

  @Test
  void shouldOrderByPriorityThenArrivalThenId() {
    final WaitingQueue given = new RequestHeap(PriorityOrder::compare);

    given.add(request("c", 1, 5));
    given.add(request("b", 1, 5));
    given.add(request("early", 1, 4));
    given.add(request("urgent", 0, 9));
    given.putBack(request("a", 1, 5));

    assertThat(order(given)).containsExactly("urgent", "early", "a", "b", "c");
  }

  @Test
  void shouldOrderExtremePrioritiesAndArrivals() {
    final WaitingQueue given = new RequestHeap(PriorityOrder::compare);

    given.add(request("worst", Integer.MAX_VALUE, 0));
    given.add(request("best", Integer.MIN_VALUE, Long.MAX_VALUE));
    given.add(request("second", Integer.MIN_VALUE + 1, Long.MIN_VALUE));

    assertThat(order(given)).containsExactly("best", "second", "worst");
  }

  @Test
  void shouldBeEmptyAgain() {
    for (WaitingQueue given : List.of(new FcfsQueue(), new RequestHeap(PriorityOrder::compare))) {
      final RequestState only = request("a", 0, 0);
      given.add(only);

      given.remove(only);

      assertThat(given.peek()).isNull();
      assertThat(given.size()).isZero();
      given.add(only);
      assertThat(given.peek()).isSameAs(only);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void shouldKeepTheOrderOfArrivalUnderRandomUse(long seed) {
    final Random random = new Random(seed);
    final WaitingQueue queue = new FcfsQueue();
    final List<RequestState> expected = new ArrayList<>();

    for (int i = 0; i < 3_000; i++) {
      if (expected.size() < 5 || random.nextBoolean()) {
        final RequestState request = request("r" + i, 0, i);
        if (random.nextInt(4) == 0) {
          queue.putBack(request);
          expected.addFirst(request);
        } else {
          queue.add(request);
          expected.add(request);
        }
      } else {
        queue.remove(expected.remove(random.nextInt(expected.size())));
      }
      assertSame(queue, expected, seed, i);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void shouldKeepTheOrderOfPriorityUnderRandomUse(long seed) {
    final Random random = new Random(seed);
    final WaitingQueue queue = new RequestHeap(PriorityOrder::compare);
    final List<RequestState> expected = new ArrayList<>();
    final Comparator<RequestState> order =
        Comparator.comparingInt((RequestState r) -> r.priority())
            .thenComparingLong(RequestState::arrivalNs)
            .thenComparing(RequestState::id);

    for (int i = 0; i < 3_000; i++) {
      if (expected.size() < 5 || expected.size() < 150 && random.nextBoolean()) {
        final RequestState request =
            request("r" + random.nextInt(1_000_000), random.nextInt(4) - 2, random.nextInt(6));
        queue.add(request);
        expected.add(request);
        expected.sort(order);
      } else {
        final int index = random.nextBoolean() ? 0 : random.nextInt(expected.size());
        queue.remove(expected.remove(index));
      }
      assertThat(queue.peek())
          .as("seed=%d, operation=%d", seed, i)
          .isSameAs(expected.isEmpty() ? null : expected.getFirst());
      if (i % 16 == 0) {
        assertSame(queue, expected, seed, i);
      }
    }
    while (!expected.isEmpty()) {
      final RequestState head = expected.removeFirst();
      assertThat(queue.peek()).as("seed=%d", seed).isSameAs(head);
      queue.remove(head);
    }
  }

  @Test
  void shouldChooseTheLastAdmittedAsVictim() {
    final RunningList given = running(request("a", 9, 9), request("b", 0, 0));

    assertThat(VictimRule.LAST_ADMITTED.select(given)).isEqualTo(1);
  }

  @Test
  void shouldChooseTheLeastImportantThenTheLatestThenTheFirstInTheListAsVictimLikeVllm() {
    assertThat(
            VictimRule.LEAST_IMPORTANT_LIKE_VLLM.select(
                running(request("a", 1, 9), request("b", 2, 1), request("c", 0, 5))))
        .isEqualTo(1);
    assertThat(
            VictimRule.LEAST_IMPORTANT_LIKE_VLLM.select(
                running(request("a", 1, 1), request("b", 1, 9), request("c", 1, 5))))
        .isEqualTo(1);
    assertThat(
            VictimRule.LEAST_IMPORTANT_LIKE_VLLM.select(
                running(request("z", 0, 1), request("b", 1, 1), request("c", 1, 1))))
        .as("ids play no part")
        .isEqualTo(1);
  }

  @Test
  void shouldChooseTheOneThatIsAdmittedLastAsVictim() {
    assertThat(
            VictimRule.LEAST_IMPORTANT.select(
                running(request("a", 1, 1), request("b", 1, 9), request("c", 1, 5))))
        .isEqualTo(1);
    assertThat(
            VictimRule.LEAST_IMPORTANT.select(
                running(request("z", 0, 1), request("b", 1, 1), request("c", 1, 1))))
        .as("ids break ties as in the order of admission")
        .isEqualTo(2);
  }

  @Test
  void shouldCloseTheGapWhenARunningRequestLeaves() {
    final RequestState b = request("b", 0, 0);
    final RunningList given = running(request("a", 0, 0), b, request("c", 0, 0));
    assertThat(given.isFull()).isTrue();

    given.remove(b);
    given.remove(b);

    assertThat(given.size()).isEqualTo(2);
    assertThat(given.get(1).id()).isEqualTo("c");
    assertThat(given.isFull()).isFalse();
    assertThat(given.removeAt(0).id()).isEqualTo("a");
  }

  @Test
  void shouldTakeOutAllThatHaveEndedAndKeepTheOrder() {
    final RunningList given =
        running(request("a", 0, 0), request("b", 0, 0), request("c", 0, 0), request("d", 0, 0));
    for (int i = 0; i < 4; i++) {
      given.get(i).status = i % 2 == 0 ? RequestStatus.FINISHED : RequestStatus.RUNNING;
    }

    given.removeEnded();

    assertThat(given.size()).isEqualTo(2);
    assertThat(given.get(0).id()).isEqualTo("b");
    assertThat(given.get(1).id()).isEqualTo("d");
  }

  private static RunningList running(RequestState... requests) {
    final RunningList list = new RunningList(requests.length);
    for (RequestState request : requests) {
      list.add(request);
    }
    return list;
  }

  private static RequestState request(String id, int priority, long arrivalNs) {
    final Request request = Request.builder(id, 1).maxTokens(1).priority(priority).build();
    return new RequestState(request, Unheard.NONE, 0, arrivalNs, arrivalNs);
  }

  private static List<String> order(WaitingQueue queue) {
    final List<String> ids = new ArrayList<>();
    queue.forEachInOrder(request -> ids.add(request.id()));
    return ids;
  }

  private static void assertSame(
      WaitingQueue queue, List<RequestState> expected, long seed, int operation) {
    final List<RequestState> actual = new ArrayList<>();
    queue.forEachInOrder(actual::add);
    assertThat(actual).as("seed=%d, operation=%d", seed, operation).isEqualTo(expected);
    assertThat(queue.size())
        .as("seed=%d, operation=%d", seed, operation)
        .isEqualTo(expected.size());
  }
}
