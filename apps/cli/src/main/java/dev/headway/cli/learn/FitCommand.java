package dev.headway.cli.learn;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.cli.command.QuietOption;
import dev.headway.cli.simulate.ServedDevice;
import dev.headway.cli.simulate.ServerLimits;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.server.ModelSource;
import dev.headway.simulation.calibrate.TimedRequests;
import dev.headway.simulation.fit.PerformanceModelFile;
import dev.headway.simulation.fit.QueueingFit;
import dev.headway.simulation.fit.RecordedRun;
import dev.headway.simulation.fit.RecordedSteps;
import dev.headway.simulation.fit.RequestForm;
import dev.headway.simulation.fit.RequestTimeFit;
import dev.headway.simulation.fit.StepTimeFit;
import dev.headway.simulation.fit.StepTimeForm;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.toolbox.output.OutputFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway fit}: from recorded steps to a model of step times. */
@Command(
    name = "fit",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    header = "Fits step times and queueing to what a server recorded.",
    description = {
      "",
      "Fits the forward pass and the host's part of a step apart, each as a sum of terms, on blocks of time all over the run; the rest shows how good the model is. With --form physics the terms are what a step's operators take at the device's peaks, each divided by the share of the peak that it reaches, which is fitted and never above 1: no step is predicted faster than the device. With --form piecewise there are pieces beside them: by the number of decodes, by the longest context of these, by the tokens beside prefills. Without --form it is the better of the two, by steps left out as other times and as other loads.",
      "",
      "headway replay --step-model simulates with the result.",
      "",
      "A file of measured requests (CSV with request_id, arrival_s, input_tokens, output_tokens, ttft_s, e2e_s, and error, prefix_group, session where known; BLIS's TraceV2; JSON lines of a vLLM run) shows what requests take as their client sees them; rows that cannot be are left out and counted. Without --model that is fitted by itself, for predictions at arrival. With --model, --gpu and the server's limits, and no recorded steps, it makes a step model: the server is simulated over the measured arrivals and lengths, again and again, until its latencies are the measured ones.",
      ""
    },
    exitCodeList = {
      "0:Fitted.",
      "1:Failed: the output is as it was before.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway fit out/journal --model Llama-3.1-8B --gpu h100-sxm -o model.json \\",
      "      --html fit.html",
      "  headway fit training/ --model Llama-3.1-8B --gpu h100-sxm --form ridge \\",
      "      -o ridge.json",
      "  headway fit a/journal --model 8B \\",
      "      --also 'b/journal(model=70B,tensor-parallel-size=4)' -o model.json",
      "  headway fit measured.csv -o requests.json",
      "  headway fit measured.csv --model Llama-3.1-70B --gpu h100-sxm -tp 4 \\",
      "      --max-num-seqs 128 -o model.json",
      "  headway replay trace.csv --model Llama-3.1-8B --gpu h100-sxm \\",
      "      --step-model model.json"
    })
public final class FitCommand implements Callable<Integer> {

  /** What {@code headway bench} and {@code simulate} leave in their folders. */
  private static final String REQUESTS = "requests.csv";

  @Mixin private final CommandMessages messages = new CommandMessages();

  @Parameters(
      arity = "1..*",
      paramLabel = "RECORDED",
      description =
          "Journal; beta.csv of headway training, or the folder that has it; a scheduling profile (.jsonl) with the tokens of each request; or OTLP JSON of step and request spans (.json, .jsonl): of one model on one"
              + " device. Or a CSV file of measured requests.")
  private List<Path> recorded;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      defaultValue = "step-model.json",
      description = "JSON file to make (${DEFAULT-VALUE}).")
  private Path output;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Page to make: predicted against measured, residuals, coefficients in words.")
  private @Nullable Path page;

  @Option(
      names = "--form",
      paramLabel = "FORM",
      description =
          "What the model is made of: physics, piecewise, linear, polynomial, ridge or lasso (the"
              + " better of the first two, by steps left out).")
  private @Nullable StepTimeForm form;

  @Option(
      names = "--alpha-form",
      paramLabel = "FORM",
      description =
          "What the models of requests are made of, of waits and of measured requests: linear,"
              + " polynomial, ridge or lasso (${DEFAULT-VALUE}).")
  private RequestForm alphaForm = RequestForm.LINEAR;

  @InRange(from = 0, to = 1, above = true)
  @Option(
      names = "--training-share",
      paramLabel = "SHARE",
      description = "Part of the steps that is fitted; the rest only tests (${DEFAULT-VALUE}).")
  private double share = 0.7;

  @Option(
      names = "--also",
      paramLabel = "SPEC",
      description =
          "Recorded on another model or device, as in 'b/journal(model=MODEL,gpu=NAME,"
              + "tensor-parallel-size=N)'; or measured requests of the same server under other"
              + " limits, as in 'b.csv(max-num-seqs=64)'; repeat it for each. Each is then also"
              + " left out in turn.")
  private List<String> others = new ArrayList<>();

  @ArgGroup(validate = false, heading = "%nWhat was recorded:%n")
  private ServedDevice device = new ServedDevice();

  @ArgGroup(
      validate = false,
      heading = "%nLimits of the server, for measured requests with --model:%n")
  private ServerLimits limits = new ServerLimits();

  @Mixin private StrictOption strict;
  @Mixin private OverwriteOption overwrite;
  @Mixin private QuietOption quiet;

  @Override
  public Integer call() {
    try {
      return fit();
    } catch (IOException | UncheckedIOException e) {
      return messages.failed(e);
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  private int fit() throws IOException {
    OutputFile.check(output, overwrite.mode()); // before long journals are read
    final List<Path> measured = new ArrayList<>();
    final List<Path> stepwise = new ArrayList<>();
    for (Path path : recorded) {
      if (Files.notExists(path)) { // rather than ask for what only some recordings need
        throw new NoSuchFileException(path.toString());
      }
      final Path requests = path.resolve(REQUESTS);
      final boolean isOfAClient = Files.exists(requests) && !JournalSource.isJournal(path);
      (isOfAClient || TimedRequests.isIn(path) ? measured : stepwise)
          .add(isOfAClient ? requests : path);
    }
    final List<String> alsoMeasured = new ArrayList<>();
    final List<String> alsoStepwise = new ArrayList<>();
    for (String other : others) {
      (TimedRequests.isIn(RecordedSpec.path(other)) ? alsoMeasured : alsoStepwise).add(other);
    }
    final boolean hasSteps = !(stepwise.isEmpty() && alsoStepwise.isEmpty());
    requireFor(hasSteps, alsoMeasured);
    if (!hasSteps && device.isGiven()) {
      new MeasuredFitter(device, limits, messages, quiet, strict)
          .fit(measured, alsoMeasured, share, output, overwrite.mode());
      return ExitCode.OK;
    }
    final RequestTimeFit requests = requests(measured);
    final QueueingFit queueing = new QueueingFit();
    final List<RecordedRun> runs = runs(stepwise, alsoStepwise, queueing);
    final StepTimeFit fit = runs.isEmpty() ? null : StepTimeFit.of(runs, form, share);
    write(fit, queueing.fit(share, alphaForm) ? queueing : null, requests);
    return ExitCode.OK;
  }

  private void requireFor(boolean hasSteps, List<String> alsoMeasured) {
    if (!hasSteps && page != null) {
      throw messages.wrong(
          "--html draws step times: give recorded steps too, or leave it out: --html=" + page);
    }
    final boolean isSimulated = !hasSteps && device.isGiven();
    for (String option : List.of("--form", "--alpha-form")) {
      if (isSimulated && messages.isGiven(option)) {
        throw messages.wrong(
            option
                + " chooses among models of recorded steps and waits: measured requests with"
                + " --model have the one form physics; leave it out");
      }
    }
    final List<String> given = ServerLimits.written(messages.spec().commandLine().getParseResult());
    if (!isSimulated && !(given.isEmpty() && alsoMeasured.isEmpty())) {
      throw messages.wrong(
          "limits of a server are of measured requests with --model and no recorded steps: leave"
              + " out "
              + String.join(", ", given.isEmpty() ? alsoMeasured : given));
    }
  }

  private @Nullable RequestTimeFit requests(List<Path> measured) throws IOException {
    if (measured.isEmpty()) {
      return null;
    }
    final RequestTimeFit requests = new RequestTimeFit();
    for (Path path : measured) {
      strict.require(path, requests.read(path), TimedRequests.Omission::label);
    }
    if (!requests.fit(share, alphaForm)) {
      throw new IllegalArgumentException(
          "measured requests must be at least 20 to fit and 20 to test: usable="
              + requests.requests()
              + ", --training-share="
              + share
              + ", left out="
              + requests.omitted());
    }
    return requests;
  }

  private List<RecordedRun> runs(List<Path> stepwise, List<String> also, QueueingFit queueing)
      throws IOException {
    final List<RecordedRun> runs = new ArrayList<>();
    if (stepwise.isEmpty() && also.isEmpty()) {
      return runs;
    }
    final RecordedReader reader = new RecordedReader(messages, quiet, strict, queueing);
    final List<RecordedSteps> steps = new ArrayList<>();
    for (Path path : stepwise) {
      steps.add(reader.read(path));
    }
    requireModel(steps);
    final OperatorTimes kernels = device.kernels(); // read once, however many were recorded
    for (RecordedSteps recordedSteps : steps) {
      requireSameModel(recordedSteps);
      runs.add(RecordedRun.of(recordedSteps, device.pass(), device.device(), kernels));
    }
    for (String other : also) {
      final RecordedSpec spec = RecordedSpec.parse(other, device);
      runs.add(RecordedRun.of(reader.read(spec.path()), spec.pass(), spec.gpu(), null));
    }
    return runs;
  }

  /** The shape of the built-in model is known; of others a recording has the name only. */
  private void requireModel(List<RecordedSteps> steps) {
    if (device.isGiven()) {
      return;
    }
    final Set<String> names = new TreeSet<>();
    steps.forEach(some -> names.addAll(some.models()));
    if (!names.equals(Set.of(ModelSource.BUILT_IN_NAME))) {
      throw messages.wrong(
          "--model is needed: the Hugging Face folder of what was recorded, or its config.json"
              + (names.isEmpty() ? "" : "; it is called " + String.join(", ", names)));
    }
    device.takeBuiltIn();
    if (!quiet.isSet()) {
      messages.say(
          "recorded with the server's built-in model: --model "
              + ModelSource.BUILT_IN_NAME
              + ", here and where the result is used");
    }
  }

  /** Times of one model fitted as those of another make a model of nothing. */
  private void requireSameModel(RecordedSteps steps) {
    final String fitted = device.pass().model().name();
    if (!steps.models().isEmpty() && !steps.models().contains(fitted)) {
      messages.say(
          steps.label()
              + " was recorded with the model "
              + String.join(" and ", steps.models())
              + ", and is fitted as "
              + fitted
              + ": unless that is the same under another name, the result is of neither");
    }
  }

  private void write(
      @Nullable StepTimeFit fit, @Nullable QueueingFit waits, @Nullable RequestTimeFit requests)
      throws IOException {
    try (OutputFile file = OutputFile.prepare(output, overwrite.mode())) {
      PerformanceModelFile.write(file.scratch(), fit, waits, requests);
      file.publish();
    }
    if (page != null && fit != null) {
      try (OutputFile file = OutputFile.prepare(page, overwrite.mode())) {
        final byte[] bytes = FitPage.render(fit, waits, requests).getBytes(StandardCharsets.UTF_8);
        Files.write(file.scratch(), bytes);
        file.publish();
      }
    }
    if (!quiet.isSet()) {
      final String files = page == null ? output.toString() : output + " and " + page;
      final String steps = fit == null ? "" : FitText.of(fit);
      messages.print(steps + RequestTermsText.of(waits, requests) + "\nwrote " + files + "\n");
    }
  }
}
