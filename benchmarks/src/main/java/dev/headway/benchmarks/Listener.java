package dev.headway.benchmarks;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.RunInfo;
import dev.headway.events.live.LiveOptions;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.live.Overflow;
import dev.headway.events.live.RecordConsumer;
import dev.headway.events.model.RunModel;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalOptions;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.csv.live.LiveCsv;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.dashboard.page.DashboardPages;
import dev.headway.probes.dashboard.state.EngineWatch;
import dev.headway.probes.otel.metric.Metrics;
import dev.headway.probes.otel.metric.MetricsOptions;
import dev.headway.probes.otel.span.OtelSpans;
import dev.headway.probes.otel.span.SpanOptions;
import dev.headway.scheduler.probes.ProbeDispatcher;
import dev.headway.toolbox.output.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who listens in a benchmark, behind the hub that an engine puts between. */
record Listener(Probe probe, @Nullable Path directory) {

  private static final int FLUSH_ITERATIONS = 1_000_000;
  private static final long BLOCK_BYTES = 64L << 20;
  private static final long AHEAD_BYTES = 512L << 20;

  static final Listener NONE = new Listener(new ProbeDispatcher(List.of()), null);

  static Listener open(String name) throws IOException {
    return switch (name) {
      case "none" -> new Listener(new ProbeDispatcher(List.of()), null);
      case "no-interest" -> new Listener(new ProbeDispatcher(List.of(new NoInterest())), null);
      case "journal-summary" -> journal(JournalLevel.SUMMARY);
      case "journal-full" -> journal(JournalLevel.FULL);
      case "journal-debug" -> journal(JournalLevel.DEBUG);
      case "live" -> live(new Discarding(), null);
      case "live-csv" -> csv();
      case "live-otlp" -> live(new OtelSpans(SpanOptions.defaults(), span -> {}), null);
      case "live-dashboard" ->
          live(new RunModel(new EngineWatch(new DashboardPages()::show)), null);
      case "live-prometheus" -> live(new Metrics(MetricsOptions.defaults()), null);
      default -> throw new IllegalArgumentException("no such listener: probe=" + name);
    };
  }

  /*
   * A tight loop does in a second what a server does in minutes. A flush every hundred steps would
   * come every millisecond, and space ahead of the writer would run out; both are set so that they
   * come as often per second as they would in a server.
   */
  private static Listener journal(JournalLevel level) throws IOException {
    final Path directory = Files.createTempDirectory("headway-benchmark");
    final JournalOptions options =
        new JournalOptions(directory, level, FLUSH_ITERATIONS, 60, BLOCK_BYTES, AHEAD_BYTES);
    return started(JournalProbe.open(options), directory);
  }

  /** What a consumer costs shows in the time of a step when the engine waits for it. */
  private static Listener live(RecordConsumer consumer, @Nullable Path directory) {
    final LiveOptions options = LiveOptions.DEFAULT.withOverflow(Overflow.BLOCK);
    return started(LiveProbe.of(options, List.of(consumer)), directory);
  }

  private static Listener csv() throws IOException {
    final Path directory = Files.createTempDirectory("headway-benchmark");
    return live(LiveCsv.begin(directory, ConvertOptions.DEFAULT), directory);
  }

  private static Listener started(Probe probe, @Nullable Path directory) {
    final ProbeDispatcher dispatcher = new ProbeDispatcher(List.of(probe));
    final SchedulerConfig config = SchedulerLoop.config(1, 1, 2);
    dispatcher.onRunStarted(
        RunInfo.builder(
                config,
                KvCacheShape.builder().blockSize(SchedulerLoop.BLOCK_SIZE).blocks(2).build())
            .headwayVersion("benchmark")
            .executor("none")
            .build());
    return new Listener(dispatcher, directory);
  }

  void close() throws IOException {
    probe.close();
    if (directory != null) {
      FileTree.delete(directory);
    }
  }

  /** Receives every event and does nothing with it. */
  private static final class Discarding implements RecordConsumer {
    @Override
    public void close() {}
  }

  private static final class NoInterest implements Probe {
    @Override
    public EnumSet<ProbeInterest> interests() {
      return EnumSet.noneOf(ProbeInterest.class);
    }
  }
}
