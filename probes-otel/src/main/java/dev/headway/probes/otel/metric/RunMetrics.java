package dev.headway.probes.otel.metric;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.LimitsChangedRecord;
import dev.headway.events.record.RejectedRecord;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Feeds the metrics with what happens in one run. One thread. */
final class RunMetrics implements RunListener {

  private final List<EngineMeter> engines;
  private final GenAiMetrics genAi;
  private final HeadwayMetrics headway;
  private final LoraRequests adapters;
  private final WaitMeter waits;
  private final Occupancy occupancy;
  private final boolean cachesPrefixes;
  private final boolean looksOutside;

  RunMetrics(
      RunTimeline run,
      List<EngineMeter> engines,
      GenAiMetrics genAi,
      HeadwayMetrics headway,
      LoraRequests adapters) {
    this.engines = List.copyOf(engines);
    this.genAi = genAi;
    this.headway = headway;
    this.adapters = adapters;
    final LoadFigures load = new Load(this.engines, headway);
    this.waits = new WaitMeter(run, load);
    this.occupancy = new Occupancy(run, waits, load);
    final Map<String, String> config = run.header().config();
    this.cachesPrefixes = "ENABLED".equals(config.get("prefixCaching"));
    this.looksOutside =
        config.containsKey("hostBlocks") || run.header().attributes().containsKey("kv_connector");
    headway.limits.show(config);
    run.believePlans();
  }

  @Override
  public void onQueued(RequestTimeline request) {
    adapters.queued(request);
  }

  @Override
  public void onRejected(RejectedRecord rejected) {
    headway.rejected(rejected.reason());
  }

  @Override
  public void onDecision(Decision decision, long atNs, long stepId) {
    if (decision instanceof Decision.KvRemoved) {
      headway.evictedBlocks.inc();
    }
  }

  @Override
  public void onAdmitted(RequestTimeline request, int cachedTokens, long nowNs) {
    headway.queued(request.leftStateNs());
    if (request.preemptions() > 0) {
      return;
    }
    if (cachesPrefixes) {
      engines.forEach(each -> each.lookedUp(request));
    }
    if (looksOutside) {
      engines.forEach(each -> each.lookedUpOutside(request));
    }
  }

  @Override
  public void onPreempted(Decision.Preempted preemption, long nowNs) {
    engines.forEach(EngineMeter::preempted);
    headway.preempted(preemption.record().cause(), preemption.record().lostTokens());
  }

  @Override
  public void onPlanned(StepTimeline step) {
    headway.planned(step);
    engines.forEach(each -> each.planned(step));
    occupancy.planned(step.plan());
    publish(); // so that a scrape finds the waiting requests of one plan
  }

  @Override
  public void onFirstToken(RequestTimeline request, FirstTokenRecord firstToken) {
    engines.forEach(each -> each.firstToken(request));
    if (request.queued().ttftTargetNs() != ABSENT) {
      headway.target(!request.missedTtftTarget());
    }
  }

  @Override
  public void onTokens(RequestTimeline request, int tokens, long gapNs) {
    if (gapNs != ABSENT) {
      for (EngineMeter each : engines) {
        each.tokens(tokens, gapNs);
      }
    }
  }

  @Override
  public void onFinished(RequestTimeline request, FinishedRecord end) {
    occupancy.show();
    if (request.firstTokenNs() == ABSENT && request.missedTtftTarget()) {
      headway.target(false);
    }
  }

  @Override
  public void onSettled(RequestTimeline request) {
    final FinishedRecord end = request.end();
    if (end != null) {
      engines.forEach(each -> each.finished(request, end.reason()));
      genAi.finished(request, end.reason());
      headway.finished(end.reason());
    }
  }

  @Override
  public void onStep(StepTimeline step) {
    engines.forEach(each -> each.completed(step));
    headway.completed(step);
    occupancy.completed();
  }

  @Override
  public void onKvTransfer(KvTransferRecord transfer, @Nullable RequestTimeline request) {
    headway.moved(transfer);
  }

  @Override
  public void onLimitsChanged(LimitsChangedRecord changed) {
    headway.limits.show(changed.after().in(Map.of()));
  }

  @Override
  public void onUnknownRequest() {
    headway.unknownRequests.inc();
  }

  @Override
  public void onDropped(long records) {
    headway.droppedRecords.inc(records);
  }

  /** Those still alive are neither finished nor waiting. */
  @Override
  public void onRunConcluded(long lastNs, boolean cleanly) {
    publish();
    occupancy.cleared();
    adapters.cleared();
  }

  /** Brings up to date what changes with time alone, and what is too much for each step. */
  void refresh() {
    publish();
    adapters.publish();
  }

  private void publish() {
    waits.publish();
  }

  /** Shows the load under each engine's names and ours. */
  private record Load(List<EngineMeter> engines, HeadwayMetrics headway) implements LoadFigures {

    @Override
    public void requests(int running, int waiting, int deferred) {
      engines.forEach(each -> each.occupied(running, waiting, deferred));
    }

    @Override
    public void blocks(int free, int usable) {
      engines.forEach(each -> each.blocks(usable - free, usable));
      headway.blocks(free);
    }

    @Override
    public void idle(int usable) {
      engines.forEach(EngineMeter::idle);
      headway.blocks(usable);
    }

    @Override
    public void waiting(String reason, int requests) {
      headway.waiting(reason, requests);
    }

    @Override
    public void waited(String reason, long durationNs) {
      headway.waited(reason, durationNs);
    }
  }
}
