package dev.headway.probes.csv.projection;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.csv.option.ConvertOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns what {@link dev.headway.events.model.RunModel} makes of the records into rows. One thread.
 * Memory is bounded by live requests and steps in flight.
 */
public final class RunProjection implements RunListener {

  private final RowFiles files;
  private final ConvertOptions options;
  private final WaitReasons reasons;
  private final EventLog events;
  private final List<RunStartedRecord> headers = new ArrayList<>();
  private Anomalies ofEndedRuns = Anomalies.NONE;
  private @Nullable RunRows current;

  /** Writes rows to {@code files}, which stay the caller's to close. */
  public RunProjection(RowFiles files, ConvertOptions options) {
    this.files = files;
    this.options = options;
    this.reasons = new WaitReasons(files.policy());
    this.events = new EventLog(files.events);
  }

  /** The start records so far. */
  public List<RunStartedRecord> headers() {
    return List.copyOf(headers);
  }

  /** What was odd about the journal so far. */
  public Anomalies anomalies() {
    final Anomalies all = current == null ? ofEndedRuns : ofEndedRuns.plus(current.anomalies());
    return all.withEventsOutOfOrder(events.outOfOrder());
  }

  /** Whether the writer closed the latest run in good order. */
  public boolean endedCleanly() {
    return current != null && current.run().endedCleanly();
  }

  @Override
  public RunListener onRun(RunTimeline run) {
    ofEndedRuns = anomalies();
    headers.add(run.header());
    events.startRun();
    current =
        new RunRows(run, files, options, reasons, new EventRows(run, events, files.transitions));
    return current;
  }

  @Override
  public void close() {
    events.drain();
  }
}
