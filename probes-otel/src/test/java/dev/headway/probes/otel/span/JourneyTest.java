package dev.headway.probes.otel.span;

import static dev.headway.probes.otel.fixture.CollectedSpans.event;
import static dev.headway.probes.otel.fixture.CollectedSpans.types;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.events.record.DroppedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.otel.fixture.CollectedSpans;
import dev.headway.probes.otel.fixture.Script;
import dev.headway.probes.otel.fixture.Step;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ends of requests and journeys that a simulated run does not come to. */
class JourneyTest {

  private static final String CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private final CollectedSpans spans = new CollectedSpans();
  private final OtelSpans consumer =
      new OtelSpans(SpanOptions.defaults().withSampling(Sampling.everything()), spans);
  private final Script script = new Script(consumer).start();

  @Test
  void shouldEndWhatIsAliveWhenTheJournalIsCut() {
    script.queued(0, "waiting", 10).queued(1, "running", 20).admitted(1, 1).step(new Step(1, 1));
    script.journey("waiting", "arrived", 5).preempted(2, 1); // its plan is missing

    consumer.close();

    for (String id : new String[] {"waiting", "running"}) {
      final SpanData span = spans.of("llm_core", id);
      assertThat(types(span)).endsWith("UNFINISHED").containsOnlyOnce("UNFINISHED");
      assertThat(event(span, "UNFINISHED").getAttributes().get(SpanNames.UNFINISHED_REASON))
          .isEqualTo("records_end");
      assertThat(span.getEndEpochNanos()).isEqualTo(Script.EPOCH_NS + 1_660);
    }
    assertThat(types(spans.of("llm_core", "running"))).doesNotContain("PREEMPTED");
    assertThat(types(spans.of("llm_request", "waiting"))).containsExactly("ARRIVED", "UNFINISHED");
    assertThat(consumer.counts().unfinished()).isEqualTo(3);
    assertThat(spans.named("scheduler_steps_")).hasSize(1);
  }

  @Test
  void shouldEndWhatIsAliveWhenTheWriterIsRestarted() {
    script.queued(0, "old", 10).start().queued(0, "new", 30).finished(0, 0, "abort", 40).end(50);

    assertThat(types(spans.of("llm_core", "old"))).containsExactly("QUEUED", "UNFINISHED");
    assertThat(types(spans.of("llm_core", "new"))).containsExactly("QUEUED", "FINISHED");
  }

  @Test
  void shouldCloseTwiceWithoutASecondEnd() {
    script.queued(0, "a", 10).end(20);

    consumer.close();

    assertThat(spans.named("llm_core")).hasSize(1);
  }

  @Test
  void shouldSayWhatTheExecutorFailedWith() {
    script.queued(0, "a", 10).admitted(1, 0).step(new Step(1, 0));
    script.finished(1, 0, "executor_failed", 2_000).end(3_000);

    final SpanData span = spans.of("llm_core", "a");

    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(span.getStatus().getDescription()).isEqualTo("java.io.IOException: device lost");
    assertThat(event(span, "FINISHED").getAttributes().get(SpanNames.FINISH_STATUS))
        .isEqualTo("error");
  }

  @Test
  void shouldEndAPreemptedRequestOnce() {
    script.queued(0, "a", 10).admitted(1, 0).step(new Step(1, 0));
    script.preempted(2, 0).step(new Step(2)).finished(2, 0, "abort", 3_000).end(4_000);

    assertThat(types(spans.of("llm_core", "a")))
        .containsExactly("QUEUED", "SCHEDULED", "PREEMPTED", "FINISHED");
  }

  @Test
  void shouldGiveARequestThatEndsInsideSchedulingItsDecisions() {
    script.queued(0, "a", 10).admitted(1, 0).finished(0, 0, "abort", 500).step(new Step(1)).end(9);

    assertThat(types(spans.of("llm_core", "a"))).containsExactly("QUEUED", "SCHEDULED", "FINISHED");
  }

  @Test
  void shouldKeepServerAndCoreInTheCallersTrace() {
    script.journey("a", "arrived", 5).queued(0, "a", 10, -1, CALLER);
    script.finished(0, 0, "stop", 20).journey("a", "departed", 30).end(40);

    final SpanData api = spans.of("llm_request", "a");
    final SpanData core = spans.of("llm_core", "a");

    assertThat(api.getTraceId()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
    assertThat(api.getParentSpanId()).isEqualTo("00f067aa0ba902b7");
    assertThat(api.getParentSpanContext().isRemote()).isTrue();
    assertThat(core.getTraceId()).isEqualTo(api.getTraceId());
    assertThat(core.getParentSpanId()).isEqualTo(api.getSpanId());
    assertThat(api.getStartEpochNanos()).isEqualTo(Script.EPOCH_NS + 5);
    assertThat(api.getEndEpochNanos()).isEqualTo(Script.EPOCH_NS + 30);
  }

  @Test
  void shouldMarkAnAbortedJourney() {
    script.journey("a", "arrived", 5).queued(0, "a", 10);
    script.journey("a", "aborted", 15, "client_disconnect", "connection reset");
    script.finished(0, 0, "abort", 20).end(30);

    final SpanData api = spans.of("llm_request", "a");

    assertThat(api.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(api.getStatus().getDescription()).isEqualTo("connection reset");
    assertThat(event(api, "ABORTED").getAttributes().get(SpanNames.API_REASON))
        .isEqualTo("client_disconnect");
    assertThat(types(spans.of("llm_core", "a"))).containsExactly("QUEUED", "FINISHED");
  }

  @Test
  void shouldMakeASpanOfAJourneyThatNeverReachedTheEngine() {
    script.journey("a", "arrived", 5).journey("a", "aborted", 6, "validation_error", null).end(9);

    assertThat(types(spans.of("llm_request", "a"))).containsExactly("ARRIVED", "ABORTED");
    assertThat(spans.named("llm_core")).isEmpty();
  }

  @Test
  void shouldPutStagesThatCameLateIntoTheirPlace() {
    script.journey("a", "arrived", 5).journey("a", "handoff_to_core", 40);
    script.journey("a", "tokenize_started", 10).journey("a", "departed", 50).end(60);

    assertThat(types(spans.of("llm_request", "a")))
        .containsExactly("ARRIVED", "TOKENIZE_STARTED", "HANDOFF_TO_CORE", "DEPARTED");
  }

  @Test
  void shouldKeepAnIdThatIsUsedTwiceApart() {
    script.journey("a", "arrived", 5).queued(0, "a", 10);
    consumer.onRejected(
        new RejectedRecord("a", 12, "duplicate_id", "request ids must be unique", 3, 4, 0, null));
    script.finished(0, 0, "stop", 20).journey("a", "departed", 30).end(40);

    assertThat(spans.named("llm_core")).hasSize(2);
    assertThat(spans.named("llm_request")).hasSize(1);
    assertThat(spans.named("llm_core").get(0).getParentSpanContext().isValid())
        .as("the refused one is nobody's child")
        .isFalse();
  }

  @Test
  void shouldExportServerAndCoreTogetherOrNotAtAll() {
    final CollectedSpans none = new CollectedSpans();
    final OtelSpans unsampled =
        new OtelSpans(
            SpanOptions.defaults().withSampling(Sampling.defaults().withRates(0, 0, 0)), none);
    final Script quiet = new Script(unsampled).start();
    quiet.journey("ok", "arrived", 5).queued(0, "ok", 10).finished(0, 0, "stop", 20);
    quiet.journey("ok", "departed", 30);
    quiet.journey("bad", "arrived", 5).queued(1, "bad", 10).finished(1, 1, "abort", 20);
    quiet.journey("bad", "aborted", 30, "exception", null).end(40);

    assertThat(none.all()).hasSize(2);
    assertThat(none.of("llm_core", "bad").getAttributes().get(SpanNames.SAMPLED_BY))
        .isEqualTo("error");
    assertThat(unsampled.counts().unsampledRequests()).isEqualTo(1);
  }

  @Test
  void shouldNoticeATargetThatPassedWithoutAToken() {
    final CollectedSpans tail = new CollectedSpans();
    final Script quiet =
        new Script(
                new OtelSpans(
                    SpanOptions.defaults().withSampling(Sampling.defaults().withRates(0, 0, 0)),
                    tail))
            .start();
    quiet.queued(0, "gave up", 0, 100, null).queued(1, "in time", 0, 100, null);
    quiet.firstToken(1, 1, 100).finished(1, 0, "abort", 101).finished(1, 1, "stop", 200).end(300);

    assertThat(tail.all()).hasSize(1);
    assertThat(tail.of("llm_core", "gave up").getAttributes().get(SpanNames.SAMPLED_BY))
        .isEqualTo("missed_ttft_target");
  }

  @Test
  void shouldCloseTheOldestJourneyWhenTooManyAreOpen() {
    final SpanOptions two =
        SpanOptions.defaults().withSampling(Sampling.everything()).withBounds(128, 1_024, 2);
    final CollectedSpans sink = new CollectedSpans();
    final OtelSpans bounded = new OtelSpans(two, sink);
    final Script flood = new Script(bounded).start();
    for (int i = 0; i < 5; i++) {
      flood.journey("r" + i, "arrived", i);
    }

    assertThat(sink.named("llm_request")).hasSize(3);
    assertThat(types(sink.of("llm_request", "r0"))).containsExactly("ARRIVED", "UNFINISHED");
    assertThat(bounded.counts().unfinished()).isEqualTo(3);
  }

  @Test
  void shouldEndRequestsWhoseEndWasMissed() {
    script.queued(0, "lost", 10).admitted(1, 0).step(new Step(1, 0));
    consumer.onDropped(new DroppedRecord(3));
    script.step(new Step(2)); // nobody runs, nobody waits

    assertThat(event(spans.of("llm_core", "lost"), "UNFINISHED").getAttributes())
        .satisfies(
            attributes ->
                assertThat(attributes.get(SpanNames.UNFINISHED_REASON))
                    .isEqualTo("records_missing"));
    assertThat(consumer.counts().missedRecords()).isEqualTo(3);
  }

  @Test
  void shouldBoundRequestsWhoseEndMayHaveBeenMissed() {
    final CollectedSpans sink = new CollectedSpans();
    final OtelSpans bounded = new OtelSpans(SpanOptions.defaults().withBounds(128, 1_024, 2), sink);
    final Script flood = new Script(bounded).start();
    bounded.onDropped(new DroppedRecord(1));
    for (int i = 0; i < 5; i++) {
      flood.queued(i, "r" + i, i);
    }

    assertThat(sink.named("llm_core")).hasSize(3);
    assertThat(types(sink.of("llm_core", "r0"))).containsExactly("QUEUED", "UNFINISHED");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00-0000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
      })
  void shouldIgnoreAContextThatIsNone(String header) {
    script.queued(0, "a", 10, -1, header).finished(0, 0, "stop", 20).end(30);

    assertThat(spans.of("llm_core", "a").getParentSpanContext().isValid()).isFalse();
  }

  @Test
  void shouldRefuseRecordsOutsideOfARun() {
    consumer.close();

    assertThatThrownBy(() -> script.queued(0, "a", 10))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("records must follow a start record: runs=1");
  }
}
