package dev.headway.probes.csv.trace;

import dev.headway.probes.chronicle.record.JournalVisitor.RunHeader;
import dev.headway.probes.csv.track.Cause;
import dev.headway.probes.csv.track.Phase;
import dev.headway.probes.csv.track.Preemption;
import dev.headway.probes.csv.track.Rejection;
import dev.headway.probes.csv.track.RunObserver;
import dev.headway.probes.csv.track.RunTracker;
import dev.headway.probes.csv.track.TrackListener;
import dev.headway.probes.csv.track.TrackedRequest;
import dev.headway.probes.csv.track.TrackedStep;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes every run that it observes as a trace. Each run has a process for the scheduler and one
 * for its requests; time begins at 0 in each.
 *
 * <p>One thread. Closing it completes the file.
 */
public final class TraceExport implements RunObserver, AutoCloseable {

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
  public TrackListener listen(int index, RunHeader header, RunTracker tracker) {
    final long scheduler = 2L * index + 1;
    final long requests = scheduler + 1;
    final String run = index == 0 ? "" : ", run " + (index + 1);
    file.name("process_name", scheduler, 0, "scheduler" + run);
    file.order("process_sort_index", scheduler, 0, scheduler);
    file.name("process_name", requests, 0, "requests" + run);
    file.order("process_sort_index", requests, 0, requests);
    return new Listener(
        new RequestTracks(file, requests), new StepTracks(file, scheduler, header.numBlocks() - 1));
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      file.close();
    }
  }

  private final class Listener implements TrackListener {
    private final RequestTracks requests;
    private final StepTracks steps;

    Listener(RequestTracks requests, StepTracks steps) {
      this.requests = requests;
      this.steps = steps;
    }

    @Override
    public void queued(TrackedRequest request) {
      requests.queued(request);
    }

    @Override
    public void rejected(Rejection rejection) {
      requests.rejected(rejection);
    }

    @Override
    public void phaseChanged(TrackedRequest request, Phase left, long sinceNs, long nowNs) {
      requests.phaseChanged(request, left, sinceNs, nowNs);
    }

    @Override
    public void causeChanged(TrackedRequest request, long nowNs) {
      requests.causeChanged(request, nowNs);
    }

    @Override
    public void sharedCauseChanged(Cause cause, long nowNs) {
      requests.sharedCauseChanged(cause, nowNs);
    }

    @Override
    public void preempted(Preemption preemption, long nowNs) {
      requests.preempted(preemption, nowNs);
    }

    @Override
    public void unfinished(TrackedRequest request, long nowNs) {
      requests.unfinished(request, nowNs);
    }

    @Override
    public void planned(TrackedStep step) {
      steps.planned(step);
    }

    @Override
    public void completed(TrackedStep step) {
      steps.completed(step);
    }

    @Override
    public void dropped(long records) {
      dropped += records;
    }
  }
}
