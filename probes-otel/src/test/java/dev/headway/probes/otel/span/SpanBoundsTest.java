package dev.headway.probes.otel.span;

import static dev.headway.api.Absent.ABSENT;
import static dev.headway.probes.otel.fixture.CollectedSpans.types;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.events.record.BlockedRecord;
import dev.headway.probes.otel.export.SpanSink;
import dev.headway.probes.otel.fixture.CollectedSpans;
import dev.headway.probes.otel.fixture.Script;
import dev.headway.probes.otel.fixture.Step;
import io.opentelemetry.sdk.trace.data.SpanData;
import org.junit.jupiter.api.Test;

/** What is dropped when there is too much, and that it is said. */
class SpanBoundsTest {

  private static final int ALIVE = 100_000;

  @Test
  void shouldBoundTheEventsOfAHundredThousandLiveRequests() {
    final long[] exported = new long[2];
    final SpanSink counting =
        span -> {
          exported[0]++;
          exported[1] += span.getEvents().size();
        };
    final OtelSpans consumer =
        new OtelSpans(SpanOptions.defaults().withBounds(128, 50_000, 10), counting);
    final Script script = new Script(consumer).start();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < ALIVE; i++) {
        if (round == 0) {
          script.queued(i, "request-" + i, i);
        } else {
          consumer.onBlocked(new BlockedRecord(round, i, "memory_insufficient", ABSENT, 1, 0));
        }
      }
      script.step(new Step(round + 1));
    }

    assertThat(consumer.bufferedEvents()).isEqualTo(50_000);
    assertThat(consumer.counts().droppedEvents()).isEqualTo(3L * ALIVE - 50_000);

    for (int i = 0; i < ALIVE; i++) {
      script.finished(3, i, "abort", 200_000);
    }

    assertThat(consumer.bufferedEvents()).isZero();
    assertThat(exported[0]).as("every request has its span").isEqualTo(ALIVE);
    assertThat(exported[1]).as("and its end").isEqualTo(50_000L + ALIVE);
  }

  @Test
  void shouldKeepNothingOfRequestsThatCannotBeChosen() {
    final OtelSpans consumer =
        new OtelSpans(
            SpanOptions.defaults()
                .withSampling(Sampling.defaults().withRates(0, 0, 0).withTail(java.util.Set.of())),
            new CollectedSpans());
    final Script script = new Script(consumer).start();

    script.queued(0, "a", 10).admitted(1, 0).step(new Step(1, 0));

    assertThat(consumer.bufferedEvents()).isZero();
    assertThat(consumer.counts().droppedEvents()).isZero();
  }

  @Test
  void shouldSayOnASpanWhatItHadNoRoomFor() {
    final CollectedSpans spans = new CollectedSpans();
    final OtelSpans consumer =
        new OtelSpans(SpanOptions.defaults().withBounds(128, 4_096, 10), spans);
    final Script script = new Script(consumer).start().queued(0, "a", 10);
    for (int step = 1; step <= 200; step++) {
      consumer.onBlocked(
          new BlockedRecord(step, 0, step % 2 == 0 ? "watermark" : "paused", ABSENT, 0, 0));
      script.step(new Step(step));
    }
    script.finished(200, 0, "stop", 300_000).end(400_000);

    final SpanData span = spans.of("llm_core", "a");

    assertThat(span.getEvents()).hasSize(128);
    assertThat(types(span)).startsWith("QUEUED").endsWith("FINISHED");
    assertThat(span.getTotalRecordedEvents()).isEqualTo(202);
    assertThat(consumer.counts().droppedEvents()).isEqualTo(74);
  }

  @Test
  void shouldCloseAStepSpanBeforeItIsFull() {
    final CollectedSpans spans = new CollectedSpans();
    final OtelSpans consumer =
        new OtelSpans(
            SpanOptions.defaults().withSampling(Sampling.everything()).withBounds(128, 4_096, 10),
            spans);
    final Script script = new Script(consumer).start();
    for (int i = 0; i < 50; i++) {
      script.queued(i, "r" + i, i).admitted(1, i);
    }
    for (int step = 1; step <= 10; step++) {
      script.step(new Step(step, 0, 1, 2));
    }
    script.end(90_000);

    assertThat(spans.named("scheduler_steps_")).hasSizeGreaterThan(3);
    assertThat(spans.named("scheduler_steps_"))
        .allSatisfy(span -> assertThat(span.getEvents()).hasSizeLessThanOrEqualTo(128));
    assertThat(spans.named("scheduler_steps_").stream().mapToInt(s -> s.getEvents().size()).sum())
        .isEqualTo(10 * 51);
  }

  @Test
  void shouldStretchAStepSpanOverStepsWithoutEvents() {
    final CollectedSpans spans = new CollectedSpans();
    final OtelSpans consumer =
        new OtelSpans(
            SpanOptions.defaults()
                .withSampling(Sampling.defaults().withRates(1, 0, 0).withFirstSteps(1))
                .withClosureInterval(10),
            spans);
    final Script script = new Script(consumer).start();
    for (int step = 1; step <= 35; step++) {
      script.step(new Step(step));
    }
    script.end(90_000);

    assertThat(spans.named("scheduler_steps_")).hasSize(1);
    assertThat(spans.named("scheduler_steps_").get(0).getAttributes().get(SpanNames.RANGE_END))
        .isEqualTo(10);
  }

  @Test
  void shouldTellGapsBetweenStepsButNotBetweenOverlappingOnes() {
    final CollectedSpans spans = new CollectedSpans();
    final Script script =
        new Script(new OtelSpans(SpanOptions.defaults().withSampling(Sampling.everything()), spans))
            .start();
    final Step third = new Step(3);
    final Step fourth = new Step(4);
    script.step(new Step(1)).step(new Step(2));
    script.planned(third).planned(fourth).completed(third).completed(fourth).end(9_000);

    assertThat(spans.named("scheduler_steps_").get(0).getEvents())
        .extracting(event -> event.getAttributes().get(SpanNames.GAP_NS))
        .containsExactly(null, 340L, 340L, null);
    assertThat(spans.named("scheduler_steps_").get(0).getEvents())
        .extracting(event -> event.getAttributes().get(SpanNames.FORWARD_NS))
        .containsOnly(400L);
  }

  @Test
  void shouldRefuseBoundsThatCannotHold() {
    assertThatThrownBy(() -> SpanOptions.defaults().withClosureInterval(9))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("closureInterval must be in [10, 10000]: closureInterval=9");
    assertThatThrownBy(() -> SpanOptions.defaults().withBounds(127, 1_024, 1))
        .hasMessage("maxEventsPerSpan must be in [128, 1048576]: maxEventsPerSpan=127");
    assertThatThrownBy(() -> SpanOptions.defaults().withNames(" ", null))
        .hasMessage("serviceName must not be blank: serviceName= ");
  }
}
