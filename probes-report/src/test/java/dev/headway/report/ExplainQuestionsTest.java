package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.RandomRun;
import dev.headway.probes.csv.Scenarios;
import dev.headway.probes.csv.StepScript;
import dev.headway.report.explain.ExplainFixture;
import dev.headway.report.explain.Explanation;
import dev.headway.report.explain.RequestSelector;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids that are unknown, come twice, or stand in a damaged journal. */
class ExplainQuestionsTest {

  @Test
  void shouldNameIdsLikeAnUnknownOne() {
    final ExplainFixture explain = new ExplainFixture(Scenarios.preemption()::playTo);

    final Explanation.Unknown unknown = (Explanation.Unknown) explain.explain("bi");

    assertThat(unknown.message()).isEqualTo("no request of that id: id=bi, requests=4, runs=1");
    assertThat(unknown.closest()).containsExactly("b", "big", "a", "c");
  }

  @Test
  void shouldTakeTheIdThatAClientSent() {
    final EventScript script =
        EventScript.full()
            .queued(0, "chatcmpl-w-6", 0, 0, 4)
            .queued(1, "chatcmpl-both", 0, 0, 4)
            .queued(2, "cmpl-both", 0, 0, 4)
            .queued(3, "exact", 0, 0, 4)
            .queued(4, "cmpl-exact", 0, 0, 4);
    final ExplainFixture explain = new ExplainFixture(script::playTo);

    assertThat(explain.text("w-6")).startsWith("Request chatcmpl-w-6\n");
    assertThat(explain.text("exact")).startsWith("Request exact\n");
    final Explanation.Unknown several = (Explanation.Unknown) explain.explain("both");
    assertThat(several.message())
        .isEqualTo(
            "several requests have the client's id: id=both, requests=chatcmpl-both, cmpl-both;"
                + " choose one of these");
    assertThat(several.closest()).isEmpty();
  }

  @Test
  void shouldSayWhereAnIdOfAClientOccurs() {
    final EventScript script = EventScript.full().queued(0, "cmpl-w", 0, 0, 4);

    final Explanation.Unknown unknown =
        (Explanation.Unknown)
            new ExplainFixture(script::playTo)
                .explain(new RequestSelector("w", 3, RequestSelector.LATEST));

    assertThat(unknown.message())
        .isEqualTo(
            "no request of that id: id=cmpl-w, run=3, requests=1, runs=1;"
                + " it occurs as number 0 of run 0");
  }

  @Test
  void shouldNameTheStepThatHeldARequestBeforeTheQueue() {
    final StepScript busy =
        new StepScript(1, 1_000, 9_000)
            .entry(0, 4, 0, true, 1, 1)
            .counts(1, 0, 0, 99)
            .done(9_000, 12_000, 13_000, 1);
    final EventScript script =
        EventScript.full()
            .queued(0, "first", 500, 600, 4)
            .admitted(1, 0, 0)
            .planned(busy)
            .completed(busy)
            .queued(1, "held", 2_000, 13_100, 4)
            .queued(2, "free", 13_050, 13_100, 4);

    final String held = text(script, "held");

    assertThat(held)
        .contains(
            "iteration 0 was under way when it arrived, for 12.0 us, 8.00 us of it scheduling");
    assertThat(text(script, "free")).doesNotContain("under way");
    assertThat(text(script, "first")).doesNotContain("under way");
  }

  @Test
  void shouldSayWhatCameFromHostMemory() {
    final StepScript step =
        new StepScript(1, 1_000, 2_000)
            .entry(0, 4, 8, true, 1, 1)
            .counts(1, 0, 0, 99)
            .done(2_000, 3_000, 4_000, 1);
    final EventScript script =
        EventScript.full()
            .queued(0, "warm", 500, 600, 12)
            .admittedFromHost(1, 0, 8, 5)
            .planned(step)
            .completed(step);

    assertThat(text(script, "warm"))
        .contains("8 tokens found in the prefix cache, 5 of them loaded from host memory");
  }

  @Test
  void shouldSayWhyTheHeadWasRefusedInAnEarlierStep() {
    final StepScript first = new StepScript(1, 1_000, 2_000).counts(1, 2, 0, 3);
    final StepScript second = new StepScript(2, 4_000, 5_000).counts(1, 2, 0, 3);
    final EventScript script =
        EventScript.full()
            .queued(0, "head", 500, 600, 200)
            .queued(1, "behind", 500, 700, 4)
            .blocked(1, 0, "memory_insufficient", -1, 12, 3)
            .closed(1, "max_num_seqs", -1)
            .planned(first)
            .completed(first.done(2_000, 3_000, 3_500))
            .closed(2, "head_of_line", 0)
            .planned(second)
            .completed(second.done(5_000, 6_000, 6_500));

    assertThat(text(script, "behind"))
        .contains(
            "it was behind head, which had memory_insufficient"
                + " (needed 12 KV blocks, 3 were free)");
  }

  @Test
  void shouldNumberAHeadWhoseNameIsMissing() {
    final StepScript step = new StepScript(1, 1_000, 2_000).counts(1, 2, 0, 3);
    final EventScript script =
        EventScript.full()
            .dropped(1)
            .queued(1, "behind", 500, 700, 4)
            .closed(1, "head_of_line", 0)
            .planned(step)
            .completed(step.done(2_000, 3_000, 3_500));

    assertThat(text(script, "behind")).contains("it was behind request #0");
  }

  @Test
  void shouldCountTokensThoughTheAdmissionIsMissing() {
    final StepScript step =
        new StepScript(1, 1_000, 2_000)
            .entry(0, 4, 0, true, 1, 1)
            .counts(1, 0, 0, 99)
            .done(2_000, 3_000, 4_000, 1);
    final EventScript script =
        EventScript.full()
            .queued(0, "a", 500, 600, 4)
            .dropped(1)
            .planned(step)
            .finished(1, 0, "length", 1, 3_500)
            .completed(step);

    assertThat(text(script, "a")).contains("ended: length, 1 output token end to end");
  }

  /** The decode is planned while the prefill computes: its time begins with the first token. */
  @Test
  void shouldBookOverlappingStepsOneAfterTheOther() {
    final StepScript prefill =
        new StepScript(1, 1_000, 1_100).entry(0, 4, 0, true, 1, 1).counts(1, 0, 0, 99);
    final StepScript decode =
        new StepScript(2, 1_200, 1_300).entry(0, 1, 4, false, 1, 1).counts(1, 0, 0, 99);
    final EventScript script =
        EventScript.full()
            .queued(0, "a", 500, 600, 4)
            .admitted(1, 0, 0)
            .planned(prefill)
            .planned(decode)
            .firstToken(1, 0, 9_000)
            .completed(prefill.done(1_100, 9_000, 9_100, 1))
            .finished(2, 0, "length", 2, 12_000)
            .completed(decode.done(1_300, 12_000, 12_100, 1));

    final String text = text(script, "a");

    assertThat(text.indexOf("first token")).isLessThan(text.indexOf("decode for"));
    assertThat(text)
        .contains("prefill for 7.90 us (7,900 ns)")
        .contains("decode for 3.00 us (3,000 ns)")
        .contains("running: decode 3.00 us 3,000 26.1 % 0 ns");
  }

  @Test
  void shouldNameTheRequestsThatHeldTheSeats() {
    final EventScript script = EventScript.full();
    for (int i = 0; i < 10; i++) {
      script.queued(i, "r" + i, 500, 600, 4);
    }
    for (int i = 0; i < 9; i++) {
      script.admitted(1, i, 0);
    }
    final StepScript step = new StepScript(1, 1_000, 2_000).counts(9, 1, 0, 99);
    for (int i = 0; i < 9; i++) {
      step.entry(i, 4, 0, true, 1, 1);
    }
    script
        .closed(1, "max_num_seqs", -1)
        .planned(step)
        .completed(step.done(2_000, 3_000, 4_000, 1, 1, 1, 1, 1, 1, 1, 1, 1));

    assertThat(text(script, "r9"))
        .contains(
            "all seats were taken, by r0, r1, r2, r3, r4, r5, r6, r7 and 1 more when it was first"
                + " refused one");
  }

  @Test
  void shouldReadTheJournalOnce() {
    final AtomicInteger readings = new AtomicInteger();
    final ExplainFixture explain =
        new ExplainFixture(
            visitor -> {
              readings.incrementAndGet();
              Scenarios.preemption().playTo(visitor);
            });

    assertThat(explain.text("b")).contains("PREEMPTED in iteration 2 (kv_blocks), for a");
    assertThat(readings).hasValue(1);
  }

  private static String text(EventScript script, String id) {
    return ((Explanation.Answer) new ExplainFixture(script::playTo).explain(id))
        .text()
        .replaceAll("\\s+", " ");
  }

  @Test
  void shouldSayWhereAnIdOccursThatIsNotInTheRunAskedFor() {
    final ExplainFixture explain = new ExplainFixture(Scenarios.preemption()::playTo);

    final Explanation.Unknown unknown =
        (Explanation.Unknown) explain.explain(new RequestSelector("b", 3, RequestSelector.LATEST));

    assertThat(unknown.message())
        .isEqualTo(
            "no request of that id: id=b, run=3, requests=4, runs=1;"
                + " it occurs as number 1 of run 0");
    assertThat(unknown.closest()).isEmpty();
  }

  @Test
  void shouldSayThatAnUnknownIdMayComeLaterInAJournalThatIsCut() {
    final ExplainFixture explain =
        new ExplainFixture(
            visitor -> Scenarios.preemption().play(visitor, 0, 3),
            new JournalEnd(JournalEnd.State.CUT, "run-000001: no end record", 3, 0));

    final Explanation.Unknown unknown = (Explanation.Unknown) explain.explain("c");

    assertThat(unknown.message())
        .endsWith("; the journal is cut, so it may come later: run-000001: no end record");
  }

  @Test
  void shouldExplainTheLatestOfSeveralAndSayHowToChoose() {
    final ExplainFixture explain =
        new ExplainFixture(
            visitor -> {
              Scenarios.preemption().playTo(visitor);
              Scenarios.summary().playTo(visitor);
            });

    assertThat(explain.text("b"))
        .contains("run 1, number 1; journal of level summary")
        .contains("number 1 of run 0,\n  number 1 of run 1. Choose by");
    assertThat(((Explanation.Answer) explain.explain(new RequestSelector("b", 0, 1))).text())
        .contains("run 0, number 1; journal of level full")
        .doesNotContain("Choose by");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void shouldAccountForEveryNanosecondWhenRecordsAreMissing(long seed) {
    final RandomRun run = new RandomRun(seed, 200, 2);
    final ExplainFixture explain =
        new ExplainFixture(visitor -> run.script.playWithGaps(visitor, new Random(seed), 20));

    int explained = 0;
    for (String id : run.expected.keySet()) {
      if (explain.explain(id) instanceof Explanation.Answer answer) {
        final ExplainFixture.Figures figures = explain.figures(id);
        assertThat(figures.linesNs())
            .as("seed=%s, request=%s", seed, id)
            .isEqualTo(figures.untilNs() - figures.arrivalNs());
        assertThat(answer.text().lines()).allMatch(line -> line.length() <= 92);
        explained++;
      }
    }
    assertThat(explained).as("seed=%s", seed).isPositive();
  }

  @Test
  void shouldTellAStayOfManyReasonsInShort() {
    final EventScript script = EventScript.full().queued(0, "a", 0, 0, 16);
    for (int step = 1; step <= 40; step++) {
      final StepScript next = new StepScript(step, 10L * step, 10L * step + 5).counts(1, 1, 0, 9);
      script
          .closed(step, step % 2 == 0 ? "max_num_seqs" : "preemption_in_step", -1)
          .planned(next.done(10L * step + 6, 10L * step + 7, 10L * step + 8))
          .completed(next);
    }
    script.finished(40, 0, "abort", 0, 500);

    final String text = new ExplainFixture(script::playTo).text("a");

    assertThat(text)
        .contains("its reason changed another 35 times, in all:", "max_num_seqs 170 ns");
    assertThat(text.lines().count()).isLessThan(45);
  }
}
