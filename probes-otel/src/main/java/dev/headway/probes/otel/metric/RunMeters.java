package dev.headway.probes.otel.metric;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.RejectedRecord;
import org.jspecify.annotations.Nullable;

/** Feeds meters with what happens in the runs of an engine, one after the other. One thread. */
final class RunMeters implements RunListener {

  private final MeterFigures figures;
  private @Nullable Load load;

  RunMeters(MeterFigures figures) {
    this.figures = figures;
  }

  @Override
  public RunListener onRun(RunTimeline run) {
    final WaitMeter waits = new WaitMeter(run, figures);
    run.believePlans();
    final Load ofRun = new Load(figures, waits, new Occupancy(run, waits, figures));
    load = ofRun;
    return ofRun;
  }

  @Override
  public void flush() {
    if (load != null) {
      load.waits.publish();
    }
  }

  /** Listens to one run. */
  private record Load(MeterFigures figures, WaitMeter waits, Occupancy occupancy)
      implements RunListener {

    @Override
    public void onRejected(RejectedRecord rejected) {
      figures.rejected(rejected.reason());
    }

    @Override
    public void onAdmitted(RequestTimeline request, int cachedTokens, long nowNs) {
      figures.queued(request.leftStateNs());
    }

    @Override
    public void onPreempted(Decision.Preempted preemption, long nowNs) {
      figures.preempted(preemption.record().cause());
    }

    @Override
    public void onPlanned(StepTimeline step) {
      occupancy.planned(step.plan());
      waits.publish();
    }

    @Override
    public void onFirstToken(RequestTimeline request, FirstTokenRecord firstToken) {
      figures.firstToken(request.ttftNs());
      figures.promptTokens(request.queued().promptTokens());
    }

    @Override
    public void onTokens(RequestTimeline request, int tokens, long gapNs) {
      if (gapNs != ABSENT) {
        figures.interToken(gapNs);
      }
    }

    @Override
    public void onFinished(RequestTimeline request, FinishedRecord end) {
      occupancy.show();
    }

    @Override
    public void onSettled(RequestTimeline request) {
      final FinishedRecord end = request.end();
      if (end != null) {
        figures.finished(end.reason());
      }
    }

    @Override
    public void onStep(StepTimeline step) {
      figures.generatedTokens(step.producedTokens());
      occupancy.completed();
    }

    @Override
    public void onDropped(long records) {
      figures.droppedRecords(records);
    }

    @Override
    public void onRunConcluded(long lastNs, boolean cleanly) {
      waits.publish();
      occupancy.cleared();
    }
  }
}
