package dev.headway.probes.otel.span;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.StepListener;
import dev.headway.events.model.StepPlanFigures;
import dev.headway.events.model.StepTimeline;
import dev.headway.probes.otel.export.FinishedSpan;
import dev.headway.probes.otel.export.SpanSink;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Steps of a run, a number of them to a span. A sampled step's event waits for its completion, to
 * say where its time went. One thread.
 */
final class StepSpans implements StepListener {

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

  StepSpans(RunContext run, SpanOptions options, SpanSink sink, SpanTally tally) {
    this.run = run;
    this.options = options;
    this.sink = sink;
    this.tally = tally;
  }

  /** A request ended since the step before, or in the scheduling of the next. */
  void finishedOne() {
    finished++;
  }

  @Override
  public void onPlanned(StepTimeline step) {
    final long stepId = step.plan().stepId();
    if (options.sampling().choosesStep(stepId)) {
      final SampledStep sampled = new SampledStep(step, finished, new ArrayList<>());
      if (options.sampling().choosesDetail(stepId)) {
        StepSnapshots.add(sampled.snapshots, step);
      }
      inFlight.addLast(sampled);
    }
    finished = 0;
  }

  @Override
  public void onStep(StepTimeline step) {
    emitIfSampled(step);
    cover(step.plan(), step.endNs());
    steps++;
    if (steps >= options.closureInterval()) {
      closeSpan();
    }
  }

  @Override
  public void onLost(StepTimeline step) {
    emitIfSampled(step);
  }

  /** No more steps in this run. */
  void endRun() {
    while (!inFlight.isEmpty()) {
      emit(inFlight.removeFirst());
    }
    closeSpan();
  }

  private void emitIfSampled(StepTimeline step) {
    final SampledStep first = inFlight.peekFirst();
    if (first != null && first.step == step) {
      emit(inFlight.removeFirst());
    }
  }

  /** A span that would hold too many events ends before its time. */
  private void makeRoom(SampledStep sampled) {
    if (events.size() + 1 + sampled.snapshots.size() > options.maxEventsPerSpan()) {
      closeSpan();
    }
  }

  private void emit(SampledStep sampled) {
    makeRoom(sampled);
    final StepPlanFigures plan = sampled.step.plan();
    cover(plan, plan.endNs());
    final long epochNs = run.epochNs(plan.endNs());
    events.add(EventData.create(epochNs, SpanNames.BATCH_SUMMARY, summary(sampled)));
    for (Attributes snapshot : sampled.snapshots) {
      events.add(EventData.create(epochNs, SpanNames.REQUEST_SNAPSHOT, snapshot));
    }
  }

  /** The span reaches over a step. */
  private void cover(StepPlanFigures plan, long endNs) {
    if (firstStep == 0) {
      firstStep = plan.stepId();
      firstBeginNs = plan.beginNs();
    }
    lastStep = plan.stepId();
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

  private Attributes summary(SampledStep sampled) {
    final StepTimeline step = sampled.step;
    final StepPlanFigures plan = step.plan();
    final int usable = run.usableBlocks();
    final AttributesBuilder out =
        Attributes.builder()
            .put(SpanNames.STEP_ID, plan.stepId())
            .put(SpanNames.STEP_START_NS, plan.beginNs())
            .put(SpanNames.STEP_END_NS, plan.endNs())
            .put(SpanNames.STEP_DURATION_US, plan.scheduleNs() / 1_000)
            .put(SpanNames.RUNNING_DEPTH, (long) plan.runningCount())
            .put(SpanNames.WAITING_DEPTH, (long) plan.waitingCount())
            .put(SpanNames.PREFILL_REQS, (long) plan.prefillRequests())
            .put(SpanNames.DECODE_REQS, (long) plan.decodeRequests())
            .put(SpanNames.BATCH_TOKENS, (long) plan.totalTokens())
            .put(SpanNames.BATCH_PREFILL_TOKENS, (long) plan.prefillTokens())
            .put(SpanNames.BATCH_DECODE_TOKENS, (long) plan.decodeTokens())
            .put(SpanNames.BATCH_FINISHED, (long) sampled.finished)
            .put(SpanNames.BATCH_PREEMPTED, (long) step.changes().preempted().size())
            .put(SpanNames.KV_USAGE, usable == 0 ? 0.0 : 1 - (double) plan.freeBlocks() / usable)
            .put(SpanNames.KV_TOTAL, (long) usable)
            .put(SpanNames.KV_FREE, (long) plan.freeBlocks());
    if (step.isDone()) {
      put(out, SpanNames.SCHEDULE_NS, plan.scheduleNs());
      put(out, SpanNames.PREPARE_NS, step.prepareNs());
      put(out, SpanNames.FORWARD_NS, step.forwardNs());
      put(out, SpanNames.SAMPLE_NS, step.sampleNs());
      put(out, SpanNames.UPDATE_NS, step.updateNs());
      put(out, SpanNames.GAP_NS, step.gapNs());
      put(out, SpanNames.PRODUCED_TOKENS, step.producedTokens());
      if (step.failure() != null) {
        out.put(SpanNames.STEP_FAILURE, step.failure());
      }
    }
    return out.build();
  }

  private static void put(AttributesBuilder out, AttributeKey<Long> key, long value) {
    if (value != ABSENT) {
      out.put(key, value);
    }
  }

  /**
   * A step whose event waits for its completion.
   *
   * @param finished requests that ended since the step before was planned
   */
  private record SampledStep(StepTimeline step, int finished, List<Attributes> snapshots) {}
}
