package dev.headway.probes.otel.metric;

import static dev.headway.api.Absent.ABSENT;
import static dev.headway.probes.otel.metric.MetricNames.ENGINE;
import static dev.headway.probes.otel.metric.MetricNames.MODEL_NAME;

import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.kvcache.KvTransferStage;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.KvTransferRecord;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.datapoints.GaugeDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;

/** What we count and others do not: why requests wait, what preemptions cost, where time goes. */
final class HeadwayMetrics {

  private static final String TRANSFER_DONE = KvTransferStage.COMPLETED.label();

  private static final double NS_PER_SECOND = 1e9;
  private static final double PERMILLE = 1_000;

  private final Families families;
  private final String model;
  private final String engine;
  private final int usableBlocks;

  private final Counter waitingSeconds;
  private final Gauge waitingRequests;
  private final Counter preemptions;
  private final Counter lostTokens;
  private final Counter rejections;
  private final Counter finished;
  private final Histogram stepPhases;
  private final GaugeDataPoint usedBlocks;
  private final GaugeDataPoint freeBlocks;
  private final CounterDataPoint targetsMet;
  private final CounterDataPoint targetsMissed;
  private final DistributionDataPoint batch;
  private final CounterDataPoint failedSteps;
  private final CounterDataPoint recomputedTokens;
  final CounterDataPoint evictedBlocks;
  private final CounterDataPoint savedBlocks;
  private final CounterDataPoint loadedBlocks;
  final CounterDataPoint droppedRecords;
  final CounterDataPoint unknownRequests;
  private final DistributionDataPoint queue;
  final LimitGauges limits;

  HeadwayMetrics(Families families, String model, String engine, int usableBlocks) {
    this.families = families;
    this.model = model;
    this.engine = engine;
    this.usableBlocks = usableBlocks;
    waitingSeconds =
        counter(
            MetricNames.WAITING_SECONDS,
            "Time that requests have waited, by reason; each nanosecond is booked to one.",
            MetricNames.REASON);
    waitingRequests =
        families.gauge(
            MetricNames.WAITING_REQUESTS,
            "Requests that wait, by reason.",
            MODEL_NAME,
            ENGINE,
            MetricNames.REASON);
    preemptions =
        counter(MetricNames.PREEMPTIONS_BY_CAUSE, "Preemptions, by cause.", MetricNames.CAUSE);
    lostTokens =
        counter(
            MetricNames.LOST_TOKENS,
            "Computed tokens that preemptions gave up, by cause; the cache may bring some back.",
            MetricNames.CAUSE);
    rejections =
        counter(
            MetricNames.REJECTIONS,
            "Requests refused at submission, by reason.",
            MetricNames.REASON);
    finished = counter(MetricNames.FINISHED, "Requests that ended, by reason.", MetricNames.REASON);
    stepPhases =
        families.histogram(
            MetricNames.STEP_PHASE_SECONDS,
            "Time of a step, by phase; gap is the time before it.",
            Buckets.stepPhase(),
            MODEL_NAME,
            ENGINE,
            MetricNames.PHASE);
    final Gauge blocks =
        families.gauge(
            MetricNames.KV_BLOCKS, "KV blocks, by state.", MODEL_NAME, ENGINE, MetricNames.STATE);
    usedBlocks = blocks.labelValues(model, engine, "used");
    freeBlocks = blocks.labelValues(model, engine, "free");
    final Counter targets =
        counter(
            MetricNames.TTFT_TARGETS,
            "First tokens that were wanted by a time, met or missed.",
            MetricNames.STATE);
    targetsMet = targets.labelValues(model, engine, "met");
    targetsMissed = targets.labelValues(model, engine, "missed");
    batch =
        families
            .histogram(
                MetricNames.STEP_BATCH,
                "Requests that a step computes.",
                Buckets.batch(),
                MODEL_NAME,
                ENGINE)
            .labelValues(model, engine);
    failedSteps = single(MetricNames.STEPS_FAILED, "Steps that failed as a whole.");
    recomputedTokens =
        single(MetricNames.RECOMPUTED_TOKENS, "Tokens computed again that a preemption took.");
    evictedBlocks =
        single(MetricNames.EVICTED_KV_BLOCKS, "Cached KV blocks taken for other content.");
    savedBlocks = single(MetricNames.SAVED_KV_BLOCKS, "KV blocks saved to host memory.");
    loadedBlocks = single(MetricNames.LOADED_KV_BLOCKS, "KV blocks loaded from host memory.");
    droppedRecords =
        single(MetricNames.DROPPED_RECORDS, "Records that the writer had no room for.");
    unknownRequests =
        single(MetricNames.UNKNOWN_REQUESTS, "Records about requests that are not known.");
    limits = new LimitGauges(families, model, engine);
    queue =
        families
            .histogram(
                MetricNames.QUEUE_SECONDS,
                "Each stay in the queue, those after a preemption included.",
                Buckets.queue(),
                MODEL_NAME,
                ENGINE)
            .labelValues(model, engine);
  }

  /** Counts a transfer once, when it is done. */
  void moved(KvTransferRecord moved) {
    if (moved.succeeded() && moved.stage().equals(TRANSFER_DONE)) {
      final boolean saved = moved.targetMedium().equals(KvTransfer.CPU);
      (saved ? savedBlocks : loadedBlocks).inc(moved.blockCount());
    }
  }

  void queued(long durationNs) {
    queue.observe(durationNs / NS_PER_SECOND);
  }

  void preempted(String cause, int lost) {
    preemptions.labelValues(model, engine, cause).inc();
    lostTokens.labelValues(model, engine, cause).inc(lost);
  }

  void rejected(String reason) {
    rejections.labelValues(model, engine, reason).inc();
  }

  void finished(String reason) {
    finished.labelValues(model, engine, reason).inc();
  }

  void target(boolean met) {
    (met ? targetsMet : targetsMissed).inc();
  }

  void planned(StepTimeline step) {
    recomputedTokens.inc(step.entries().recomputedTokens());
    if (step.plan().batchSize() > 0) {
      batch.observe(step.plan().batchSize());
    }
  }

  /** KV blocks that are free now. */
  void blocks(int free) {
    freeBlocks.set(free);
    usedBlocks.set(usableBlocks - free);
  }

  void completed(StepTimeline step) {
    phase("schedule", step.plan().scheduleNs());
    phase("prepare", step.prepareNs());
    phase("forward", step.forwardNs());
    phase("sample", step.sampleNs());
    phase("update", step.updateNs());
    phase("gap", step.gapNs());
    if (step.failure() != null) {
      failedSteps.inc();
    }
    device(MetricNames.DEVICE_MEMORY, "Device memory in use.", step.deviceMemoryUsedBytes(), 1);
    device(
        MetricNames.DEVICE_UTILIZATION,
        "Device utilisation, 0 to 1.",
        step.deviceUtilizationPermille(),
        PERMILLE);
  }

  void waited(String reason, long durationNs) {
    waitingSeconds.labelValues(model, engine, reason).inc(durationNs / NS_PER_SECOND);
  }

  void waiting(String reason, int requests) {
    waitingRequests.labelValues(model, engine, reason).set(requests);
  }

  private void phase(String phase, long durationNs) {
    if (durationNs != ABSENT) {
      stepPhases.labelValues(model, engine, phase).observe(durationNs / NS_PER_SECOND);
    }
  }

  private void device(String name, String help, long figure, double divisor) {
    if (figure != ABSENT) {
      families
          .gauge(name, help, MODEL_NAME, ENGINE)
          .labelValues(model, engine)
          .set(figure / divisor);
    }
  }

  private Counter counter(String name, String help, String label) {
    return families.counter(name, help, MODEL_NAME, ENGINE, label);
  }

  private CounterDataPoint single(String name, String help) {
    return families.counter(name, help, MODEL_NAME, ENGINE).labelValues(model, engine);
  }
}
