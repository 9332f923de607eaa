package dev.headway.probes.otel.metric;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.HashMap;
import java.util.Map;

/** Metrics of a registry, each registered when it is first asked for. One thread. */
final class Families {

  private final PrometheusRegistry registry;
  private final Map<String, Counter> counters = new HashMap<>();
  private final Map<String, Gauge> gauges = new HashMap<>();
  private final Map<String, Histogram> histograms = new HashMap<>();
  private final Map<String, Info> infos = new HashMap<>();

  Families(PrometheusRegistry registry) {
    this.registry = registry;
  }

  Counter counter(String name, String help, String... labels) {
    return counters.computeIfAbsent(
        name, key -> Counter.builder().name(key).help(help).labelNames(labels).register(registry));
  }

  Gauge gauge(String name, String help, String... labels) {
    return gauges.computeIfAbsent(
        name, key -> Gauge.builder().name(key).help(help).labelNames(labels).register(registry));
  }

  Histogram histogram(String name, String help, double[] bounds, String... labels) {
    return histograms.computeIfAbsent(
        name,
        key ->
            Histogram.builder()
                .name(key)
                .help(help)
                .classicOnly()
                .classicUpperBounds(bounds)
                .withoutExemplars()
                .labelNames(labels)
                .register(registry));
  }

  Info info(String name, String help, String... labels) {
    return infos.computeIfAbsent(
        name, key -> Info.builder().name(key).help(help).labelNames(labels).register(registry));
  }
}
