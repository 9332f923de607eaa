package dev.headway.probes.otel.metric;

import static dev.headway.probes.otel.metric.MetricNames.ENGINE;
import static dev.headway.probes.otel.metric.MetricNames.MODEL_NAME;

import dev.headway.api.schedule.AdapterLoad;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import io.prometheus.metrics.core.metrics.Gauge;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/**
 * Which LoRA adapters requests use. vLLM's {@code lora_requests_info}: one series, whose labels
 * list the adapters of requests that run and wait and whose value is the time of that, in seconds
 * since 1970. {@code headway_lora_requests}: how many of each run and wait, for at most {@value
 * #MOST_ADAPTERS} adapters, the others together. There are none for an engine without a limit of
 * adapters until a request names one. One thread.
 */
final class LoraRequests {

  /** Adapters with series of their own. */
  static final int MOST_ADAPTERS = 100;

  /** Stands for the adapters beyond those; no adapter of an executor has this name. */
  static final String OTHERS = "(others)";

  private static final String RUNNING = "running";
  private static final String WAITING = "waiting";
  private static final double NS_PER_SECOND = 1e9;

  private final RunTimeline run;
  private final Gauge gauge;
  private final Gauge requests;
  private final String model;
  private final String engine;
  private final String limit;
  private boolean isUsed;
  private List<String> shown = List.of();
  private Set<String> counted = new HashSet<>();

  LoraRequests(RunTimeline run, Families families, String model, String engine) {
    this.run = run;
    this.model = model;
    this.engine = engine;
    this.gauge =
        families.gauge(
            MetricNames.LORA_REQUESTS,
            "When requests last used these LoRA adapters.",
            MetricNames.MAX_LORA,
            MetricNames.RUNNING_ADAPTERS,
            MetricNames.WAITING_ADAPTERS);
    this.requests =
        families.gauge(
            MetricNames.LORA_REQUEST_COUNTS,
            "Requests that run and wait, by LoRA adapter.",
            MODEL_NAME,
            ENGINE,
            MetricNames.LORA_NAME,
            MetricNames.STATE);
    final Map<String, String> config = run.header().config();
    final String most = config.getOrDefault("maxLoras", "0");
    this.isUsed = !most.equals("0");
    this.limit = isUsed ? most : config.getOrDefault("maxNumSeqs", "0");
    gauge.clear(); // of the run before
    requests.clear();
  }

  /** A request came. */
  void queued(RequestTimeline request) {
    isUsed |= request.queued().adapter() != null;
  }

  /** Shows the requests of the run. O(adapters). */
  void publish() {
    if (isUsed) {
      final List<AdapterLoad> loads = run.adapters();
      show(List.of(limit, names(loads, AdapterLoad::running), names(loads, AdapterLoad::waiting)));
      count(loads);
    }
  }

  /** No request is left. */
  void cleared() {
    if (isUsed) {
      show(List.of(limit, "", ""));
      count(List.of());
    }
  }

  private void show(List<String> labels) {
    gauge
        .labelValues(labels.toArray(String[]::new))
        .set(run.unixNs(run.latestNs()) / NS_PER_SECOND);
    if (!shown.isEmpty() && !shown.equals(labels)) {
      gauge.remove(shown.toArray(String[]::new));
    }
    shown = labels;
  }

  private void count(List<AdapterLoad> loads) {
    final Set<String> present = new HashSet<>();
    int otherRunning = 0;
    int otherWaiting = 0;
    for (AdapterLoad load : loads) {
      if (present.size() < MOST_ADAPTERS) {
        present.add(load.name());
        set(load.name(), load.running(), load.waiting());
      } else {
        otherRunning += load.running();
        otherWaiting += load.waiting();
      }
    }
    if (otherRunning + otherWaiting > 0) {
      present.add(OTHERS);
      set(OTHERS, otherRunning, otherWaiting);
    }
    for (String gone : counted) {
      if (!present.contains(gone)) {
        requests.remove(model, engine, gone, RUNNING);
        requests.remove(model, engine, gone, WAITING);
      }
    }
    counted = present;
  }

  private void set(String adapter, int running, int waiting) {
    requests.labelValues(model, engine, adapter, RUNNING).set(running);
    requests.labelValues(model, engine, adapter, WAITING).set(waiting);
  }

  private static String names(List<AdapterLoad> loads, ToIntFunction<AdapterLoad> requests) {
    return loads.stream()
        .filter(load -> requests.applyAsInt(load) > 0)
        .map(AdapterLoad::name)
        .collect(Collectors.joining(","));
  }
}
