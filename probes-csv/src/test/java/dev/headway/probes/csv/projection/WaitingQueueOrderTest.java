package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.record.QueuedRecord;
import dev.headway.probes.csv.EventScript;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The positions of requests in the queue, against a list that is walked at each plan. */
class WaitingQueueOrderTest {

  private static final int ARRIVALS = 1_200;

  /** What a walk over the whole queue at each plan finds. */
  private static final class Walked {
    final List<String> changes = new ArrayList<>();
    int first = -1;
    int last = -1;
    int largest;
    long sum;
    long count;

    void at(long iteration, int position) {
      first = first < 0 ? position : first;
      largest = Math.max(largest, position);
      sum += position;
      count++;
      if (position != last) {
        changes.add("[" + iteration + "," + position + "]");
      }
      last = position;
    }
  }

  @ParameterizedTest
  @CsvSource({"FCFS, 1, 60", "FCFS, 2, 60", "FCFS, 3, 600", "PRIORITY, 4, 60", "PRIORITY, 5, 600"})
  void shouldFindEveryPositionThatAWalkFinds(String policy, long seed, int most) {
    final Random random = new Random(seed);
    final WaitingQueueOrder queue = WaitingQueueOrder.of(Map.of("queuePolicy", policy));
    final List<RequestCells> waiting = new ArrayList<>();
    final List<RequestCells> running = new ArrayList<>();
    final Map<RequestCells, Walked> walked = new HashMap<>();
    final List<RequestCells> requests = requests(ARRIVALS, random);
    int arrived = 0;

    for (int iteration = 0; arrived < requests.size(); iteration++) {
      for (int change = random.nextInt(6); change > 0 && arrived < requests.size(); change--) {
        final int kind = random.nextInt(10);
        if (kind < 5 && waiting.size() < most) {
          final RequestCells request = requests.get(arrived++);
          walked.put(request, new Walked());
          waiting.add(request);
          queue.queue(request);
        } else if (kind == 5 && waiting.size() < most && !running.isEmpty()) {
          final RequestCells victim = running.remove(random.nextInt(running.size()));
          waiting.add(0, victim);
          queue.putBack(victim);
        } else if (!waiting.isEmpty()) {
          final int place = random.nextInt(3) == 0 ? random.nextInt(waiting.size()) : 0;
          final RequestCells leaver = waiting.remove(place);
          running.add(leaver);
          queue.remove(leaver);
        }
        if (policy.equals("PRIORITY")) {
          waiting.sort(BY_PRIORITY);
        }
      }
      queue.planned(iteration);
      for (int position = 0; position < waiting.size(); position++) {
        walked.get(waiting.get(position)).at(iteration, position);
      }
      if (!waiting.isEmpty()) {
        final int position = random.nextInt(waiting.size());
        assertThat(queue.positionOf(waiting.get(position)))
            .as("seed=%d, iteration=%d", seed, iteration)
            .isEqualTo(position);
      }
    }
    waiting.forEach(queue::remove);

    walked.forEach(
        (request, expected) -> {
          final QueueHistory found = request.queue();
          final String of = "seed=" + seed + ", request=" + request.timeline().id();
          assertThat(found.count()).as(of).isEqualTo(expected.count);
          if (expected.count > 0) {
            assertThat(found.first()).as(of).isEqualTo(expected.first);
            assertThat(found.largest()).as(of).isEqualTo(expected.largest);
            assertThat(found.sum()).as(of).isEqualTo(expected.sum);
          }
          if (most <= WaitingQueueOrder.EXACT_POSITIONS && expected.changes.size() <= 16) {
            final String history = "[" + String.join(",", expected.changes) + "]";
            assertThat(found.json()).as(of).isEqualTo(expected.count == 0 ? null : history);
          }
        });
  }

  private static final Comparator<RequestCells> BY_PRIORITY =
      Comparator.comparingInt((RequestCells request) -> request.timeline().queued().priority())
          .thenComparingLong(request -> request.timeline().queued().arrivalNs())
          .thenComparing(request -> request.timeline().id());

  private static List<RequestCells> requests(int count, Random random) {
    final EventScript script = EventScript.full();
    for (int number = 0; number < count; number++) {
      final QueuedRecord queued = queued(number, random.nextInt(5));
      script.add(visitor -> visitor.onQueued(queued));
    }
    final List<RequestCells> requests = new ArrayList<>();
    script.playTo(
        new RunModel(
            new RunListener() {
              @Override
              public void onQueued(RequestTimeline request) {
                requests.add(new RequestCells(request, request.id()));
              }
            }));
    return requests;
  }

  private static QueuedRecord queued(int number, int priority) {
    return new QueuedRecord(
        number, "r" + number, number, number, 8, 8, 0, priority, null, ABSENT, ABSENT, null, null);
  }
}
