package dev.headway.report.html.figures;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Decision;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestListener;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.model.WaitInterval;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunStartedRecord;
import java.util.List;

/** All figures of a run, by subject. */
public final class ReportFigures implements RunListener, WaitListener {

  private final RunTimeline run;
  private final RunFacts facts = new RunFacts();
  private final StepSeries steps;
  private final WaitFigures waits;
  private final LatencyFigures latencies = new LatencyFigures();
  private final GoodputFigures goodput;
  private final QueueFigures queue = new QueueFigures();
  private final KvFigures kv = new KvFigures();
  private final TenantFigures tenants = new TenantFigures();
  private final GanttFigures gantt = new GanttFigures();
  private final BusiestFigures busiest = new BusiestFigures();
  private final List<RequestListener> ofRequests;

  ReportFigures(RunTimeline run, Slo slo) {
    this.run = run;
    this.steps = new StepSeries(run.usableBlocks());
    this.waits = new WaitFigures(run.bookWaits(this));
    this.goodput = new GoodputFigures(slo);
    this.ofRequests = List.of(facts, waits, latencies, goodput, queue, kv, tenants, gantt, busiest);
  }

  /** Which run of the journal, from 0. */
  public int index() {
    return run.index();
  }

  /** The start record. */
  public RunStartedRecord header() {
    return run.header();
  }

  /** Requests and how they ended. */
  public RunFacts facts() {
    return facts;
  }

  /** Steps. */
  public StepSeries steps() {
    return steps;
  }

  /** Waits. */
  public WaitFigures waits() {
    return waits;
  }

  /** Latencies. */
  public LatencyFigures latencies() {
    return latencies;
  }

  /** Requests that met what was asked of them. */
  public GoodputFigures goodput() {
    return goodput;
  }

  /** How many requests were ahead of each. */
  public QueueFigures queue() {
    return queue;
  }

  /** The KV cache. */
  public KvFigures kv() {
    return kv;
  }

  /** Tenants. */
  public TenantFigures tenants() {
    return tenants;
  }

  /** Lives of requests. */
  public GanttFigures gantt() {
    return gantt;
  }

  /** Lives of the requests at the instant with the most of them. */
  public BusiestFigures busiest() {
    return busiest;
  }

  /** Records that named a request which was never queued, or had ended. */
  public long unknownRequests() {
    return run.unknownRequests();
  }

  @Override
  public void onQueued(RequestTimeline request) {
    facts.onQueued(request);
    queue.onQueued(request);
    gantt.onQueued(request);
    busiest.onQueued(request);
  }

  @Override
  public void onRejected(RejectedRecord rejection) {
    facts.onRejected(rejection);
    goodput.onRejected(rejection);
  }

  @Override
  public void onPhaseChanged(RequestTimeline request, Phase left, long sinceNs, long nowNs) {
    queue.onPhaseChanged(request, left, sinceNs, nowNs);
    gantt.onPhaseChanged(request, left, sinceNs, nowNs);
    busiest.onPhaseChanged(request, left, sinceNs, nowNs);
  }

  @Override
  public void onCauseChanged(RequestTimeline request, long nowNs) {
    gantt.onCauseChanged(request, nowNs);
    busiest.onCauseChanged(request, nowNs);
  }

  @Override
  public void onSharedCauseChanged(Cause cause, long nowNs) {
    gantt.onSharedCauseChanged(cause, nowNs);
    busiest.onSharedCauseChanged(cause, nowNs);
  }

  @Override
  public void onWaited(Cause cause, long fromNs, long toNs, int requests) {
    waits.onWaited(cause, fromNs, toNs, requests);
  }

  @Override
  public void onWaitEnded(WaitInterval stay) {
    waits.onWaitEnded(stay);
  }

  @Override
  public void onAdmitted(RequestTimeline request, int cachedTokens, long nowNs) {
    kv.onAdmitted(request, cachedTokens, nowNs);
  }

  @Override
  public void onPlanned(StepTimeline step) {
    steps.onPlanned(step);
  }

  @Override
  public void onStep(StepTimeline step) {
    steps.onStep(step);
  }

  @Override
  public void onLost(StepTimeline step) {
    steps.onLost(step);
  }

  @Override
  public void onTokenGap(RequestTimeline request, long gapNs) {
    latencies.onTokenGap(request, gapNs);
  }

  @Override
  public void onSettled(RequestTimeline request) {
    ofRequests.forEach(part -> part.onSettled(request));
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    ofRequests.forEach(part -> part.onUnfinished(request, nowNs));
  }

  @Override
  public void onDecision(Decision decision, long atNs, long stepId) {
    kv.onDecision(decision);
  }

  @Override
  public void onDropped(long records) {
    facts.onDropped(records);
  }

  @Override
  public void onRunConcluded(long lastNs, boolean cleanly) {
    facts.onRunConcluded(lastNs, cleanly);
  }
}
