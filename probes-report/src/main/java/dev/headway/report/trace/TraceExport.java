package dev.headway.report.trace;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Decision;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.RejectedRecord;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes every run that it observes as a trace. Each run has a process for the scheduler and one
 * for its requests; time begins at 0 in each.
 *
 * <p>One thread. Closing it completes the file.
 */
public final class TraceExport implements RunListener, AutoCloseable {

  private final TraceFile file;
  private boolean closed;
  private long dropped;

  /** Writes to {@code stream}, which is closed with this. */
  public TraceExport(OutputStream stream) {
    this.file = new TraceFile(stream);
  }

  /** Events written. */
  public long events() {
    return file.events();
  }

  /** Records that the journal's writer had to drop. */
  public long droppedRecords() {
    return dropped;
  }

  @Override
  public RunListener onRun(RunTimeline run) {
    final long scheduler = 2L * run.index() + 1;
    final long requests = scheduler + 1;
    final String suffix = run.index() == 0 ? "" : ", run " + (run.index() + 1);
    file.name("process_name", scheduler, 0, "scheduler" + suffix);
    file.order("process_sort_index", scheduler, 0, scheduler);
    file.name("process_name", requests, 0, "requests" + suffix);
    file.order("process_sort_index", requests, 0, requests);
    final Listener listener =
        new Listener(
            new RequestTracks(file, requests), new StepTracks(file, scheduler, run.usableBlocks()));
    run.bookWaits(listener);
    return listener;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      file.close();
    }
  }

  private final class Listener implements RunListener, WaitListener {
    private final RequestTracks requests;
    private final StepTracks steps;

    Listener(RequestTracks requests, StepTracks steps) {
      this.requests = requests;
      this.steps = steps;
    }

    @Override
    public void onQueued(RequestTimeline request) {
      requests.queued(request);
    }

    @Override
    public void onRejected(RejectedRecord rejection) {
      requests.rejected(rejection);
    }

    @Override
    public void onPhaseChanged(RequestTimeline request, Phase left, long sinceNs, long nowNs) {
      requests.phaseChanged(request, left, sinceNs, nowNs);
    }

    @Override
    public void onCauseChanged(RequestTimeline request, long nowNs) {
      requests.causeChanged(request, nowNs);
    }

    @Override
    public void onSharedCauseChanged(Cause cause, long nowNs) {
      requests.sharedCauseChanged(cause, nowNs);
    }

    @Override
    public void onPreempted(Decision.Preempted preemption, long nowNs) {
      requests.preempted(preemption, nowNs);
    }

    @Override
    public void onUnfinished(RequestTimeline request, long nowNs) {
      requests.unfinished(request, nowNs);
    }

    @Override
    public void onPlanned(StepTimeline step) {
      steps.planned(step);
    }

    @Override
    public void onStep(StepTimeline step) {
      steps.completed(step);
    }

    @Override
    public void onLost(StepTimeline step) {
      steps.completed(step);
    }

    @Override
    public void onDropped(long records) {
      dropped += records;
    }
  }
}
