package dev.headway.cli.simulate;

import dev.headway.simulation.compare.Bootstrap;
import dev.headway.simulation.compare.ComparisonRun;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.compare.Measures;
import dev.headway.simulation.compare.PolicyResult;
import dev.headway.simulation.compare.RunLog;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headway compare}: one load under several policies, in virtual time. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    header = "Runs one load under several policies and prints how they differ.",
    description = {
      "",
      "Every policy gets the same requests at the same times, in virtual time with a simulated"
          + " model, one after the other. Equal arguments give the same figures, but for the cost"
          + " of scheduling, which is real time of this machine.",
      ""
    },
    parameterListHeading = "Parameters:%n",
    optionListHeading = "%nComparison:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Every policy ran to the end.",
      "1:A run failed: DIR is not touched.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway compare trace.csv.gz",
      "  headway compare trace.csv.gz --policy fcfs --policy hrrn --policy 'vtc+least-computed'",
      "  headway compare 'short-long(rate=6)' --policy fcfs --policy shortest-prefill --out out/sl",
      "  headway compare trace.jsonl.gz --policy 'engine(kv-gib=8)' --policy 'engine(kv-gib=16)'"
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

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "TRACE",
      description =
          "CSV or JSONL file, plain or gzip, as for replay; or a made-up load:"
              + " synthetic(requests,rate,burstiness,tenants,seed) in the likeness of Azure's"
              + " conversations, short-long(requests,rate,long-share,tenants,seed),"
              + " priorities(...) the same with long prompts less important,"
              + " long-outputs(requests,rate,tenants,seed),"
              + " bursty-tenants(requests,rate,tenants,seed).")
  private @Nullable String trace;

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

  @Option(
      names = "--short-prompt",
      paramLabel = "TOKENS",
      description = "Longest prompt that counts as short (the median of the load's).")
  private @Nullable Integer shortPrompt;

  @Option(
      names = "--slo-ttft",
      paramLabel = "MS",
      description =
          "Goodput: longest time to the first token, which requests also carry as their target"
              + " (${DEFAULT-VALUE}).")
  private double sloTtftMs = 2_000;

  @Option(
      names = "--slo-itl",
      paramLabel = "MS",
      description = "Goodput: longest mean time per further token (${DEFAULT-VALUE}).")
  private double sloItlMs = 50;

  @Option(
      names = "--resamples",
      paramLabel = "N",
      description = "Bootstrap samples for the 95 %% intervals, 0 for none (${DEFAULT-VALUE}).")
  private int resamples = 1_000;

  @Option(
      names = "--tenants",
      paramLabel = "N",
      description =
          "Deal requests without a tenant to N, the k-th of whom gets a share of 1/k"
              + " (${DEFAULT-VALUE}).")
  private int tenants;

  @Option(
      names = "--fairness-window",
      paramLabel = "S",
      description = "Seconds over which the service of tenants is compared (${DEFAULT-VALUE}).")
  private double fairnessWindow = 10;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "DIR",
      description = "Directory to make, for policies.csv, requests.csv, cost.csv, compare.json.")
  private @Nullable Path out;

  @Option(names = "--overwrite", description = "Replace DIR if it holds nothing but a comparison.")
  private boolean overwrite;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "auto, azure, mooncake, llmservingsim, vidur or headway; auto goes by the columns"
              + " (${DEFAULT-VALUE}).")
  private String format = TraceFormat.AUTO.label();

  @Option(
      names = "--rate-scale",
      paramLabel = "FACTOR",
      description = "Requests arrive this many times as fast (${DEFAULT-VALUE}).")
  private double rateScale = 1;

  @Option(names = "--limit", paramLabel = "N", description = "Take the first N requests only.")
  private @Nullable Long limit;

  @Option(
      names = {"-q", "--quiet"},
      description = "No progress and no table.")
  private boolean quiet;

  @SuppressWarnings("UnusedVariable") // read again for every policy, from the words as written
  @ArgGroup(validate = false, heading = "%nEngine:%n")
  private EngineOptions engine = new EngineOptions();

  /** For picocli. */
  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  public CompareCommand() {}

  /** A policy with the engine it runs in. */
  private record Variant(String text, EngineSettings settings) {}

  @Override
  public Integer call() throws IOException {
    if (listPolicies) {
      print(PolicyListing.text());
      return 0;
    }
    final Load load = load();
    final List<Variant> variants = variants();
    final Measures.Slo slo = slo();
    requireAtLeast("--resamples", resamples, 0);
    final Survey survey = survey(load);
    final int threshold = shortPrompt == null ? survey.medianPrompt() : shortPrompt;
    final Measures measures =
        new Measures(threshold, slo, new Bootstrap(resamples, variants.getFirst().settings.seed()));
    final List<PolicyResult> results =
        out == null
            ? runAll(load, variants, measures, survey, null)
            : runAndWrite(load, variants, measures, survey, out);
    if (!quiet) {
      print(report(load, measures, survey, results));
    }
    return 0;
  }

  private List<PolicyResult> runAndWrite(
      Load load, List<Variant> variants, Measures measures, Survey survey, Path directory)
      throws IOException {
    final Existing existing = overwrite ? Existing.REPLACED : Existing.REFUSED;
    try (OutputFolder folder = OutputFolder.prepare(directory, existing, ComparisonFiles.NAMES)) {
      final List<PolicyResult> results;
      try (ComparisonFiles files = new ComparisonFiles(folder.scratch())) {
        results = runAll(load, variants, measures, survey, files);
        files.finish(arguments(load, measures, survey));
      }
      folder.publish();
      return results;
    }
  }

  private List<PolicyResult> runAll(
      Load load,
      List<Variant> variants,
      Measures measures,
      Survey survey,
      @Nullable ComparisonFiles files)
      throws IOException {
    final ProgressDisplay.Audience audience =
        quiet ? ProgressDisplay.Audience.NOBODY : ProgressDisplay.Audience.present();
    final Load little =
        new Load(load.source(), load.format(), rateScale, WARM_UP_REQUESTS, load.tenants());
    final Measures few = new Measures(measures.shortPrompt(), measures.slo(), new Bootstrap(0, 0));
    run(variants.getFirst(), little, few, survey, ProgressDisplay.Audience.NOBODY);
    final List<PolicyResult> results = new ArrayList<>();
    for (Variant variant : variants) {
      final PolicyResult result = run(variant, load, measures, survey, audience);
      if (files != null) {
        files.add(result, measures);
      }
      results.add(result.withoutRequests());
    }
    return results;
  }

  private PolicyResult run(
      Variant variant,
      Load load,
      Measures measures,
      Survey survey,
      ProgressDisplay.Audience audience)
      throws IOException {
    final ComparisonRun run =
        new ComparisonRun(
            variant.settings(),
            (long) (fairnessWindow * 1e9),
            Duration.ofNanos(measures.slo().ttftNs()));
    try (ProgressDisplay progress =
        ProgressDisplay.start(audience, shortened(variant.text()), survey.requests(), "")) {
      return run.run(variant.text(), load, measures, progress::to);
    }
  }

  private static String shortened(String text) {
    return text.length() <= 24 ? text : text.substring(0, 23) + "…";
  }

  private List<Variant> variants() {
    final List<String> words = EngineOptions.written(spec.commandLine().getParseResult());
    final List<Variant> variants = new ArrayList<>();
    for (String text : policies.isEmpty() ? USUAL : policies) {
      try {
        final PolicyChoice choice = PolicyChoice.parse(text);
        final EngineOptions options = EngineOptions.of(words, choice.engineOptions());
        variants.add(new Variant(text.isBlank() ? "fcfs" : text, options.settings(choice)));
      } catch (IllegalArgumentException e) {
        throw wrong(String.valueOf(e.getMessage()));
      }
    }
    if (new HashSet<>(variants.stream().map(Variant::text).toList()).size() < variants.size()) {
      throw wrong("--policy must name each policy once: --policy=" + policies);
    }
    return variants;
  }

  private Load load() {
    if (trace == null) {
      throw wrong("Missing required parameter: 'TRACE'");
    }
    if (!(rateScale > 0) || Double.isInfinite(rateScale)) {
      throw wrong("--rate-scale must be finite and > 0: --rate-scale=" + rateScale);
    }
    if (limit != null && limit < 1) {
      throw wrong("--limit must be >= 1: --limit=" + limit);
    }
    if (tenants < 0 || tenants > 10_000) {
      throw wrong("--tenants must be in [0, 10000]: --tenants=" + tenants);
    }
    if (!(fairnessWindow >= 0.001 && fairnessWindow <= 1e6)) {
      throw wrong("--fairness-window must be in [0.001, 1e6]: --fairness-window=" + fairnessWindow);
    }
    try {
      final TraceFormat known = TraceFormat.ofLabel(format);
      return new Load(trace, known, rateScale, limit == null ? -1 : limit, tenants);
    } catch (IllegalArgumentException e) {
      throw wrong("--format: " + e.getMessage());
    }
  }

  private Measures.Slo slo() {
    requireAtLeast("--slo-ttft", sloTtftMs, 0.001);
    requireAtLeast("--slo-itl", sloItlMs, 0.001);
    return new Measures.Slo((long) (sloTtftMs * 1e6), (long) (sloItlMs * 1e6));
  }

  private void requireAtLeast(String name, double value, double least) {
    if (!(value >= least && value <= 1e12)) {
      throw wrong(name + " must be >= " + ComparisonText.digits(least) + ": " + name + "=" + value);
    }
  }

  /** What is known of a load before it is run. */
  private record Survey(int requests, int medianPrompt) {}

  /** Reads the load once, to know its length and its median. */
  private Survey survey(Load load) throws IOException {
    try (Workload workload = load.open()) {
      int[] prompts = new int[1_024];
      int requests = 0;
      for (WorkloadRequest next = workload.next(); next != null; next = workload.next()) {
        if (requests == RunLog.MOST_REQUESTS) {
          throw wrong(
              "a comparison takes at most " + RunLog.MOST_REQUESTS + " requests; use --limit");
        }
        if (requests == prompts.length) {
          prompts = Arrays.copyOf(prompts, 2 * requests);
        }
        prompts[requests++] = next.inputTokens();
      }
      Arrays.sort(prompts, 0, requests);
      return new Survey(requests, requests == 0 ? 0 : prompts[(requests - 1) / 2]);
    } catch (IllegalArgumentException e) {
      throw load.isMade() ? wrong(String.valueOf(e.getMessage())) : e;
    }
  }

  private Map<String, Object> arguments(Load load, Measures measures, Survey survey) {
    final Map<String, Object> arguments = new LinkedHashMap<>();
    arguments.put("load", load.name());
    arguments.put("requests", survey.requests());
    arguments.put("rate_scale", rateScale);
    arguments.put("short_prompt", measures.shortPrompt());
    arguments.put("slo_ttft_ns", measures.slo().ttftNs());
    arguments.put("slo_itl_ns", measures.slo().itlNs());
    arguments.put("resamples", resamples);
    arguments.put("tenants", tenants);
    arguments.put("fairness_window_s", fairnessWindow);
    arguments.put("engine", EngineOptions.written(spec.commandLine().getParseResult()));
    return arguments;
  }

  private String report(Load load, Measures measures, Survey survey, List<PolicyResult> results) {
    final StringBuilder text = new StringBuilder();
    text.append(
            ("%n  %s, %,d requests%n"
                    + "  short: up to %,d prompt tokens; goodput: TTFT <= %s ms, %s ms per token%n%n")
                .formatted(
                    load.name(),
                    survey.requests(),
                    measures.shortPrompt(),
                    plain(sloTtftMs),
                    plain(sloItlMs)))
        .append(ComparisonText.of(results));
    if (out != null) {
      text.append("\n  files: ").append(out).append('\n');
    }
    return text.toString();
  }

  private static String plain(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }

  private void print(String text) {
    final PrintWriter writer = spec.commandLine().getOut();
    writer.print(text);
    writer.flush();
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
