package dev.headway.loadgen.result;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.timing.RouterTiming;
import dev.headway.routing.timing.TimedRequest;
import dev.headway.routing.timing.TimingSegment;
import dev.headway.routing.timing.TimingStage;
import dev.headway.routing.timing.table.TimingRow;
import dev.headway.toolbox.stats.SortedSample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/**
 * Where the time of a run's requests went, by the instants of client, router and server: a line per
 * duration that analysis scripts know, and per stage. Of requests that were answered; without
 * instants of a server there is nothing to say. Immutable.
 *
 * @param durations by their names, in the order of printing, in seconds
 * @param stages each stage that some request has, in seconds
 * @param workers how many requests each server behind the router answered
 */
public record StageDigest(
    Map<String, SortedSample> durations,
    Map<TimingSegment, SortedSample> stages,
    Map<String, Long> workers) {

  private static final double NS_PER_SECOND = 1e9;
  private static final double MS_PER_SECOND = 1e3;
  private static final double WHOLE = 100;

  /** Takes the figures. */
  public static StageDigest of(ChainCsv chain) {
    final List<TimedRequest> requests =
        chain.rows().stream()
            .filter(row -> !row.request().warmup() && row.outcome().status().equals("ok"))
            .map(TimingRow::timed)
            .toList();
    final Map<String, SortedSample> durations = new LinkedHashMap<>();
    durations.put(
        "Server latency",
        of(requests, r -> r.at().durationNs(toServer(r), TimingStage.CLIENT_DONE)));
    durations.put("Total latency", between(requests, TimingStage.ARRIVED, TimingStage.CLIENT_DONE));
    durations.put(
        "Queue in router", between(requests, TimingStage.ROUTER_RECEIVED, TimingStage.TO_SERVER));
    durations.put(
        "Queue in server",
        of(requests, r -> r.at().durationNs(toServer(r), TimingStage.SCHEDULED)));
    durations.put("Pure queue", between(requests, TimingStage.QUEUED, TimingStage.SCHEDULED));
    durations.values().removeIf(of -> of.count() == 0);
    final Map<TimingSegment, SortedSample> stages = new EnumMap<>(TimingSegment.class);
    for (TimingSegment segment : TimingSegment.values()) {
      final SortedSample of = of(requests, r -> r.segments().getOrDefault(segment, ABSENT));
      if (of.count() > 0) {
        stages.put(segment, of);
      }
    }
    return new StageDigest(durations, stages, workers(requests));
  }

  private static Map<String, Long> workers(List<TimedRequest> requests) {
    final List<String> names = new ArrayList<>();
    for (TimedRequest request : requests) {
      final RouterTiming router = request.router();
      if (router != null) {
        names.add(router.worker());
      }
    }
    return names.stream()
        .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()));
  }

  private static TimingStage toServer(TimedRequest request) {
    return request.router() == null ? TimingStage.SENT : TimingStage.TO_SERVER;
  }

  private static SortedSample between(
      List<TimedRequest> requests, TimingStage from, TimingStage to) {
    return of(requests, request -> request.at().durationNs(from, to));
  }

  private static SortedSample of(List<TimedRequest> requests, ToLongFunction<TimedRequest> nanos) {
    return SortedSample.of(
        requests.stream()
            .mapToLong(nanos)
            .filter(ns -> ns != ABSENT)
            .mapToDouble(ns -> ns / NS_PER_SECOND)
            .toArray());
  }

  /** Whether a server or a router sent its instants. */
  public boolean isKnown() {
    return stages.containsKey(TimingSegment.QUEUE) || stages.containsKey(TimingSegment.ROUTER_PICK);
  }

  /** Shares of the whole time by place, in percent, the greatest first. */
  public Map<String, Double> shares() {
    final Map<String, Double> seconds = new TreeMap<>();
    stages.forEach(
        (segment, of) -> seconds.merge(segment.place(), of.mean() * of.count(), Double::sum));
    final double all = seconds.values().stream().mapToDouble(Double::doubleValue).sum();
    final Map<String, Double> shares = new LinkedHashMap<>();
    seconds.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .forEach(entry -> shares.put(entry.getKey(), WHOLE * entry.getValue() / all));
    return shares;
  }

  /** Where most of the time went, in a sentence. */
  public String verdict() {
    return shares().entrySet().stream()
        .limit(3)
        .map(e -> String.format(Locale.ROOT, "%s %.1f %%", e.getKey(), e.getValue()))
        .collect(Collectors.joining(", ", "Most of the time: ", ""));
  }

  /** The digest as text. */
  public String text() {
    final StringBuilder text = new StringBuilder();
    line(text, "", "mean ms", "p50 ms", "p99 ms");
    durations.forEach((name, of) -> figures(text, name, of));
    text.append('\n');
    stages.forEach((stage, of) -> figures(text, "  " + stage.label(), of));
    text.append('\n').append(verdict()).append('\n');
    final long all = workers.values().stream().mapToLong(Long::longValue).sum();
    workers.forEach(
        (name, count) ->
            text.append(
                String.format(
                    Locale.ROOT, "%s: %.1f %% of requests\n", name, WHOLE * count / all)));
    return text.toString();
  }

  private static void figures(StringBuilder text, String name, SortedSample of) {
    line(
        text,
        name,
        milliseconds(of.mean()),
        milliseconds(of.median()),
        milliseconds(of.percentile(99)));
  }

  private static String milliseconds(double seconds) {
    return String.format(Locale.ROOT, "%.3f", seconds * MS_PER_SECOND);
  }

  private static void line(StringBuilder text, String name, String... cells) {
    text.append(String.format(Locale.ROOT, "%-23s", name));
    for (String cell : cells) {
      text.append(String.format(Locale.ROOT, "%12s", cell));
    }
    text.append('\n');
  }

  /** Writes the digest into a result. */
  void put(ObjectNode json) {
    stages.forEach(
        (stage, of) -> {
          final ObjectNode stageJson = json.putObject(stage.label()).put("place", stage.place());
          VllmJson.put(stageJson, "mean_ms", of.mean() * MS_PER_SECOND);
          VllmJson.put(stageJson, "p50_ms", of.median() * MS_PER_SECOND);
          VllmJson.put(stageJson, "p99_ms", of.percentile(99) * MS_PER_SECOND);
        });
  }
}
