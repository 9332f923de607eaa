package dev.headway.cli.serve;

import dev.headway.api.engine.Engine;
import dev.headway.api.policy.PolicySpec;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeEnvironment;
import dev.headway.cli.command.Needs;
import dev.headway.events.live.LiveOptions;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalOptions;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.dashboard.page.Dashboard;
import dev.headway.probes.otel.metric.Metrics;
import dev.headway.probes.otel.metric.MetricsCompat;
import dev.headway.probes.otel.metric.MetricsOptions;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.probes.ProbeLoader;
import dev.headway.server.ServerPages;
import dev.headway.serving.EngineTimes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What watches the engine of {@code headway serve}: each is a flag. */
final class WatchOptions {

  /**
   * What was switched on.
   *
   * @param metrics what {@code /metrics} shows, or null
   * @param engineTimes what answers need to say where the time went
   * @param perRequestMetrics whether answers have vLLM's metrics
   * @param pages the dashboard, if it is on
   * @param described for people
   * @param given probes that the engine closes, once it is built
   */
  record Watchers(
      @Nullable Metrics metrics,
      EngineTimes engineTimes,
      boolean perRequestMetrics,
      ServerPages pages,
      List<String> described,
      List<Probe> given) {

    /** The text of {@code /metrics}, or null. */
    @Nullable Supplier<String> text() {
      return metrics == null ? null : metrics::text;
    }

    /** The engine measures how long its blocks stay. */
    void showResidency(Engine engine, String servedName) {
      if (metrics != null) {
        metrics.showResidency(servedName, () -> engine.stats().kvCache().residency());
      }
    }

    /** Closes what no engine will: a journal without a run leaves no directory. */
    void discard() {
      given.forEach(Probe::close);
    }
  }

  @Option(
      names = "--journal",
      paramLabel = "DIR",
      description = "Record every decision in a journal below DIR; headway explain reads it.")
  @Nullable Path journal;

  @Needs(value = "--journal", variable = "HEADWAY_JOURNAL")
  @Option(
      names = "--journal-level",
      paramLabel = "LEVEL",
      description = "How much it keeps: debug, full or summary (${DEFAULT-VALUE}).")
  JournalLevel journalLevel = JournalLevel.FULL;

  @Option(
      names = "--probe",
      paramLabel = "SPEC",
      description =
          "A probe by name, as in jfr or \"otlp(endpoint=http://localhost:4318)\"; repeat it or"
              + " use +.")
  List<String> probes = new ArrayList<>();

  @Option(names = "--metrics", description = "Serve Prometheus metrics at /metrics.")
  boolean metrics;

  @Option(
      names = "--metrics-compat",
      paramLabel = "ENGINE",
      description =
          "Whose names they have: vllm, or sglang for SGLang's beside them (vllm). Turns"
              + " --metrics on.")
  @Nullable MetricsCompat metricsCompat;

  @Option(
      names = "--enable-per-request-metrics",
      description = "Return the times of each request in its answer, as vLLM.")
  boolean perRequestMetrics;

  @Option(
      names = "--dashboard",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description = "Show at / what the engine is doing (on).")
  boolean dashboard = true;

  /**
   * Gives the engine its probes, which it closes.
   *
   * @throws IOException if the journal or a socket cannot be opened
   */
  Watchers watch(EngineBuilder engine, String servedName, WireOptions wire, String host)
      throws IOException {
    final List<String> described = new ArrayList<>();
    final List<Probe> given = new ArrayList<>();
    final Map<String, Map<String, String>> named =
        new LinkedHashMap<>(PolicySpec.parse(String.join("+", probes)));
    if (journal != null) {
      given.add(JournalProbe.open(JournalOptions.of(journal, journalLevel)));
      described.add("journal in " + journal + " (" + journalLevel.label() + ")");
    }
    Metrics counted = null;
    if (metrics || metricsCompat != null) {
      counted =
          new Metrics(
              MetricsOptions.defaults()
                  .withModelName(servedName)
                  .withCompat(Objects.requireNonNullElse(metricsCompat, MetricsCompat.VLLM)));
      given.add(LiveProbe.of(counted));
      described.add("metrics at /metrics");
    }
    final EngineTimes times = new EngineTimes();
    given.add(times);
    if (perRequestMetrics) {
      described.add("per-request metrics");
    }
    ServerPages pages = ServerPages.NONE;
    if (dashboard) {
      final Dashboard shown = Dashboard.of(LiveOptions.DEFAULT);
      given.add(shown.probe());
      pages = new DashboardRoutes(shown.pages());
      described.add("dashboard at /");
    }
    try {
      wire.open(host, servedName, described, given::add);
    } catch (IOException | IllegalArgumentException e) {
      given.forEach(Probe::close);
      throw e;
    }
    given.forEach(engine::probe);
    named.keySet().forEach(name -> described.add("probe " + name));
    addFromEnvironment(named, described);
    named.forEach(engine::probe);
    return new Watchers(counted, times, perRequestMetrics, pages, described, given);
  }

  /** What the command line does not say, the environment may. */
  private void addFromEnvironment(Map<String, Map<String, String>> named, List<String> described) {
    new ProbeLoader(Thread.currentThread().getContextClassLoader())
        .requested(ProbeEnvironment.ofProcess())
        .forEach(
            (name, request) -> {
              final boolean isTaken = name.equals("chronicle") && journal != null;
              if (!isTaken && named.putIfAbsent(name, request.options()) == null) {
                described.add(
                    "probe "
                        + name
                        + place(request.options())
                        + " by "
                        + String.join(", ", request.switches()));
              }
            });
  }

  private static String place(Map<String, String> options) {
    final String place = options.getOrDefault("dir", options.get("log"));
    return place == null ? "" : " in " + Path.of(place).toAbsolutePath();
  }
}
