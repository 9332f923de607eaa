package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.cli.command.QuietOption;
import dev.headway.simulation.compare.Bootstrap;
import dev.headway.simulation.compare.ComparisonRun;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.compare.Measures;
import dev.headway.simulation.compare.PolicyResult;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.toolbox.output.OutputDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headway compare}: one load under several policies, in virtual time. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    header = "Runs one load under several policies and prints how they differ.",
    description = {
      "",
      "Every policy gets the same requests at the same times, in virtual time with a simulated"
          + " model, one after the other. Equal arguments give the same figures, but for the cost"
          + " of scheduling, which is real time of this machine.",
      ""
    },
    optionListHeading = "%nComparison:%n",
    exitCodeList = {
      "0:Every policy ran to the end.",
      "1:A run failed: DIR is not touched.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway compare trace.csv.gz",
      "  headway compare trace.csv.gz --policy fcfs --policy hrrn \\",
      "      --policy 'vtc+least-computed'",
      "  headway compare 'short-long(rate=6)' --policy fcfs --policy shortest-prefill \\",
      "      --out out/sl",
      "  headway compare trace.jsonl.gz --policy 'engine(kv-gib=8)' \\",
      "      --policy 'engine(kv-gib=16)'"
    })
public final class CompareCommand implements Callable<Integer> {

  private static final List<String> USUAL =
      List.of(
          "fcfs",
          "shortest-prefill",
          "shortest-job",
          "hrrn",
          "longest-prefix-match",
          "vtc",
          "earliest-deadline",
          "least-computed",
          "no-evict",
          "new-token-ratio",
          "token-budget",
          "equal-progress");
  private static final int WARM_UP_REQUESTS = 200;

  @Mixin private CommandMessages messages;

  @Mixin private LoadOptions loading;

  @Option(
      names = "--policy",
      paramLabel = "SPEC",
      description =
          "Repeat it for each policy: fcfs, priority, or names joined by + with options in"
              + " parentheses, as in vtc(wq=2)+least-computed. engine(option=value,...) sets the"
              + " options below for this run only (a dozen of the policies there are).")
  private List<String> policies = new ArrayList<>();

  @Option(names = "--list-policies", description = "Print the policies there are, and stop.")
  private boolean listPolicies;

  @Mixin private MeasureOptions measuring;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "DIR",
      description = "Directory to make: policies.csv, requests.csv, cost.csv, compare.json.")
  private @Nullable Path out;

  @Mixin private OverwriteOption overwrite;
  @Mixin private QuietOption quiet;

  @SuppressWarnings("UnusedVariable") // read again for every policy, from the words as written
  @ArgGroup(validate = false, heading = "%nEngine:%n")
  private EngineOptions engine = new EngineOptions();

  /** A policy with the engine it runs in. */
  private record Variant(String text, EngineSettings settings) {}

  /** What is compared, and by what. */
  private record Job(
      Load load,
      LoadOptions.Survey survey,
      Measures measures,
      List<Variant> variants,
      String recorded) {}

  @Override
  public Integer call() throws IOException {
    if (listPolicies) {
      messages.print(PolicyListing.text());
      return ExitCode.OK;
    }
    final Job job = job();
    final List<PolicyResult> results = out == null ? runAll(job, null) : runAndWrite(job, out);
    if (!quiet.isSet()) {
      messages.print(report(job, results));
    }
    return ExitCode.OK;
  }

  private Job job() throws IOException {
    final Load load = loading.load(messages);
    final RecordedDefaults recorded = RecordedDefaults.ofPolicies(load, messages);
    final List<Variant> variants = variants(recorded);
    final LoadOptions.Survey survey = LoadOptions.Survey.of(load, messages);
    final long seed = variants.getFirst().settings.seed();
    return new Job(
        load, survey, measuring.measures(survey.medianPrompt(), seed), variants, recorded.text());
  }

  private List<PolicyResult> runAndWrite(Job job, Path directory) throws IOException {
    try (OutputDirectory output =
        OutputDirectory.prepare(directory, overwrite.mode(), ComparisonFiles.CONTENT)) {
      final List<PolicyResult> results;
      try (ComparisonFiles files = new ComparisonFiles(output.directory())) {
        results = runAll(job, files);
        files.finish(arguments(job));
      }
      output.publish();
      return results;
    }
  }

  private List<PolicyResult> runAll(Job job, @Nullable ComparisonFiles files) throws IOException {
    warmUp(job);
    final List<PolicyResult> results = new ArrayList<>();
    for (Variant variant : job.variants) {
      final String task = shortened(variant.text);
      final PolicyResult result;
      try (ProgressDisplay progress = quiet.progress(task, job.survey.requests(), " requests")) {
        result = run(variant, job.load, job.measures, progress);
      }
      if (files != null) {
        files.add(result, job.measures);
      }
      results.add(result.withoutRequests());
    }
    return results;
  }

  /** Runs a few requests, so that the first policy is not measured in a cold machine. */
  private void warmUp(Job job) throws IOException {
    final Load load = job.load;
    final long requests =
        load.limit() < 0 ? WARM_UP_REQUESTS : Math.min(load.limit(), WARM_UP_REQUESTS);
    final Load few = load.withLimit(requests).reading(load.strict(), remark -> {});
    final Measures measures =
        new Measures(job.measures.shortPrompt(), job.measures.slo(), new Bootstrap(0, 0));
    run(job.variants.getFirst(), few, measures, ProgressDisplay.silent());
  }

  private PolicyResult run(Variant variant, Load load, Measures measures, ProgressDisplay progress)
      throws IOException {
    return new ComparisonRun(
            variant.settings(),
            (long) (measuring.fairnessWindowSeconds() * 1e9),
            Duration.ofNanos(measures.slo().ttftNs()))
        .run(variant.text(), load, measures, progress::to);
  }

  private static String shortened(String text) {
    return text.length() <= 24 ? text : text.substring(0, 23) + "…";
  }

  private List<Variant> variants(RecordedDefaults recorded) {
    final List<Variant> variants = new ArrayList<>();
    for (String text : policies.isEmpty() ? USUAL : policies) {
      try {
        final PolicyChoice choice = PolicyChoice.parse(text);
        final EngineOptions options =
            EngineOptions.of(recorded.words(choice), choice.engineOptions());
        variants.add(new Variant(text.isBlank() ? "fcfs" : text, options.settings(choice)));
      } catch (IllegalArgumentException e) {
        throw messages.wrong(e.getMessage());
      }
    }
    if (new HashSet<>(variants.stream().map(Variant::text).toList()).size() < variants.size()) {
      throw messages.wrong("--policy must name each policy once: --policy=" + policies);
    }
    return variants;
  }

  private Map<String, Object> arguments(Job job) {
    final Map<String, Object> arguments = new LinkedHashMap<>();
    arguments.put("load", job.load.name());
    arguments.put("requests", job.survey.requests());
    arguments.put("rate_scale", job.load.rateScale());
    arguments.put("short_prompt", job.measures.shortPrompt());
    arguments.put("slo_ttft_ns", job.measures.slo().ttftNs());
    arguments.put("slo_itl_ns", job.measures.slo().itlNs());
    arguments.put("resamples", measuring.resamples());
    arguments.put("tenants", job.load.tenants());
    arguments.put("fairness_window_s", measuring.fairnessWindowSeconds());
    arguments.put("engine", EngineOptions.written(messages.spec().commandLine().getParseResult()));
    return arguments;
  }

  /** What there is to remark on them: once, where all policies have the same. */
  private static String stepTimes(List<Variant> variants) {
    return variants.stream()
        .map(each -> StepTimesText.sourceAndRemark(each.settings.latency()))
        .filter(text -> !text.isEmpty())
        .distinct()
        .map("  %s%n"::formatted)
        .collect(Collectors.joining());
  }

  private String report(Job job, List<PolicyResult> results) {
    return "%n  %s, %,d requests%n  %s%n%s%n"
            .formatted(
                job.load.name(), job.survey.requests(), measuring.text(job.measures), job.recorded)
        + stepTimes(job.variants)
        + ComparisonText.of(results)
        + (out == null ? "" : "\n  files: " + out + "\n");
  }
}
