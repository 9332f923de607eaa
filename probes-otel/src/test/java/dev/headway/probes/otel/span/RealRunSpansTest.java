package dev.headway.probes.otel.span;

import static dev.headway.probes.otel.fixture.CollectedSpans.event;
import static dev.headway.probes.otel.fixture.CollectedSpans.types;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.record.JournalLevel;
import dev.headway.probes.otel.fixture.CollectedSpans;
import dev.headway.probes.otel.fixture.RecordedRun;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spans of a real run: what happened to each request is in its span, once and in order. */
class RealRunSpansTest {

  private static final Set<String> TERMINAL = Set.of("FINISHED", "REJECTED", "UNFINISHED");

  @TempDir private static Path temporary;
  private static Path journal;
  private static CollectedSpans spans;
  private static SpanCounts counts;

  @BeforeAll
  static void record() throws IOException {
    journal = RecordedRun.record(temporary.resolve("journal"), JournalLevel.FULL);
    spans = new CollectedSpans();
    counts = read(SpanOptions.defaults().withSampling(Sampling.everything()), spans);
  }

  private static SpanCounts read(SpanOptions options, CollectedSpans sink) throws IOException {
    final OtelSpans consumer = new OtelSpans(options, sink);
    RecordedRun.read(journal, consumer);
    return consumer.counts();
  }

  @Test
  void shouldMakeOneSpanPerRequest() {
    final List<SpanData> cores = spans.named("llm_core");

    assertThat(cores).hasSize(RecordedRun.REQUESTS + 5);
    assertThat(counts.coreSpans()).isEqualTo(RecordedRun.REQUESTS + 5);
    assertThat(counts.unknownRequests()).isZero();
    assertThat(counts.droppedEvents()).isZero();
    assertThat(counts.unfinished()).isZero();
    assertThat(cores).allMatch(span -> span.getKind() == SpanKind.INTERNAL);
    assertThat(cores)
        .allMatch(span -> span.getInstrumentationScopeInfo().getName().equals("vllm.scheduler"));
  }

  @Test
  void shouldEndEverySpanWithOneTerminalEvent() {
    for (SpanData span : spans.named("llm_core")) {
      final List<String> types = types(span);

      assertThat(types).as(types.toString()).filteredOn(TERMINAL::contains).hasSize(1);
      assertThat(TERMINAL).contains(types.get(types.size() - 1));
      assertThat(span.hasEnded()).isTrue();
    }
  }

  @Test
  void shouldKeepTheOrderThatEventsPromise() {
    for (SpanData span : spans.named("llm_core")) {
      final List<String> types = types(span);
      int scheduled = 0;
      int preempted = 0;
      for (EventData event : span.getEvents()) {
        final String kind = event.getAttributes().get(SpanNames.SCHEDULE_KIND);
        if (event.getName().equals("journey.PREEMPTED")) {
          preempted++;
        } else if (event.getName().equals("journey.SCHEDULED")) {
          assertThat(kind).isEqualTo(preempted > 0 ? "RESUME" : "FIRST");
          assertThat(scheduled++).as("admissions").isEqualTo(preempted);
        }
        assertThat(event.getAttributes().get(SpanNames.NUM_PREEMPTIONS)).isEqualTo(preempted);
      }
      if (types.contains("FIRST_TOKEN")) {
        assertThat(types.indexOf("QUEUED")).isZero();
        assertThat(types.indexOf("SCHEDULED")).isLessThan(types.indexOf("FIRST_TOKEN"));
        assertThat(Collections.frequency(types, "FIRST_TOKEN")).isEqualTo(1);
      }
      assertThat(span.getEvents())
          .extracting(EventData::getEpochNanos)
          .isSorted()
          .allMatch(ns -> ns >= span.getStartEpochNanos() && ns <= span.getEndEpochNanos());
    }
  }

  @Test
  void shouldTellPreemptionsWithWhoGainedByThem() {
    final List<EventData> preemptions =
        spans.named("llm_core").stream()
            .flatMap(span -> span.getEvents().stream())
            .filter(event -> event.getName().equals("journey.PREEMPTED"))
            .toList();

    assertThat(preemptions).isNotEmpty();
    for (EventData event : preemptions) {
      assertThat(event.getAttributes().get(SpanNames.PREEMPTION_CAUSE)).isEqualTo("kv_blocks");
      assertThat(event.getAttributes().get(SpanNames.BENEFICIARY_ID)).isNotEmpty();
      assertThat(event.getAttributes().get(SpanNames.LOST_TOKENS)).isPositive();
      assertThat(event.getAttributes().get(SpanNames.FREED_BLOCKS)).isPositive();
      assertThat(event.getAttributes().get(SpanNames.PREFILL_DONE))
          .as("a high-water mark, which survives the preemption")
          .isPositive();
    }
  }

  @Test
  void shouldTellBlocksWithTheirReason() {
    final List<EventData> blocked =
        spans.named("llm_core").stream()
            .flatMap(span -> span.getEvents().stream())
            .filter(event -> event.getName().equals("journey.BLOCKED"))
            .toList();

    assertThat(blocked).isNotEmpty();
    assertThat(blocked)
        .anySatisfy(
            event -> {
              assertThat(event.getAttributes().get(SpanNames.BLOCKED_REASON))
                  .isEqualTo("full_sequence_reserve");
              assertThat(event.getAttributes().get(SpanNames.BLOCKED_NEEDED))
                  .isGreaterThan(event.getAttributes().get(SpanNames.BLOCKED_FREE));
            });
  }

  @Test
  void shouldPutAllAttributesOnEveryEventOfTheCore() {
    final EventData finished = event(spans.of("llm_core", "r5"), "FINISHED");

    assertThat(finished.getAttributes().get(SpanNames.EVENT_TYPE)).isEqualTo("FINISHED");
    assertThat(finished.getAttributes().get(SpanNames.FINISH_STATUS)).isEqualTo("length");
    assertThat(finished.getAttributes().get(SpanNames.PHASE)).isEqualTo("DECODE");
    assertThat(finished.getAttributes().get(SpanNames.PREFILL_DONE)).isEqualTo(42);
    assertThat(finished.getAttributes().get(SpanNames.PREFILL_TOTAL)).isEqualTo(42);
    assertThat(finished.getAttributes().get(SpanNames.DECODE_DONE)).isEqualTo(60);
    assertThat(finished.getAttributes().get(SpanNames.DECODE_MAX)).isEqualTo(60);
    assertThat(finished.getAttributes().get(SpanNames.SCHEDULER_STEP)).isPositive();
    final long ns = finished.getAttributes().get(SpanNames.TS_MONOTONIC_NS);
    assertThat(finished.getAttributes().get(SpanNames.TS_MONOTONIC)).isEqualTo(ns / 1e9);
    assertThat(finished.getEpochNanos())
        .isEqualTo(RecordedRun.ANCHOR_EPOCH_NS + ns - RecordedRun.ANCHOR_MONOTONIC_NS);
  }

  @Test
  void shouldSayThatAQueuedRequestWaits() {
    final EventData queued = event(spans.of("llm_core", "r0"), "QUEUED");

    assertThat(queued.getAttributes().get(SpanNames.PHASE)).isEqualTo("WAITING");
    assertThat(queued.getAttributes().get(SpanNames.SCHEDULER_STEP)).isZero();
    assertThat(queued.getAttributes().get(SpanNames.PREFILL_DONE)).isZero();
  }

  @Test
  void shouldTellPrefixHitsAndChunks() {
    final SpanData hit = spans.of("llm_core", "r20");
    final long cached =
        hit.getEvents().stream()
            .filter(event -> event.getName().equals("journey.SCHEDULED"))
            .findFirst()
            .orElseThrow()
            .getAttributes()
            .get(SpanNames.CACHED_TOKENS);

    assertThat(cached).isEqualTo(32);
    assertThat(spans.named("llm_core"))
        .anySatisfy(span -> assertThat(types(span)).contains("CHUNK_SCHEDULED"));
  }

  @Test
  void shouldTellEndsOfAllKinds() {
    assertThat(types(spans.of("llm_core", "abort-waiting"))).containsOnlyOnce("FINISHED");
    assertThat(types(spans.of("llm_core", "abort-waiting"))).doesNotContain("SCHEDULED");
    assertThat(status("abort-waiting")).isEqualTo("aborted");
    assertThat(status("abort-running")).isEqualTo("aborted");
    assertThat(types(spans.of("llm_core", "abort-running"))).contains("SCHEDULED");
    assertThat(status("shut-down")).isEqualTo("aborted");
    assertThat(reason("shut-down")).isEqualTo("shutdown");
    assertThat(reason("late")).isEqualTo("deadline");
    assertThat(spans.of("llm_core", "late").getStatus().getStatusCode())
        .isEqualTo(StatusCode.ERROR);
    assertThat(spans.of("llm_core", "abort-running").getStatus().getStatusCode())
        .isEqualTo(StatusCode.UNSET);
    final SpanData rejected = spans.of("llm_core", "too-long");
    assertThat(types(rejected)).containsExactly("REJECTED");
    assertThat(rejected.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(event(rejected, "REJECTED").getAttributes().get(SpanNames.REJECT_REASON))
        .isEqualTo("context_length_limit");
  }

  @Test
  void shouldHangTheCoreUnderTheServerSpan() {
    final SpanData api = spans.of("llm_request", "r0");
    final SpanData core = spans.of("llm_core", "r0");

    assertThat(api.getKind()).isEqualTo(SpanKind.SERVER);
    assertThat(types(api)).containsExactly("ARRIVED", "HANDOFF_TO_CORE", "DEPARTED");
    assertThat(api.getParentSpanContext().isValid()).isFalse();
    assertThat(core.getParentSpanId()).isEqualTo(api.getSpanId());
    assertThat(core.getTraceId()).isEqualTo(api.getTraceId());
    assertThat(api.getAttributes().get(SpanNames.RESPONSE_MODEL)).isEqualTo("toy");
    assertThat(api.getAttributes().get(SpanNames.PROMPT_TOKENS)).isEqualTo(42);
    assertThat(api.getAttributes().get(SpanNames.COMPLETION_TOKENS)).isEqualTo(60);
    assertThat(event(api, "ARRIVED").getAttributes().get(SpanNames.API_TS_MONOTONIC))
        .isEqualTo(0.001);
  }

  @Test
  void shouldHangTheCoreUnderTheCallerWithoutAServerSpan() {
    final SpanData core = spans.of("llm_core", "r1");

    assertThat(core.getTraceId()).isEqualTo(RecordedRun.CALLER_TRACE);
    assertThat(core.getParentSpanId()).isEqualTo(RecordedRun.CALLER_SPAN);
    assertThat(spans.of("llm_core", "r4").getParentSpanContext().isValid()).isFalse();
  }

  @Test
  void shouldGiveEverySpanAnIdOfItsOwn() {
    final Set<String> ids = new HashSet<>();
    spans.all().forEach(span -> ids.add(span.getSpanId()));

    assertThat(ids).hasSameSizeAs(spans.all()).doesNotContain("0000000000000000");
  }

  @Test
  void shouldSummariseEveryStepWithItsTimes() {
    final List<EventData> summaries =
        spans.named("scheduler_steps_").stream()
            .flatMap(span -> span.getEvents().stream())
            .filter(event -> event.getName().equals("step.BATCH_SUMMARY"))
            .toList();

    assertThat(summaries)
        .extracting(event -> event.getAttributes().get(SpanNames.STEP_ID))
        .doesNotHaveDuplicates()
        .isSorted();
    assertThat(summaries.get(0).getAttributes().get(SpanNames.STEP_ID)).isEqualTo(1);
    assertThat(summaries.get(summaries.size() - 1).getAttributes().get(SpanNames.STEP_ID))
        .isEqualTo((long) summaries.size());
    assertThat(summaries)
        .allSatisfy(
            event -> {
              final long free = event.getAttributes().get(SpanNames.KV_FREE);
              assertThat(event.getAttributes().get(SpanNames.KV_TOTAL)).isEqualTo(27);
              assertThat(event.getAttributes().get(SpanNames.KV_USAGE)).isEqualTo(1 - free / 27.0);
              assertThat(event.getAttributes().get(SpanNames.SCHEDULE_NS)).isNotNull();
              assertThat(event.getAttributes().get(SpanNames.UPDATE_NS)).isNotNull();
              assertThat(event.getAttributes().get(SpanNames.BATCH_TOKENS))
                  .isEqualTo(
                      event.getAttributes().get(SpanNames.BATCH_PREFILL_TOKENS)
                          + event.getAttributes().get(SpanNames.BATCH_DECODE_TOKENS));
            });
    assertThat(total(summaries, SpanNames.BATCH_FINISHED))
        .as("finished since the step before: all but those the engine's end finished")
        .isEqualTo(RecordedRun.REQUESTS + 3);
    assertThat(total(summaries, SpanNames.BATCH_PREEMPTED)).isPositive();
  }

  @Test
  void shouldNotLoseEventsBeyondTheLimitOfTheSdk() {
    assertThat(spans.named("scheduler_steps_"))
        .anySatisfy(span -> assertThat(span.getEvents()).hasSizeGreaterThan(128));
    assertThat(spans.all())
        .allSatisfy(
            span -> assertThat(span.getTotalRecordedEvents()).isEqualTo(span.getEvents().size()));
  }

  @Test
  void shouldSnapshotEveryRunningRequest() {
    for (SpanData span : spans.named("scheduler_steps_")) {
      long running = 0;
      long snapshots = 0;
      for (EventData event : span.getEvents()) {
        if (event.getName().equals("step.BATCH_SUMMARY")) {
          running += event.getAttributes().get(SpanNames.RUNNING_DEPTH);
        } else {
          snapshots++;
          assertThat(event.getAttributes().get(SpanNames.SNAPSHOT_ID)).isNotNull();
          assertThat(event.getAttributes().get(SpanNames.SNAPSHOT_ALLOCATED)).isPositive();
        }
      }
      assertThat(snapshots).isEqualTo(running);
    }
  }

  @Test
  void shouldCoverStepsWithoutAGap() {
    long next = 1;
    for (SpanData span : spans.named("scheduler_steps_")) {
      assertThat(span.getAttributes().get(SpanNames.RANGE_START)).isEqualTo(next);
      next = span.getAttributes().get(SpanNames.RANGE_END) + 1;
      assertThat(span.getParentSpanContext().isValid()).isFalse();
      assertThat(span.getStartEpochNanos()).isLessThanOrEqualTo(span.getEndEpochNanos());
    }
    assertThat(spans.named("scheduler_steps_").get(0).getAttributes())
        .satisfies(
            attributes -> {
              assertThat(attributes.get(SpanNames.SPAN_SEQUENCE)).isEqualTo(1);
              assertThat(attributes.get(SpanNames.RANGE_END)).isEqualTo(100);
              assertThat(attributes.get(SpanNames.CLOSURE_INTERVAL)).isEqualTo(100);
            });
  }

  @Test
  void shouldGiveTheSameSpansAgain() throws IOException {
    final SpanOptions options =
        SpanOptions.defaults().withSampling(Sampling.everything().withRates(0.5, 0.3, 0.5));
    final CollectedSpans once = new CollectedSpans();
    final CollectedSpans again = new CollectedSpans();

    read(options, once);
    read(options, again);

    assertThat(again.all()).isEqualTo(once.all());
    assertThat(once.all()).hasSizeLessThan(spans.all().size());
  }

  @Test
  void shouldKeepWhatRulesAskForAtRateZero() throws IOException {
    final CollectedSpans tail = new CollectedSpans();
    final SpanCounts tailCounts =
        read(SpanOptions.defaults().withSampling(Sampling.defaults().withRates(0, 0, 0)), tail);

    assertThat(tail.of("llm_core", "too-long").getAttributes().get(SpanNames.SAMPLED_BY))
        .isEqualTo("error");
    assertThat(tail.of("llm_core", "late").getAttributes().get(SpanNames.SAMPLED_BY))
        .isEqualTo("error");
    assertThat(tail.of("llm_core", "r39").getAttributes().get(SpanNames.TTFT_TARGET_MISSED))
        .isTrue();
    assertThat(tail.named("llm_core"))
        .allSatisfy(
            span -> {
              final String by = span.getAttributes().get(SpanNames.SAMPLED_BY);
              assertThat(by).isIn("preemption", "error", "missed_ttft_target");
              assertThat(types(span).contains("PREEMPTED")).isEqualTo(by.equals("preemption"));
            });
    assertThat(preempted(tail)).as("all that were preempted").isEqualTo(preempted(spans));
    assertThat(tail.named("scheduler_steps_")).isEmpty();
    assertThat(tailCounts.coreSpans() + tailCounts.unsampledRequests())
        .isEqualTo(RecordedRun.REQUESTS + 5);
    assertThat(tailCounts.unsampledRequests()).isPositive();
  }

  @Test
  void shouldReadASummaryJournal() throws IOException {
    final Path summary = RecordedRun.record(temporary.resolve("summary"), JournalLevel.SUMMARY);
    final CollectedSpans sink = new CollectedSpans();
    final OtelSpans consumer =
        new OtelSpans(SpanOptions.defaults().withSampling(Sampling.everything()), sink);

    RecordedRun.read(summary, consumer);

    final SpanData span = sink.of("llm_core", "r5");
    assertThat(types(span)).contains("QUEUED", "SCHEDULED", "FIRST_TOKEN", "FINISHED");
    assertThat(event(span, "FINISHED").getAttributes().get(SpanNames.PREFILL_DONE))
        .as("a summary does not tell")
        .isNull();
  }

  private static long preempted(CollectedSpans in) {
    return in.named("llm_core").stream().filter(span -> types(span).contains("PREEMPTED")).count();
  }

  private static String status(String requestId) {
    return event(spans.of("llm_core", requestId), "FINISHED")
        .getAttributes()
        .get(SpanNames.FINISH_STATUS);
  }

  private static String reason(String requestId) {
    return event(spans.of("llm_core", requestId), "FINISHED")
        .getAttributes()
        .get(SpanNames.FINISH_REASON);
  }

  private static long total(
      List<EventData> events, io.opentelemetry.api.common.AttributeKey<Long> key) {
    return events.stream().mapToLong(event -> event.getAttributes().get(key)).sum();
  }
}
