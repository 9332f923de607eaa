package dev.headway.probes.otel.span;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.otel.export.SpanSink;
import org.jspecify.annotations.Nullable;

/**
 * Makes OpenTelemetry spans of records: one per sampled request, its parent if the server reports
 * journeys, and one per {@link SpanOptions#closureInterval} steps.
 *
 * <p>One thread at a time, never the engine's; {@link #counts} may be asked from any. Every span
 * ends exactly once and with one terminal event: when its request does, or when the run is over,
 * restarted or cut short. The same records give the same spans with the same ids. Memory grows with
 * live requests and is bounded in events. Nothing of a prompt or an answer is in a span.
 *
 * <p>Times are the run's monotonic clock, put on the calendar by the anchor of its start record.
 */
public final class OtelSpans extends RunModel {

  private final Runs runs;

  /** Hands finished spans to {@code sink}, which is closed with this. */
  public OtelSpans(SpanOptions options, SpanSink sink) {
    this(new Runs(options, sink));
  }

  private OtelSpans(Runs runs) {
    super(runs);
    this.runs = runs;
  }

  /** What became of the records so far. */
  public SpanCounts counts() {
    return runs.tally.counts();
  }

  @Override
  public void onRunStarted(RunStartedRecord header) {
    runs.isOver("run_restarted");
    super.onRunStarted(header);
  }

  @Override
  public void flush(long records) {
    runs.sink.flush();
  }

  @Override
  public void close() {
    runs.isOver("records_end");
    concludeRun();
    runs.sink.close();
  }

  /** Events that wait for the end of their request. */
  int bufferedEvents() {
    return runs.latest == null ? 0 : runs.latest.bufferedEvents();
  }

  /** The spans of each run. */
  private static final class Runs implements RunListener {

    private final SpanOptions options;
    private final SpanSink sink;
    private final SpanTally tally = new SpanTally();
    private @Nullable RunSpans latest;

    Runs(SpanOptions options, SpanSink sink) {
      this.options = options;
      this.sink = sink;
    }

    @Override
    public RunListener onRun(RunTimeline run) {
      final RunSpans spans = new RunSpans(run, options, sink, tally);
      latest = spans;
      return spans;
    }

    /** Nothing more comes of the latest run, for a reason. */
    void isOver(String reason) {
      if (latest != null) {
        latest.isOver(reason);
      }
    }
  }
}
