package dev.headway.cli.simulate;

import dev.headway.api.step.LatencyModel;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.toolbox.text.Human;
import java.util.Map;

/** What a simulation's figures rest on: whose steps they are and how long these take. Stateless. */
final class StepTimesText {

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

  private static String duration(long ns) {
    return Human.mark((double) ns);
  }

  private static boolean isUsual(LinearLatencyModel line) {
    return new LinearLatencyModel(
            line.fixedNs(), line.prefillTokenNs(), line.decodeSequenceNs(), line.kvTokenReadNs())
        .equals(LinearLatencyModel.LLAMA_3_1_8B_ON_H100);
  }
}
