package dev.headway.probes.otel.metric;

import dev.headway.api.kvcache.DurationHistogram;
import dev.headway.api.kvcache.KvResidency;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.function.Supplier;

/** vLLM's histograms of how long sampled KV blocks stay, read from the cache at each scrape. */
final class KvResidencyMetrics implements MultiCollector {

  private static final double NS_PER_SECOND = 1e9;

  private final Supplier<KvResidency> source;
  private final Labels labels;

  KvResidencyMetrics(Supplier<KvResidency> source, String model, String engine) {
    this.source = source;
    labels = Labels.of(MetricNames.MODEL_NAME, model, MetricNames.ENGINE, engine);
  }

  @Override
  public MetricSnapshots collect() {
    final KvResidency residency = source.get();
    return new MetricSnapshots(
        snapshot(
            MetricNames.KV_BLOCK_LIFETIME,
            "From when a sampled KV block was taken until it was taken again.",
            residency.lifetime()),
        snapshot(
            MetricNames.KV_BLOCK_IDLE,
            "From the latest hit of a sampled KV block until it was taken again.",
            residency.idleBeforeEviction()),
        snapshot(
            MetricNames.KV_BLOCK_REUSE_GAP,
            "Between two hits of a sampled KV block, of the latest four.",
            residency.reuseGap()));
  }

  private HistogramSnapshot snapshot(String name, String help, DurationHistogram durations) {
    final ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
    for (int range = 0; range < DurationHistogram.RANGES; range++) {
      final boolean isLast = range == DurationHistogram.RANGES - 1;
      buckets.bucket(
          isLast ? Double.POSITIVE_INFINITY : DurationHistogram.endNs(range) / NS_PER_SECOND,
          durations.count(range));
    }
    return HistogramSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(
            HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(buckets.build())
                .sum(durations.sumNs() / NS_PER_SECOND)
                .labels(labels)
                .build())
        .build();
  }
}
