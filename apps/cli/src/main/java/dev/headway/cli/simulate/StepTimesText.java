package dev.headway.cli.simulate;

import dev.headway.api.step.LatencyModel;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.fit.FitVerdict;
import dev.headway.simulation.fit.FittedStepTime;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.toolbox.text.Human;
import java.util.Locale;
import java.util.Map;

/** What a simulation's figures rest on: whose steps they are and how long these take. Stateless. */
public final class StepTimesText {

  private StepTimesText() {}

  /** The model and its device. */
  static String model(EngineSettings settings) {
    final Map<String, String> attributes = settings.attributes();
    if (attributes.containsKey("model")) {
      return attributes.get("model") + " on " + attributes.getOrDefault("hardware", "a device");
    }
    return settings.latency() instanceof LinearLatencyModel line && isUsual(line)
        ? "Llama-3.1-8B on one H100, the default; --model and --gpu name others"
        : "none by name: steps take what --latency says";
  }

  /** How long a step takes. */
  static String source(LatencyModel latency) {
    return latency instanceof LinearLatencyModel line
        ? "%s + %s/prompt token + %s/decode + %s/context token"
            .formatted(
                duration(line.fixedNs()),
                duration(line.prefillTokenNs()),
                duration(line.decodeSequenceNs()),
                duration(line.kvTokenReadNs()))
        : latency.toString();
  }

  /**
   * How far such step times are from a machine's, as far as it is known; empty where they are what
   * {@code --latency} says.
   */
  public static String remark(LatencyModel latency) {
    return switch (latency) {
      case ForwardPassTime pass when pass.isWithoutHost() ->
          "no host time (--host-us), so decode steps are up to a quarter too fast";
      case FittedStepTime fitted when !Double.isNaN(fitted.heldOutError()) ->
          String.format(
              Locale.ROOT,
              "%.1f %% off on average on steps held out of the fit: %s",
              100 * fitted.heldOutError(),
              FitVerdict.of(fitted.heldOutError()).label());
      case FittedStepTime fitted -> "how far they are off is not known";
      default -> "";
    };
  }

  /** As a line of a report of several runs; empty if there is nothing to remark. */
  static String sourceAndRemark(LatencyModel latency) {
    final String remark = remark(latency);
    return remark.isEmpty() ? "" : "step times: " + source(latency) + "; " + remark;
  }

  private static String duration(long ns) {
    return Human.mark((double) ns);
  }

  private static boolean isUsual(LinearLatencyModel line) {
    return new LinearLatencyModel(
            line.fixedNs(), line.prefillTokenNs(), line.decodeSequenceNs(), line.kvTokenReadNs())
        .equals(LinearLatencyModel.LLAMA_3_1_8B_ON_H100);
  }
}
