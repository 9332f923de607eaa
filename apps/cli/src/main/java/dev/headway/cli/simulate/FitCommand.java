package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.events.output.OutputFile;
import dev.headway.simulation.fit.FitQuality;
import dev.headway.simulation.fit.StepTimeFit;
import dev.headway.simulation.fit.StepTimeModelFile;
import dev.headway.simulation.fit.Term;
import dev.headway.simulation.fit.TrainingSteps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway fit}: from training rows to a model of step times. */
@Command(
    name = "fit",
    mixinStandardHelpOptions = true,
    header = "Fits step times to what a server recorded.",
    description = {
      "",
      "Reads the beta.csv of headway training and fits a sum of terms: what a step's operators take at the device's peaks, each divided by the share of the peak it reaches, and what the host adds for a step and for a request in it. No share is above 1: a fitted step is never faster than the device. The first 80 % of the steps are fitted, the last 20 % say how good that is.",
      "",
      "headway replay --step-model simulates with the result.",
      ""
    },
    exitCodeList = {
      "0:Fitted.",
      "1:Failed: the output is as it was before.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway training journal/ -o training/",
      "  headway fit training/ --model Llama-3.1-8B/config.json --gpu h100-sxm -o model.json",
      "  headway replay trace.csv --model Llama-3.1-8B/config.json --gpu h100-sxm --step-model model.json"
    })
public final class FitCommand implements Callable<Integer> {

  private static final String TERM = "%-20s %14s  %s%n";

  @Mixin private final CommandMessages messages = new CommandMessages();

  @Parameters(
      arity = "1..*",
      paramLabel = "ROWS",
      description = "beta.csv, or the folder that has it; several in the order of time.")
  private List<Path> rows;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      required = true,
      description = "JSON file to make.")
  private Path output;

  @ArgGroup(validate = false, heading = "%nWhat was recorded:%n")
  private ModelOnDevice device = new ModelOnDevice();

  @Mixin private OverwriteOption overwrite;

  @Override
  public Integer call() {
    if (!device.isGiven()) {
      throw messages.wrong("--model is needed: its config.json, or the folder that has it");
    }
    try (OutputFile file = OutputFile.prepare(output, overwrite.mode())) {
      final TrainingSteps steps = new TrainingSteps();
      for (Path path : rows) {
        steps.read(path);
      }
      final StepTimeFit fit = StepTimeFit.of(steps, device.pass(), device.device());
      StepTimeModelFile.write(file.scratch(), fit, device.pass(), device.device(), steps);
      file.publish();
      messages.print(text(fit, steps) + "wrote " + output + "\n");
      return ExitCode.OK;
    } catch (IOException | UncheckedIOException e) {
      return messages.failed(e);
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  private static String text(StepTimeFit fit, TrainingSteps steps) {
    final StringBuilder text = new StringBuilder();
    final String omitted =
        steps.omitted().entrySet().stream()
            .map(entry -> entry.getKey().label() + " " + entry.getValue())
            .collect(Collectors.joining(", "));
    text.append("steps ").append(steps.size());
    text.append(", left out: ").append(omitted.isEmpty() ? "none" : omitted).append("\n\n");
    text.append(String.format(TERM, "term", "coefficient", "in words"));
    for (Term term : Term.values()) {
      final double value = fit.model().coefficient(term);
      final String coefficient = String.format(Locale.ROOT, "%.6g", value);
      text.append(String.format(TERM, term.label(), coefficient, words(fit, term, value)));
    }
    text.append('\n');
    text.append(
        String.format(
            "%-20s %7s %7s %8s %8s %8s %8s%n", "", "steps", "R2", "mean", "median", "P90", "bias"));
    text.append(row("fitted", fit.trained()));
    text.append(row("held out", fit.held()));
    fit.heldByRegime()
        .forEach(
            (regime, quality) -> {
              if (quality.steps() > 0) {
                text.append(row("  " + regime.label(), quality));
              }
            });
    return text.append('\n').toString();
  }

  private static String words(StepTimeFit fit, Term term, double value) {
    if (fit.unseen().contains(term)) {
      return "no step had any: as before fitting";
    }
    if (term.isPhysical() && value == 1) {
      return "100 % of the peak: at its bound, others may have its time";
    }
    return term.isPhysical()
        ? String.format(Locale.ROOT, "%.0f %% of the peak", 100 / value)
        : String.format(Locale.ROOT, "%.1f us", value / 1e3);
  }

  private static String row(String name, FitQuality quality) {
    return String.format(
        Locale.ROOT,
        "%-20s %7d %7.4f %7.1f%% %7.1f%% %7.1f%% %+7.1f%%%n",
        name,
        quality.steps(),
        quality.r2(),
        100 * quality.meanError(),
        100 * quality.medianError(),
        100 * quality.p90Error(),
        100 * quality.bias());
  }
}
