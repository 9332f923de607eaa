package dev.headway.simulation.kernel;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.AttentionSpec;
import dev.headway.simulation.model.ExpertsSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.Parallelism;
import dev.headway.simulation.model.WeightFormat;
import dev.headway.simulation.run.ClosedLoop;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.step.DeviceMemory;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.simulation.step.HostTime;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.toolbox.csv.CsvReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.commons.csv.CSVRecord;

/** Runs of real vLLM servers under closed loops, and their simulation. */
final class SiliconPoints {

  private static final int BLOCK_SIZE = 16;
  private static final int ROUNDS = 6;
  private static final Pattern CONCURRENCY = Pattern.compile("silicon_concurrency=(\\d+)");

  /** A measured run: means in ms. */
  record Point(
      String model,
      String gpu,
      String precision,
      int tensor,
      int isl,
      int osl,
      int concurrency,
      double ttftMs,
      double tpotMs) {

    String group() {
      return "%s %s %s tp%d".formatted(model, gpu, precision, tensor);
    }
  }

  /** What the simulation says of a point, in ms. */
  record Simulated(double ttftMs, double tpotMs) {}

  /** Times of the requests of a run. */
  private static final class Meter {
    final List<Double> ttftNs = new ArrayList<>();
    final List<Double> tpotNs = new ArrayList<>();

    TokenListener listener(Request request, VirtualClock clock) {
      final long sentNs = clock.nanoTime();
      final int last = request.stopRule().maxTokens() - 1;
      return new TokenListener() {
        private long firstNs;

        @Override
        public void onToken(int position, int tokenId) {
          if (position == 0) {
            firstNs = clock.nanoTime();
            ttftNs.add((double) firstNs - sentNs);
          }
          if (position == last && last > 0) {
            tpotNs.add((double) (clock.nanoTime() - firstNs) / last);
          }
        }
      };
    }

    static double meanMs(List<Double> ns) {
      return ns.stream().mapToDouble(Double::doubleValue).average().orElse(0) / 1e6;
    }
  }

  private SiliconPoints() {}

  /** Dense models. */
  static final Predicate<String> DENSE =
      Pattern.compile("Qwen3-32B|Llama-3.1-70B|Llama-3.1-8B-Instruct-FP8").asMatchPredicate();

  /** Mixtures of experts on devices that share each layer. */
  static final Predicate<String> EXPERTS =
      Pattern.compile("gpt-oss-120b|MiniMax-M2.5").asMatchPredicate();

  /**
   * The points of some models, each once. Left out: several groups of devices with parallel
   * attention, and 512 clients, whose requests waited for seats that are not known.
   */
  static List<Point> read(Path file, Predicate<String> models) throws IOException {
    final Set<Point> points = new LinkedHashSet<>();
    CsvReader.read(
        file,
        row -> {
          final String name = row.get("model_path").replaceAll(".*/", "");
          final boolean isOneGroup = row.get("attention_dp_size").matches("|1");
          if (models.test(name) && isOneGroup) {
            final Point point = point(name, row);
            if (point.concurrency < 512) {
              points.add(point);
            }
          }
        });
    return List.copyOf(points);
  }

  private static Point point(String name, CSVRecord row) {
    final Matcher concurrency = CONCURRENCY.matcher(row.get("silicon_data_source"));
    final int clients =
        concurrency.find()
            ? Integer.parseInt(concurrency.group(1))
            : (int) ProfileCsv.number(row, "batch_size");
    return new Point(
        name,
        row.get("system").replace('_', '-'),
        row.get("precision").isEmpty() ? "bf16" : row.get("precision"),
        (int) ProfileCsv.number(row, "tp_size"),
        (int) ProfileCsv.number(row, "isl"),
        (int) ProfileCsv.number(row, "osl"),
        clients,
        ProfileCsv.number(row, "silicon_ttft_ms"),
        ProfileCsv.number(row, "silicon_tpot_ms"));
  }

  static ModelSpec model(Point point) {
    final ModelSpec.Builder model = ModelSpec.builder(point.model);
    switch (point.model) {
      case "Qwen3-32B" ->
          model
              .layers(64)
              .hiddenSize(5_120)
              .vocabularySize(151_936)
              .attention(new AttentionSpec.Grouped(64, 8, 128))
              .denseIntermediateSize(25_600);
      case "Llama-3.1-70B" ->
          model
              .layers(80)
              .hiddenSize(8_192)
              .vocabularySize(128_256)
              .attention(new AttentionSpec.Grouped(64, 8, 128))
              .denseIntermediateSize(28_672);
      case "gpt-oss-120b" ->
          model
              .layers(36)
              .hiddenSize(2_880)
              .vocabularySize(201_088)
              .attention(new AttentionSpec.Grouped(64, 8, 64))
              .windowTokens(IntStream.range(0, 36).map(layer -> layer % 2 == 0 ? 128 : 0).toArray())
              .denseIntermediateSize(2_880)
              .experts(new ExpertsSpec(36, 128, 4, 2_880, 0));
      case "MiniMax-M2.5" ->
          model
              .layers(62)
              .hiddenSize(3_072)
              .vocabularySize(200_064)
              .attention(new AttentionSpec.Grouped(48, 8, 128))
              .denseIntermediateSize(1_536)
              .experts(new ExpertsSpec(62, 256, 8, 1_536, 0));
      default ->
          model
              .layers(32)
              .hiddenSize(4_096)
              .vocabularySize(128_256)
              .attention(new AttentionSpec.Grouped(32, 8, 128))
              .denseIntermediateSize(14_336);
    }
    return switch (point.precision) {
      case "fp8" -> model.weights(WeightFormat.FP8).build();
      case "fp4" -> model.expertWeights(WeightFormat.FP4).build(); // gpt-oss in MXFP4
      default -> model.build();
    };
  }

  /** Simulates a point. */
  static Simulated simulate(Point point, OperatorTimes times, HostTime host) {
    final GpuSpec gpu = GpuCatalog.builtIn().get(point.gpu);
    final ForwardPass pass = ForwardPass.of(model(point), Parallelism.tensor(point.tensor));
    final int batched = 8_192;
    final SchedulerConfig config =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(1_024)
                    .maxNumBatchedTokens(batched)
                    .maxModelLen(40_960)
                    .build())
            .build();
    final int blocks = DeviceMemory.blocks(pass, gpu, 0.9, BLOCK_SIZE, batched);
    final VirtualClock clock = new VirtualClock();
    final EngineSettings settings =
        new EngineSettings(
            config,
            KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(blocks).build(),
            new ForwardPassTime(pass, times, host),
            1);
    final Meter meter = new Meter();
    try (Engine engine = settings.engine(clock, point.group(), model -> model).build()) {
      new ClosedLoop(
              engine,
              point.concurrency,
              IntStream.range(0, ROUNDS * point.concurrency)
                  .mapToObj(number -> request(point, number))
                  .iterator(),
              request -> meter.listener(request, clock))
          .run();
    }
    return new Simulated(Meter.meanMs(meter.ttftNs), Meter.meanMs(meter.tpotNs));
  }

  private static Request request(Point point, int number) {
    final int[] prompt = new int[point.isl];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = (number * 7_919 + i) % 100_000;
    }
    return Request.builder("r" + number, prompt).maxTokens(point.osl).build();
  }

  static String row(Point point, Simulated simulated) {
    return String.format(
        Locale.ROOT,
        "%-50s isl %5d osl %5d c %4d | ttft %9.1f %9.1f %+6.1f %% | tpot %7.2f %7.2f %+6.1f %%",
        point.group(),
        point.isl,
        point.osl,
        point.concurrency,
        point.ttftMs,
        simulated.ttftMs,
        100 * (simulated.ttftMs / point.ttftMs - 1),
        point.tpotMs,
        simulated.tpotMs,
        100 * (simulated.tpotMs / point.tpotMs - 1));
  }
}
