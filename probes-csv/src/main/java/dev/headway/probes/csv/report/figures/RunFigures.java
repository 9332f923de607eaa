package dev.headway.probes.csv.report.figures;

import dev.headway.probes.chronicle.record.JournalVisitor.RunHeader;
import dev.headway.probes.csv.track.Cause;
import dev.headway.probes.csv.track.Phase;
import dev.headway.probes.csv.track.Rejection;
import dev.headway.probes.csv.track.RunTracker;
import dev.headway.probes.csv.track.Stay;
import dev.headway.probes.csv.track.TrackListener;
import dev.headway.probes.csv.track.TrackedRequest;
import dev.headway.probes.csv.track.TrackedStep;
import java.util.List;

/** All figures of a run, by subject. */
public final class RunFigures implements TrackListener {

  private final int index;
  private final RunHeader header;
  private final RunTracker tracker;
  private final RunFacts facts = new RunFacts();
  private final StepFigures steps;
  private final WaitFigures waits;
  private final LatencyFigures latencies = new LatencyFigures();
  private final GoodputFigures goodput;
  private final QueueFigures queue = new QueueFigures();
  private final KvFigures kv = new KvFigures();
  private final TenantFigures tenants = new TenantFigures();
  private final GanttFigures gantt = new GanttFigures();
  private final List<TrackListener> ofRequests;

  RunFigures(int index, RunHeader header, RunTracker tracker, Slo slo) {
    this.index = index;
    this.header = header;
    this.tracker = tracker;
    this.steps = new StepFigures(header.numBlocks() - 1);
    this.waits = new WaitFigures(tracker);
    this.goodput = new GoodputFigures(slo);
    this.ofRequests = List.of(facts, waits, latencies, goodput, queue, kv, tenants, gantt);
  }

  /** Which run of the journal, from 0. */
  public int index() {
    return index;
  }

  /** The start record. */
  public RunHeader header() {
    return header;
  }

  /** Requests and how they ended. */
  public RunFacts facts() {
    return facts;
  }

  /** Steps. */
  public StepFigures steps() {
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

  /** Who was ahead of whom. */
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

  /** Records that named a request which was never queued, or had ended. */
  public long unknownRequests() {
    return tracker.unknownRequests();
  }

  @Override
  public void queued(TrackedRequest request) {
    facts.queued(request);
    queue.queued(request);
    gantt.queued(request);
  }

  @Override
  public void rejected(Rejection rejection) {
    facts.rejected(rejection);
    goodput.rejected(rejection);
  }

  @Override
  public void phaseChanged(TrackedRequest request, Phase left, long sinceNs, long nowNs) {
    queue.phaseChanged(request, left, sinceNs, nowNs);
    gantt.phaseChanged(request, left, sinceNs, nowNs);
  }

  @Override
  public void causeChanged(TrackedRequest request, long nowNs) {
    gantt.causeChanged(request, nowNs);
  }

  @Override
  public void sharedCauseChanged(Cause cause, long nowNs) {
    gantt.sharedCauseChanged(cause, nowNs);
  }

  @Override
  public void waited(Cause cause, long fromNs, long toNs, int requests) {
    waits.waited(cause, fromNs, toNs, requests);
  }

  @Override
  public void stayed(Stay stay) {
    waits.stayed(stay);
  }

  @Override
  public void admitted(TrackedRequest request, int cachedTokens, long nowNs) {
    kv.admitted(request, cachedTokens, nowNs);
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
  public void tokenGap(TrackedRequest request, long gapNs) {
    latencies.tokenGap(request, gapNs);
  }

  @Override
  public void ended(TrackedRequest request) {
    ofRequests.forEach(part -> part.ended(request));
  }

  @Override
  public void unfinished(TrackedRequest request, long nowNs) {
    ofRequests.forEach(part -> part.unfinished(request, nowNs));
  }

  @Override
  public void kvChanged(int stored, int removed) {
    kv.kvChanged(stored, removed);
  }

  @Override
  public void dropped(long records) {
    facts.dropped(records);
  }

  @Override
  public void runConcluded(long lastNs, boolean cleanly) {
    facts.runConcluded(lastNs, cleanly);
  }
}
