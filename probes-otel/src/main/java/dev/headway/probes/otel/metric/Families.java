package dev.headway.probes.otel.metric;

import static java.util.regex.Pattern.MULTILINE;
import static java.util.regex.Pattern.UNIX_LINES;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Metrics of a registry, each registered when it is first asked for. One thread. */
final class Families {

  private final PrometheusRegistry registry;
  private final Map<String, Counter> counters = new HashMap<>();
  private final Map<String, Gauge> gauges = new HashMap<>();
  private final Map<String, Histogram> histograms = new HashMap<>();
  private final Map<String, Info> infos = new HashMap<>();

  private final List<String> refused = new CopyOnWriteArrayList<>();

  Families(PrometheusRegistry registry) {
    this.registry = registry;
  }

  Counter counter(String name, String help, String... labels) {
    return counters.computeIfAbsent(
        name, key -> Counter.builder().name(key).help(help).labelNames(labels).register(registry));
  }

  Gauge gauge(String name, String help, String... labels) {
    return gauges.computeIfAbsent(
        name,
        key ->
            allowed(
                key,
                each ->
                    Gauge.builder().name(each).help(help).labelNames(labels).register(registry)));
  }

  Histogram histogram(String name, String help, double[] bounds, String... labels) {
    return histograms.computeIfAbsent(
        name,
        key ->
            allowed(
                key,
                each ->
                    Histogram.builder()
                        .name(each)
                        .help(help)
                        .classicOnly()
                        .classicUpperBounds(bounds)
                        .withoutExemplars()
                        .labelNames(labels)
                        .register(registry)));
  }

  /**
   * Registers under a name, or without its end where the client refuses that: versions before 1.6,
   * which Spring Boot 3.5 and 4.1 have, let only counters end in {@code _total}, and no gauge in
   * {@code _info}, as vLLM's do.
   */
  private <M> M allowed(String name, Function<String, M> register) {
    try {
      return register.apply(name);
    } catch (IllegalArgumentException e) {
      final int end = name.lastIndexOf('_');
      if (!name.endsWith("_total") && !name.endsWith("_info")) {
        throw e;
      }
      final M registered = register.apply(name.substring(0, end));
      refused.add(name);
      return registered;
    }
  }

  /** A scrape with the names that the client refused, if it refused some. Any thread. */
  String named(String scrape) {
    String text = scrape;
    for (String name : refused) {
      final String registered = name.substring(0, name.lastIndexOf('_'));
      text =
          Pattern.compile(
                  "^((?:# (?:HELP|TYPE) )?)" + registered + "(?=[ _{])", MULTILINE | UNIX_LINES)
              .matcher(text)
              .replaceAll("$1" + name);
    }
    return text;
  }

  Info info(String name, String help, String... labels) {
    return infos.computeIfAbsent(
        name, key -> Info.builder().name(key).help(help).labelNames(labels).register(registry));
  }
}
