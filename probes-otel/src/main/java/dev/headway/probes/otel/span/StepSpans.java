package dev.headway.probes.otel.span;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.PlannedStep;
import dev.headway.probes.otel.export.SpanSink;
import dev.headway.probes.otel.run.StepFrame;
import dev.headway.probes.otel.run.StepTimes;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/**
 * Steps of a run, a number of them to a span. A sampled step's event waits for its completion, to
 * say where its time went. One thread.
 */
final class StepSpans {

  private final RunContext run;
  private final SpanOptions options;
  private final SpanSink sink;
  private final SpanTally tally;
  private final Deque<SampledStep> inFlight = new ArrayDeque<>();

  private List<EventData> events = new ArrayList<>();
  private long sequence;
  private int steps;
  private long firstStep;
  private long firstBeginNs;
  private long lastStep;
  private long lastEndNs;
  private int finished;
  private int preempted;

  StepSpans(RunContext run, SpanOptions options, SpanSink sink, SpanTally tally) {
    this.run = run;
    this.options = options;
    this.sink = sink;
    this.tally = tally;
  }

  /** A request ended since the step before, or in this one's scheduling. */
  void finishedOne() {
    finished++;
  }

  /** A request was preempted in the step being planned. */
  void preemptedOne() {
    preempted++;
  }

  /** Takes a plan before its entries are counted as progress. */
  void planned(PlannedStep step, Supplier<Collection<RequestTrace>> running) {
    if (options.sampling().choosesStep(step.stepId())) {
      final SampledStep sampled =
          new SampledStep(
              step.stepId(), step.beginNs(), step.endNs(), summary(step), new ArrayList<>());
      if (options.sampling().choosesDetail(step.stepId())) {
        StepSnapshots.add(sampled.snapshots, step, running.get());
      }
      inFlight.addLast(sampled);
    }
    finished = 0;
    preempted = 0;
  }

  /** A step is done; its plan's times are known. */
  void completed(StepFrame frame, CompletedStep step, StepTimes times) {
    emitUpTo(step.stepId() - 1); // those whose completion is missing
    final SampledStep sampled = inFlight.peekFirst();
    if (sampled != null && sampled.stepId == step.stepId()) {
      inFlight.removeFirst();
      makeRoom(sampled);
      put(sampled.summary, SpanNames.SCHEDULE_NS, times.scheduleNs());
      put(sampled.summary, SpanNames.PREPARE_NS, times.prepareNs());
      put(sampled.summary, SpanNames.FORWARD_NS, times.forwardNs());
      put(sampled.summary, SpanNames.SAMPLE_NS, times.sampleNs());
      put(sampled.summary, SpanNames.UPDATE_NS, times.updateNs());
      put(sampled.summary, SpanNames.GAP_NS, times.gapNs());
      put(sampled.summary, SpanNames.PRODUCED_TOKENS, step.producedTotal());
      if (step.failure() != null) {
        sampled.summary.put(SpanNames.STEP_FAILURE, step.failure());
      }
      emit(sampled);
    }
    cover(step.stepId(), frame.beginNs(), step.endNs());
    steps++;
    if (steps >= options.closureInterval()) {
      closeSpan();
    }
  }

  /** No more steps in this run. */
  void endRun() {
    emitUpTo(Long.MAX_VALUE);
    closeSpan();
  }

  private void emitUpTo(long stepId) {
    SampledStep first = inFlight.peekFirst();
    while (first != null && first.stepId <= stepId) {
      inFlight.removeFirst();
      makeRoom(first);
      emit(first);
      first = inFlight.peekFirst();
    }
  }

  /** A span that would hold too many events ends before its time. */
  private void makeRoom(SampledStep sampled) {
    if (events.size() + 1 + sampled.snapshots.size() > options.maxEventsPerSpan()) {
      closeSpan();
    }
  }

  private void emit(SampledStep sampled) {
    cover(sampled.stepId, sampled.beginNs, sampled.atNs);
    final long epochNs = run.epochNs(sampled.atNs);
    events.add(EventData.create(epochNs, SpanNames.BATCH_SUMMARY, sampled.summary.build()));
    for (Attributes snapshot : sampled.snapshots) {
      events.add(EventData.create(epochNs, SpanNames.REQUEST_SNAPSHOT, snapshot));
    }
  }

  /** The span reaches over a step. */
  private void cover(long stepId, long beginNs, long endNs) {
    if (firstStep == 0) {
      firstStep = stepId;
      firstBeginNs = beginNs;
    }
    lastStep = stepId;
    lastEndNs = Math.max(lastEndNs, endNs);
  }

  /** Ends the span if it has an event; without one it goes on, and only the count begins again. */
  private void closeSpan() {
    steps = 0;
    if (events.isEmpty()) {
      return;
    }
    sequence++;
    final String name = SpanNames.STEP_SPAN_PREFIX + sequence;
    final TraceIds ids = run.nextIds(name);
    final Attributes attributes =
        Attributes.builder()
            .put(SpanNames.SPAN_SEQUENCE, sequence)
            .put(SpanNames.RANGE_START, firstStep)
            .put(SpanNames.RANGE_END, lastStep)
            .put(SpanNames.CLOSURE_INTERVAL, (long) options.closureInterval())
            .build();
    sink.accept(
        new FinishedSpan(
            name,
            SpanKind.INTERNAL,
            SpanNames.STEP_SCOPE,
            run.resource(),
            ids.outer(ids.traceId()),
            SpanContext.getInvalid(),
            run.epochNs(firstBeginNs),
            run.epochNs(lastEndNs),
            attributes,
            events,
            0,
            StatusData.unset()));
    tally.stepSpans.increment();
    events = new ArrayList<>();
    firstStep = 0;
  }

  private AttributesBuilder summary(PlannedStep step) {
    final int usable = run.usableBlocks();
    final int decodes = step.batchSize() - step.prefillRequests();
    return Attributes.builder()
        .put(SpanNames.STEP_ID, step.stepId())
        .put(SpanNames.STEP_START_NS, step.beginNs())
        .put(SpanNames.STEP_END_NS, step.endNs())
        .put(SpanNames.STEP_DURATION_US, (step.endNs() - step.beginNs()) / 1_000)
        .put(SpanNames.RUNNING_DEPTH, (long) step.runningCount())
        .put(SpanNames.WAITING_DEPTH, (long) step.waitingCount())
        .put(SpanNames.PREFILL_REQS, (long) step.prefillRequests())
        .put(SpanNames.DECODE_REQS, (long) decodes)
        .put(SpanNames.BATCH_TOKENS, (long) step.totalTokens())
        .put(SpanNames.BATCH_PREFILL_TOKENS, (long) step.prefillTokens())
        .put(SpanNames.BATCH_DECODE_TOKENS, (long) step.totalTokens() - step.prefillTokens())
        .put(SpanNames.BATCH_FINISHED, (long) finished)
        .put(SpanNames.BATCH_PREEMPTED, (long) preempted)
        .put(SpanNames.KV_USAGE, usable == 0 ? 0.0 : 1 - (double) step.freeBlocks() / usable)
        .put(SpanNames.KV_TOTAL, (long) usable)
        .put(SpanNames.KV_FREE, (long) step.freeBlocks());
  }

  private static void put(AttributesBuilder out, AttributeKey<Long> key, long value) {
    if (value != ABSENT) {
      out.put(key, value);
    }
  }

  /** A step whose event waits for its completion. */
  private record SampledStep(
      long stepId,
      long beginNs,
      long atNs,
      AttributesBuilder summary,
      List<Attributes> snapshots) {}
}
