package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.headway.events.model.RunModel;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.StepScript;
import dev.headway.report.html.figures.FiguresGatherer;
import dev.headway.report.html.figures.QueueFigures;
import dev.headway.report.html.figures.QueueTrace;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ReportQueueTest {

  @Test
  void shouldFollowWhoIsAhead() throws IOException {
    final QueueFigures queue =
        queue(
            EventScript.full()
                .queued(0, "first", 0, 0, 8)
                .queued(1, "second", 10, 10, 8)
                .queued(2, "third", 20, 20, 8)
                .admitted(1, 0, 0)
                .planned(new StepScript(1, 90, 100).counts(1, 2, 0, 100))
                .admitted(2, 2, 0)
                .planned(new StepScript(2, 190, 200).counts(2, 1, 0, 100))
                .preempted(3, 0, "kv_pressure", 2, 8, 1)
                .planned(new StepScript(3, 290, 300).counts(1, 2, 1, 100))
                .resumed(4, 0, 0, 8)
                .planned(new StepScript(4, 390, 400).counts(2, 1, 0, 100))
                .admitted(5, 1, 0)
                .planned(new StepScript(5, 490, 500).counts(3, 0, 0, 100))
                .runEnded(600));

    assertThat(queue.longest())
        .extracting(QueueTrace::id, QueueTrace::lengthNs, QueueTrace::overtakenBy)
        .containsExactly(
            tuple("second", 490L, 1L), tuple("third", 180L, 0L), tuple("first", 100L, 0L));
    final QueueTrace second = queue.longest().get(0);
    assertThat(second.times()).containsExactly(10, 100, 300, 400, 500);
    assertThat(second.positions()).containsExactly(1, 0, 1, 0, 0);
    final QueueTrace third = queue.longest().get(1);
    assertThat(third.times()).containsExactly(20, 100, 200);
    assertThat(third.positions()).containsExactly(2, 1, 1);
    assertThat(queue.ahead().sum()).isEqualTo(0 + 1 + 2);
    assertThat(queue.waits().rows()).isDeepEqualTo(new double[][] {{0, 100}, {2, 180}, {1, 490}});
    assertThat(queue.notFollowed()).isZero();
  }

  @Test
  void shouldFollowAWaitToTheEndOfTheJournal() throws IOException {
    final QueueFigures queue =
        queue(
            EventScript.full()
                .queued(0, "stuck", 5, 5, 8)
                .planned(new StepScript(1, 10, 20).counts(0, 1, 0, 100))
                .runEnded(70));

    assertThat(queue.longest()).singleElement().extracting(QueueTrace::toNs).isEqualTo(70L);
    assertThat(queue.waits().rows()).isDeepEqualTo(new double[][] {{0, 65}});
  }

  @Test
  void shouldKeepFewPointsOfManyChangesAndFollowABoundedNumber() throws IOException {
    final EventScript script = EventScript.full();
    for (int i = 0; i < 300; i++) {
      script.queued(i, "r" + i, 0, 0, 8);
    }
    for (int i = 0; i < 256; i++) {
      script
          .admitted(i + 1, i, 0)
          .planned(new StepScript(i + 1, 10 * i + 9, 10 * i + 10).counts(1, 1, 0, 100));
    }

    final QueueFigures queue = queue(script.runEnded(9_000));

    assertThat(queue.notFollowed()).isEqualTo(44);
    assertThat(queue.ahead().max()).isEqualTo(299);
    assertThat(queue.waits().seen()).isEqualTo(300);
    final QueueTrace last = queue.longest().get(0);
    assertThat(last.id()).isEqualTo("r255");
    assertThat(last.lengthNs()).isEqualTo(2_560);
    assertThat(last.times().length).isBetween(64, 128);
    for (int i = 0; i < last.times().length; i++) {
      assertThat(last.positions()[i])
          .as("at %s", last.times()[i])
          .isEqualTo(Math.max(0, 255 - last.times()[i] / 10)); // one leaves every 10 ns
    }
  }

  private static QueueFigures queue(EventScript script) throws IOException {
    final FiguresGatherer gatherer = new FiguresGatherer(FiguresGatherer.LATEST);
    try (RunModel tracker = new RunModel(gatherer)) {
      script.playTo(tracker);
    }
    return gatherer.figures().queue();
  }
}
