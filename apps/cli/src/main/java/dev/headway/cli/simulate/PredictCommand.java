package dev.headway.cli.simulate;

import dev.headway.api.step.StepFeatures;
import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.InRange;
import dev.headway.simulation.fit.ErrorBand;
import dev.headway.simulation.fit.FittedStepTime;
import dev.headway.simulation.predict.RequestShape;
import dev.headway.simulation.predict.ShapeFormulas;
import dev.headway.simulation.predict.ShapeSimulation;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.toolbox.stats.Distribution;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headway predict}: the latencies of one shape of requests. */
@Command(
    name = "predict",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    header = "Predicts the latencies of requests of one shape: by formulas, and simulated.",
    description = {
      "",
      "The formulas: ttft = alpha + beta(prefill), itl = beta(decode), e2e = ttft + (outputs - 1)"
          + " itl. They leave out what other requests' prefills do to decodes, and queues. The"
          + " simulation has them: as many clients as --concurrency says, each sending its next"
          + " request when its last has ended. With a --step-model of headway fit, nine in ten"
          + " steps of the formulas are within the interval.",
      ""
    },
    optionListHeading = "%nRequests:%n",
    exitCodeList = {"0:Predicted.", "2:The command line is wrong."},
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway predict --input-tokens 2000 --output-tokens 200 --concurrency 16",
      "  headway predict --input-tokens 500 --output-tokens 100 --model 8B \\",
      "      --step-model model.json"
    })
public final class PredictCommand implements Callable<Integer> {

  private static final String ROW = "  %-24s %12s %12s %12s%n";

  @Mixin private CommandMessages messages;

  @InRange(from = 1)
  @Option(names = "--input-tokens", paramLabel = "N", required = true, description = "Prompts.")
  private int inputTokens;

  @InRange(from = 1)
  @Option(names = "--output-tokens", paramLabel = "N", required = true, description = "Answers.")
  private int outputTokens;

  @InRange(from = 1)
  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "Requests that are alive at once (${DEFAULT-VALUE}).")
  private int concurrency = 1;

  @ArgGroup(validate = false, heading = "%nEngine:%n")
  private EngineOptions engine = new EngineOptions();

  /** Options that tell requests apart, of which there is one kind here. */
  private static final List<String> OF_DIFFERENT_REQUESTS =
      List.of(
          "--no-prefix-caching",
          "--kv-eviction-policy",
          "--displacement",
          "--displacement-gap",
          "--displacement-steps",
          "--max-loras",
          "--lora-drain-wait-threshold");

  @Override
  public Integer call() {
    for (String option : OF_DIFFERENT_REQUESTS) {
      if (messages.isGiven(option)) {
        throw messages.wrong(
            option
                + " changes nothing where all requests are alike and share no prefix; headway"
                + " simulate takes it, with a load");
      }
    }
    try {
      final RequestShape shape = new RequestShape(inputTokens, outputTokens, concurrency);
      final EngineSettings settings = engine.settings(PolicyChoice.parse(""));
      final ShapeFormulas formulas =
          ShapeFormulas.of(
              shape, settings.latency(), settings.config().limits().maxNumBatchedTokens());
      messages.print(text(shape, settings, formulas, ShapeSimulation.run(shape, settings)));
      return ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  private static String text(
      RequestShape shape,
      EngineSettings settings,
      ShapeFormulas formulas,
      ShapeSimulation simulation) {
    final Formatter text = new Formatter(Locale.ROOT);
    text.format(
        "%n  %,d tokens in, %,d out, %d at once; %s%n",
        shape.inputTokens(), shape.outputTokens(), shape.concurrency(), settings.latency());
    final String remark = StepTimesText.remark(settings.latency());
    if (!remark.isEmpty()) {
      text.format("  %s%n", remark);
    }
    text.format("%n");
    text.format(ROW, "formulas", "", "nine in ten", "");
    final ErrorBand prefill = band(settings, prefill(shape, settings));
    final ErrorBand decode = band(settings, decodes(shape));
    text.format(ROW, "  alpha", Units.duration(formulas.alphaNs()), "", "");
    text.format(
        ROW,
        "  beta of the prefill",
        Units.duration(formulas.prefillNs()),
        end(formulas.prefillNs(), prefill.low()),
        end(formulas.prefillNs(), prefill.high()));
    text.format(ROW, "  time to first token", Units.duration(formulas.ttftNs()), "", "");
    text.format(
        ROW,
        "  inter-token latency",
        Units.duration(formulas.itlNs()),
        end(formulas.itlNs(), decode.low()),
        end(formulas.itlNs(), decode.high()));
    text.format(ROW, "  end to end", Units.duration(formulas.e2eNs()), "", "");
    text.format("%n");
    text.format(ROW, "simulated", "mean", "p50", "p99");
    row(text, "  time to first token", simulation.ttft());
    row(text, "  inter-token latency", simulation.itl());
    row(text, "  end to end", simulation.e2e());
    if (isExtrapolating(shape, settings)) {
      text.format(
          "%n  extrapolating: such steps are smaller or larger than what the model was fitted"
              + " on%n");
    }
    return text.toString();
  }

  private static void row(Formatter text, String name, Distribution times) {
    if (times.count() > 0) {
      text.format(
          ROW,
          name,
          Units.duration(Math.round(times.mean())),
          Units.duration(Math.round(times.quantile(0.5))),
          Units.duration(Math.round(times.quantile(0.99))));
    }
  }

  private static ErrorBand band(EngineSettings settings, StepFeatures step) {
    return settings.latency() instanceof FittedStepTime model
        ? model.band(step)
        : ErrorBand.UNKNOWN;
  }

  private static String end(long ns, double factor) {
    return Double.isNaN(factor) ? "" : Units.duration(Math.round(ns * factor));
  }

  private static boolean isExtrapolating(RequestShape shape, EngineSettings settings) {
    return settings.latency() instanceof FittedStepTime model
        && (model.isExtrapolating(decodes(shape))
            || model.isExtrapolating(prefill(shape, settings)));
  }

  private static StepFeatures decodes(RequestShape shape) {
    final StepFeatures decodes = new StepFeatures();
    decodes.addDecodesAt(shape.concurrency(), shape.inputTokens() + shape.outputTokens() / 2);
    return decodes;
  }

  private static StepFeatures prefill(RequestShape shape, EngineSettings settings) {
    final StepFeatures prefill = new StepFeatures();
    prefill.addPrefill(
        Math.min(shape.inputTokens(), settings.config().limits().maxNumBatchedTokens()), 0);
    return prefill;
  }
}
