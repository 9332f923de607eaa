package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.LoadReading;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.cli.command.QuietOption;
import dev.headway.simulation.compare.Bootstrap;
import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.simulation.compare.FleetFigures;
import dev.headway.simulation.compare.FleetMetric;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.fleet.FleetResult;
import dev.headway.simulation.fleet.FleetRun;
import dev.headway.simulation.fleet.FleetSettings;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.workload.RequestExtra;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.toolbox.csv.CsvTable;
import dev.headway.toolbox.csv.CsvWriter;
import dev.headway.toolbox.output.OutputDirectory;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway route-study}: routers over loads, arrival patterns and rates, in virtual time. */
@Command(
    name = "route-study",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    header = "Compares routers over loads, arrival patterns and rates, with simulated instances.",
    description = {
      "",
      "Every router gets the same requests at the same times. Leaves study.csv, a row for each run"
          + " and figure with a 95 %% bootstrap interval, and study.html with plots. Equal arguments"
          + " give equal files.",
      ""
    },
    optionListHeading = "%nStudy:%n",
    exitCodeList = {
      "0:Every run came to its end.",
      "1:A run failed: DIR is not touched.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway route-study 'chatbot(rate=40,requests=5000)' --rates 0.5,1,2",
      "  headway route-study mooncake.jsonl.gz --router random --router cache-aware \\",
      "      --instances 8",
      "  headway route-study trace.csv --arrivals as-is,poisson,gamma:3 \\",
      "      --signal-delay-ms 0"
    })
public final class RouteStudyCommand implements Callable<Integer> {

  private static final String CSV = "study.csv";
  private static final String PAGE = "study.html";
  private static final String AS_IS = "as-is";
  private static final int USUAL_INSTANCES = 4;
  private static final OutputDirectory.Content CONTENT =
      new OutputDirectory.Content("a study", "--out", Set.of(CSV, PAGE));
  private static final List<String> USUAL =
      List.of(
          "random",
          "round-robin",
          "power-of-two",
          "least-load",
          "prefix-hash",
          "cache-aware",
          "kv-cost",
          "precise-prefix",
          "predicted-latency",
          "bucket");
  private static final CsvTable<Cell> TABLE =
      CsvTable.<Cell>of()
          .column("load", cell -> cell.point.load())
          .column("arrival", cell -> cell.point.arrival())
          .column("rate_scale", cell -> cell.point.rateScale())
          .column("router", cell -> cell.point.router())
          .column("metric", cell -> cell.metric.label())
          .column("unit", cell -> cell.metric.unit())
          .column("value", cell -> number(cell.figure.value()))
          .column("low", cell -> number(cell.figure.low()))
          .column("high", cell -> number(cell.figure.high()));

  /** A figure of a run. */
  private record Cell(RouteStudy.Point point, FleetMetric metric, Interval figure) {}

  @Mixin private CommandMessages messages;

  @Parameters(
      arity = "1..*",
      paramLabel = "LOAD",
      description = "Traces or made-up loads, as headway compare takes them.")
  private List<String> loads = new ArrayList<>();

  @Option(
      names = "--router",
      paramLabel = "SPEC",
      description =
          "Repeat it for each router, as headway simulate takes it (ten of those there are).")
  private List<String> routers = new ArrayList<>();

  @Mixin private PolicyOption policy;

  @InRange(from = 0, above = true)
  @Option(
      names = "--rates",
      paramLabel = "X",
      split = ",",
      description = "How many times as fast requests arrive as in the load (1).")
  private List<Double> rates = new ArrayList<>();

  @Option(
      names = "--arrivals",
      paramLabel = "FORM",
      split = ",",
      description =
          "Patterns of arrivals at the same mean rate: as-is, poisson, constant, gamma:CV,"
              + " weibull:CV (as-is).")
  private List<String> arrivals = new ArrayList<>();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Take only the first N requests of each load.")
  private long limit = -1;

  @InRange(from = 1)
  @Option(
      names = "--resamples",
      paramLabel = "N",
      description = "Bootstrap samples for the 95 %% intervals (${DEFAULT-VALUE}).")
  private int resamples = 200;

  @Mixin private LoadReading reading;

  @Mixin private FleetOptions fleet;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "DIR",
      description = "Directory to make (${DEFAULT-VALUE}).")
  private Path out = Path.of("out", "route-study");

  @Mixin private OverwriteOption overwrite;
  @Mixin private QuietOption quiet;

  @ArgGroup(validate = false, heading = "%nEngine:%n")
  private EngineOptions engine = new EngineOptions();

  @Override
  public Integer call() throws IOException {
    engine.settings(policy.given(), messages); // refused before a folder is made
    try (OutputDirectory output = OutputDirectory.prepare(out, overwrite.mode(), CONTENT)) {
      final RouteStudy study = run(output.directory().resolve(CSV));
      Files.writeString(output.directory().resolve(PAGE), RouteStudyPage.render(study));
      output.publish();
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
    if (!quiet.isSet()) {
      messages.print("\n  files: " + out.resolve(CSV) + ", " + out.resolve(PAGE) + "\n");
    }
    return ExitCode.OK;
  }

  private RouteStudy run(Path file) throws IOException {
    final List<RouteStudy.Point> points = new ArrayList<>();
    String setting = "";
    try (CsvWriter<Cell> rows = TABLE.create(file)) {
      for (String source : loads) {
        final Load asIs = reading.of(new Load(source, TraceFormat.AUTO, 1, limit, 0), messages);
        final RecordedDefaults recorded = RecordedDefaults.of(asIs, messages);
        final EngineSettings settings =
            recorded.engine(engine).settings(recorded.policies(policy.given()), messages);
        if (!quiet.isSet()) {
          messages.print(recorded.text());
        }
        for (String arrival : arrivals.isEmpty() ? List.of(AS_IS) : arrivals) {
          final Load load = arrival.equals(AS_IS) ? asIs : retimed(asIs, arrival);
          for (double rate : rates.isEmpty() ? List.of(1.0) : rates) {
            for (String router : routers.isEmpty() ? USUAL : routers) {
              final FleetSettings each = fleet.settings(settings, router, USUAL_INSTANCES);
              setting = settingOf(each);
              final RouteStudy.Point point =
                  new RouteStudy.Point(
                      asIs.name(), arrival, rate, router, figures(each, load.withRateScale(rate)));
              points.add(point);
              for (Map.Entry<FleetMetric, Interval> figure : point.figures().entrySet()) {
                rows.write(new Cell(point, figure.getKey(), figure.getValue()));
              }
            }
          }
        }
      }
    }
    return new RouteStudy(List.copyOf(points), setting);
  }

  private static String settingOf(FleetSettings settings) {
    return settings.instances()
        + " instances, signals "
        + settings.signalDelayNs() / 1_000_000.0
        + " ms late";
  }

  /** The same requests at the same mean rate, with gaps of another form. */
  private Load retimed(Load load, String arrival) throws IOException {
    if (load.isMade()) {
      return load.with(Map.of("arrival", arrival));
    }
    long requests = 0;
    long lastNs = 0;
    try (Workload workload = load.open()) {
      for (WorkloadRequest next = workload.next(); next != null; next = workload.next()) {
        requests++;
        lastNs = next.arrivalNs();
      }
    }
    if (lastNs == 0) {
      throw new IllegalArgumentException(
          "a load must have a rate to be given other arrivals: load=" + load.source());
    }
    final String source =
        "retimed(file="
            + load.source()
            + ",requests="
            + requests
            + ",rate="
            + BigDecimal.valueOf(requests * 1e9 / lastNs).toPlainString()
            + ",arrival="
            + arrival
            + ")";
    return load.withSource(source, TraceFormat.AUTO);
  }

  private Map<FleetMetric, Interval> figures(FleetSettings settings, Load load) throws IOException {
    try (Workload workload = load.openWithout(Set.of(RequestExtra.ABORT));
        ProgressDisplay progress =
            quiet.progress(settings.router(), workload.sizeHint().orElse(-1), " requests")) {
      final FleetResult result = new FleetRun(settings, List.of()).run(workload, progress::to);
      return FleetFigures.of(result, new Bootstrap(resamples, settings.engine().seed()));
    }
  }

  private static String number(double value) {
    return Double.isNaN(value) ? "" : BigDecimal.valueOf(value).toPlainString();
  }
}
