package dev.headway.probes.otel.metric;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import io.prometheus.metrics.core.metrics.Gauge;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * vLLM's {@code lora_requests_info}: one series, whose labels list the LoRA adapters of requests
 * that run and wait and whose value is the time of that, in seconds since 1970. There is none for
 * an engine without a limit of adapters until a request names one. One thread.
 */
final class LoraRequests {

  private static final double NS_PER_SECOND = 1e9;

  private final RunTimeline run;
  private final Gauge gauge;
  private final String limit;
  private boolean isUsed;
  private List<String> shown = List.of();

  LoraRequests(RunTimeline run, Families families) {
    this.run = run;
    this.gauge =
        families.gauge(
            MetricNames.LORA_REQUESTS,
            "When requests last used these LoRA adapters.",
            MetricNames.MAX_LORA,
            MetricNames.RUNNING_ADAPTERS,
            MetricNames.WAITING_ADAPTERS);
    final Map<String, String> config = run.header().config();
    final String most = config.getOrDefault("maxLoras", "0");
    this.isUsed = !most.equals("0");
    this.limit = isUsed ? most : config.getOrDefault("maxNumSeqs", "0");
    gauge.clear(); // of the run before
  }

  /** A request came. */
  void queued(RequestTimeline request) {
    isUsed |= request.queued().adapter() != null;
  }

  /** Shows the requests of the run. O(requests). */
  void publish() {
    if (isUsed) {
      show(List.of(limit, names(run.running()), names(run.waiting())));
    }
  }

  /** No request is left. */
  void cleared() {
    if (isUsed) {
      show(List.of(limit, "", ""));
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

  private static String names(Collection<RequestTimeline> requests) {
    final TreeSet<String> names = new TreeSet<>();
    for (RequestTimeline each : requests) {
      final String adapter = each.queued().adapter();
      if (adapter != null) {
        names.add(adapter);
      }
    }
    return String.join(",", names);
  }
}
