package dev.headway.cli.bench;

import dev.headway.cli.bench.ArrivalOptions.Pace;
import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.QuietOption;
import dev.headway.loadgen.result.RunReport;
import dev.headway.loadgen.run.RunResult;
import dev.headway.simulation.sweep.CapacitySearch;
import dev.headway.toolbox.output.OutputDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headway bench}: a load against a server, measured. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    header = "Sends a load to a server, at its times, and measures every answer.",
    description = {
      "",
      "Requests are let go by a schedule, whatever becomes of earlier ones; how late they were is"
          + " part of the result. Speaks OpenAI's protocol to any server, and with a node or a"
          + " Headway router every instant from the schedule to the last token is in a row. The"
          + " figures are those of vllm bench serve, and results have its keys.",
      ""
    },
    optionListHeading = "%nLoad:%n",
    exitCodeList = {
      "0:Every request was answered.",
      "1:Failed: no request was answered, or nothing could be measured.",
      "2:The command line is wrong.",
      "3:Done, but requests failed or runs were ended early.",
      "4:--strict only: the load generator could not keep to its schedule."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway bench --num-requests 100 --request-rate 50",
      "  headway bench --scenario brief -o out/brief",
      "  headway bench 'chatbot(rate=5,requests=200)' --backend chat",
      "  headway bench --num-requests 500 --request-rate 10,20,50,100,200 \\",
      "      --goodput ttft:300,tpot:25",
      "  headway bench --num-requests 200 --find-capacity 1:100 \\",
      "      --goodput ttft:300,tpot:25",
      "  headway bench trace.jsonl --max-concurrency 64 --result-format vllm \\",
      "      --result-dir results"
    })
public final class BenchCommand implements Callable<Integer> {

  @Mixin private CommandMessages messages;

  @Mixin private DatasetOptions dataset;

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      description =
          "small: 10 requests at 5 per second; medium: 100 at 50; large: 500 at 100; brief: the"
              + " three in turn.")
  private @Nullable Scenario scenario;

  @Mixin private QuietOption quiet;

  @ArgGroup(validate = false, heading = "%nTarget:%n")
  private TargetOptions target = new TargetOptions();

  @ArgGroup(validate = false, heading = "%nArrivals:%n")
  private ArrivalOptions arrivals = new ArrivalOptions();

  @ArgGroup(validate = false, heading = "%nCapacity:%n")
  private CapacityOptions capacity = new CapacityOptions();

  @ArgGroup(validate = false, heading = "%nMeasurement:%n")
  private MeasureChoice measures = new MeasureChoice();

  @ArgGroup(validate = false, heading = "%nOutput:%n")
  private BenchOutputs outputs = new BenchOutputs();

  @Override
  public Integer call() throws IOException {
    outputs.check();
    try (OutputDirectory directory =
            OutputDirectory.prepare(outputs.out(), outputs.overwrite().mode(), BenchFiles.CONTENT);
        BenchSession session =
            BenchSession.open(
                new BenchSession.Choices(dataset, target, arrivals, measures, outputs.isDetailed()),
                quiet,
                messages)) {
      final BenchFiles files = new BenchFiles(directory, outputs, isSeveral());
      final List<RunReport> reports = runAll(session, files);
      files.finish();
      directory.publish();
      if (!quiet.isSet()) {
        messages.print("%n  files         %s%n".formatted(outputs.out()));
      }
      return session.isInterrupted() ? ExitCode.INCOMPLETE : exitCode(reports);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private boolean isSeveral() {
    return scenario == Scenario.BRIEF
        || capacity.isGiven()
        || arrivals.sweep() != null
        || arrivals.paces(null, messages).size() > 1;
  }

  private List<RunReport> runAll(BenchSession session, BenchFiles files)
      throws IOException, InterruptedException {
    final List<RunReport> reports = new ArrayList<>();
    if (capacity.isGiven()) {
      search(session, files, reports);
    } else if (arrivals.sweep() != null) {
      sweep(arrivals.sweep(), session, files, reports);
    } else if (scenario != null) {
      for (Scenario part : scenario.parts()) {
        session.load(part.requests);
        for (Pace pace : arrivals.paces(part.rate, messages)) {
          final String name = part.name().toLowerCase(Locale.ROOT);
          final boolean alone = arrivals.paces(part.rate, messages).size() == 1;
          run(session, files, pace, alone ? name : name + "-" + pace.label(), reports);
        }
      }
    } else {
      for (Pace pace : arrivals.paces(null, messages)) {
        if (session.isInterrupted()) {
          break;
        }
        run(session, files, pace, pace.label(), reports);
      }
    }
    return reports;
  }

  private RunReport run(
      BenchSession session, BenchFiles files, Pace pace, String name, List<RunReport> reports)
      throws IOException, InterruptedException {
    final RunReport report = session.run(pace);
    reports.add(report);
    files.add(name, report);
    if (!quiet.isSet()) {
      messages.print((isSeveral() ? "%n%s%n".formatted(name) : "") + outputs.table(report));
    }
    if (report.run().isGeneratorSaturated()) {
      messages.say(
          String.format(
              Locale.ROOT,
              "the load generator could not keep to its schedule, latencies say nothing of the"
                  + " server: p99LagMs=%.2f, p99SendLagMs=%.2f, plannedRate=%.2f, achievedRate=%.2f",
              1e3 * report.run().lag().percentile(99),
              1e3 * report.run().sendLag().percentile(99),
              report.run().plannedRate(),
              report.run().achievedRate()));
    }
    if (report.countedByChunks() > 0) {
      messages.say(
          "the server sent no usage, so tokens are counted as chunks with text: requests="
              + report.countedByChunks());
    }
    if (report.run().failed() > 0) {
      messages.say(
          "requests failed: failed="
              + report.run().failed()
              + ", first: "
              + report.run().measured().stream()
                  .filter(r -> !r.isOk() && !r.isAborted())
                  .map(r -> String.valueOf(r.exchange().error()))
                  .findFirst()
                  .orElse(""));
    }
    return report;
  }

  /** As guidellm: one at a time, all at once, then rates between what the two come to. */
  private void sweep(int steps, BenchSession session, BenchFiles files, List<RunReport> reports)
      throws IOException, InterruptedException {
    final RunReport least = run(session, files, new Pace(Double.NaN, 1, 0), "synchronous", reports);
    final RunReport most =
        run(session, files, new Pace(Double.POSITIVE_INFINITY, 0, 0), "throughput", reports);
    final double low = least.metrics().requestThroughput();
    final double high = most.metrics().requestThroughput();
    if (!(low > 0 && high > 0)) {
      throw new IOException(
          "a sweep needs both its ends: synchronous=" + low + ", throughput=" + high);
    }
    final Set<Double> tried = new HashSet<>();
    for (int i = 1; i <= steps; i++) {
      final double rate = low + (high - low) * i / steps;
      if (rate > 0 && tried.add(rate) && !session.isInterrupted()) {
        final Pace pace = new Pace(rate, 0, 0);
        run(session, files, pace, pace.label(), reports);
      }
    }
  }

  private void search(BenchSession session, BenchFiles files, List<RunReport> reports)
      throws IOException, InterruptedException {
    final CapacitySearch.Bracket bracket = capacity.search(messages).begin();
    for (double rate = bracket.next();
        !Double.isNaN(rate) && !session.isInterrupted();
        rate = bracket.next()) {
      final Pace pace = new Pace(rate, 0, 0);
      bracket.tried(rate, capacity.isMet(run(session, files, pace, pace.label(), reports)));
    }
    files.capacity(bracket.met(), bracket.missed());
    messages.print(
        String.format(
            Locale.ROOT,
            "%n  capacity      %s%n",
            Double.isNaN(bracket.met())
                ? "none: %.4g requests/s miss the limits".formatted(bracket.missed())
                : Double.isNaN(bracket.missed())
                    ? "at least %.4g requests/s, the largest that was tried"
                        .formatted(bracket.met())
                    : "%.4g requests/s; %.4g miss the limits"
                        .formatted(bracket.met(), bracket.missed())));
  }

  private int exitCode(List<RunReport> reports) {
    if (reports.stream().allMatch(report -> report.metrics().completed() == 0)) {
      messages.say("no request was answered");
      return ExitCode.FAILED;
    }
    if (dataset.isStrict()
        && reports.stream().anyMatch(report -> report.run().isGeneratorSaturated())) {
      return ExitCode.RULE_FAILED;
    }
    final boolean whole =
        reports.stream()
            .map(RunReport::run)
            .allMatch(
                r -> r.failed() == 0 && r.aborted() == 0 && r.end() == RunResult.End.COMPLETE);
    return whole ? ExitCode.OK : ExitCode.INCOMPLETE;
  }
}
