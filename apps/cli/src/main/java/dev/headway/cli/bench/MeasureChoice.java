package dev.headway.cli.bench;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.InRange;
import dev.headway.loadgen.metrics.Latency;
import dev.headway.loadgen.metrics.ServiceLevel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is measured, and what comes before. */
final class MeasureChoice {

  @InRange(from = 0)
  @Option(
      names = {"--num-warmups", "--warmup-requests"},
      paramLabel = "N",
      description =
          "Requests like the first, of 32 tokens at most, that are sent before and not measured"
              + " (${DEFAULT-VALUE}).")
  private int warmups = 1;

  @Option(
      names = {"--reset-cache", "--flush-cache"},
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description = "Ask the server to forget its prefix cache after that (yes).")
  private boolean resetsCache;

  @Option(
      names = "--rehearsal",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description =
          "Send some thousand requests to a server in this process first, so that the measurement"
              + " does not begin while this program is being compiled: about 3 s (yes).")
  private boolean rehearses;

  @InRange(from = 0)
  @Option(
      names = {"--ready-check-timeout", "--ready-check-timeout-sec"},
      paramLabel = "SECONDS",
      description = "How long to wait for the server to be there (${DEFAULT-VALUE}).")
  private double readySeconds;

  @InRange(from = 0, to = 1e6)
  @Option(
      names = "--probe-request-rate",
      paramLabel = "RATE",
      description =
          "Requests of one token per second beside the load, outside every limit, to see how long"
              + " the smallest request takes (none).")
  private double probeRate;

  @Option(
      names = "--goodput",
      paramLabel = "KIND:MS",
      arity = "1..*",
      split = ",",
      description =
          "What a good request keeps to: ttft, tpot, e2el or itl_p99 with a limit, as in ttft:300"
              + " tpot:25.")
  private List<String> goodput = new ArrayList<>();

  @Option(
      names = "--percentile-metrics",
      paramLabel = "NAMES",
      split = ",",
      description =
          "Latencies in results: ttft, tpot, itl, e2el, client_queue_time,"
              + " e2el_including_client_queue (ttft,tpot,itl,e2el, and the others with"
              + " --max-concurrency).")
  private @Nullable List<String> latencies;

  @InRange(from = 0, to = 100)
  @Option(
      names = "--metric-percentiles",
      paramLabel = "P",
      split = ",",
      description = "Percentiles of them (50,90,95,99).")
  private List<Double> percents = List.of(50.0, 90.0, 95.0, 99.0);

  @Option(names = "--label", paramLabel = "NAME", description = "A name for the run.")
  private @Nullable String label;

  @Option(
      names = "--metadata",
      paramLabel = "KEY=VALUE",
      description = "Further keys of the result; repeat it.")
  private Map<String, String> metadata = new LinkedHashMap<>();

  int warmups() {
    return warmups;
  }

  boolean resetsCache() {
    return resetsCache;
  }

  boolean rehearses() {
    return rehearses;
  }

  double readySeconds() {
    return readySeconds;
  }

  double probeRate() {
    return probeRate;
  }

  @Nullable String label() {
    return label;
  }

  Map<String, String> metadata() {
    return metadata;
  }

  List<Double> percents() {
    return percents;
  }

  List<ServiceLevel> levels(CommandMessages messages) {
    try {
      return ServiceLevel.parse(goodput);
    } catch (IllegalArgumentException e) {
      throw messages.wrong("--goodput: " + e.getMessage());
    }
  }

  /** The latencies; without a choice those that say something. */
  List<Latency> latencies(boolean hasLimit, boolean hasRate, CommandMessages messages) {
    if (latencies == null) {
      final List<Latency> usual =
          new ArrayList<>(List.of(Latency.TTFT, Latency.TPOT, Latency.ITL, Latency.E2EL));
      if (hasLimit) {
        usual.add(Latency.CLIENT_QUEUE_TIME);
      }
      if (hasLimit && hasRate) {
        usual.add(Latency.E2EL_INCLUDING_CLIENT_QUEUE);
      }
      return usual;
    }
    final List<Latency> chosen = new ArrayList<>();
    for (String name : latencies) {
      try {
        chosen.add(Latency.valueOf(name.strip().toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw messages.wrong(
            "--percentile-metrics must be of ttft, tpot, itl, e2el, client_queue_time,"
                + " e2el_including_client_queue: --percentile-metrics="
                + name);
      }
    }
    return chosen;
  }
}
