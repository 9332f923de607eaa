package dev.headway.benchmarks;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.time.ClockAnchor;
import dev.headway.probes.chronicle.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.scheduler.probes.ProbeHub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Who listens in a benchmark, behind the hub that an engine puts between. */
record Listener(Probe probe, @Nullable Path directory) {

  static final Listener NONE = new Listener(new ProbeHub(List.of()), null);

  static Listener open(String name) throws IOException {
    return switch (name) {
      case "none" -> new Listener(new ProbeHub(List.of()), null);
      case "no-interest" -> new Listener(new ProbeHub(List.of(new NoInterest())), null);
      case "journal-summary" -> journal(JournalLevel.SUMMARY);
      case "journal-full" -> journal(JournalLevel.FULL);
      default -> throw new IllegalArgumentException("no such listener: probe=" + name);
    };
  }

  private static Listener journal(JournalLevel level) throws IOException {
    final Path directory = Files.createTempDirectory("headway-benchmark");
    final ProbeHub hub = new ProbeHub(List.of(JournalProbe.open(directory, level)));
    final SchedulerConfig config = SchedulerLoop.config(1, 1, 2);
    hub.onRunStarted(
        new RunInfo(
            "benchmark",
            config,
            new KvCacheShape(SchedulerLoop.BLOCK_SIZE, 2, 0),
            "none",
            new ClockAnchor(0, 0, 0),
            false,
            Map.of()));
    return new Listener(hub, directory);
  }

  void close() throws IOException {
    probe.close();
    if (directory != null) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static final class NoInterest implements Probe {
    @Override
    public EnumSet<ProbeInterest> interests() {
      return EnumSet.noneOf(ProbeInterest.class);
    }
  }
}
