package dev.headway.cli.route;

import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.cli.simulate.ModelOnDevice;
import dev.headway.routing.policy.LatencyPredictor;
import dev.headway.simulation.fit.PerformanceModelFile;
import dev.headway.simulation.fleet.FirstTokenTime;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code headway route} knows of the workers' step times, on the command line. */
final class StepTimeOptions extends ModelOnDevice {

  @Needs("--model")
  @Option(
      names = "--step-model",
      paramLabel = "FILE",
      description =
          "Step times of a worker, fitted by headway fit for the --model on the --gpu:"
              + " predicted-latency needs them.")
  private @Nullable Path stepModel;

  @Needs("--step-model")
  @InRange(from = 1)
  @Option(
      names = "--max-num-batched-tokens",
      paramLabel = "N",
      description = "Most tokens that a worker computes in a step (${DEFAULT-VALUE}).")
  private int maxNumBatchedTokens = 2_048;

  /**
   * Predicts times to the first token; null if no step times were given.
   *
   * @throws IOException if the file cannot be read
   */
  @Nullable LatencyPredictor predictor() throws IOException {
    if (stepModel == null) {
      if (isGiven()) {
        throw new IllegalArgumentException(
            "--model needs --step-model, the step times that headway fit recorded of it: nothing"
                + " else of headway route asks for the model");
      }
      return null;
    }
    return new FirstTokenTime(
        PerformanceModelFile.read(stepModel, pass(), device(), kernels()).stepTime(),
        maxNumBatchedTokens,
        FirstTokenTime.TYPICAL_DECODE_CONTEXT);
  }
}
