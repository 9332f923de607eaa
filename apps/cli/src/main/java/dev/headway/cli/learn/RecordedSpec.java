package dev.headway.cli.learn;

import dev.headway.cli.simulate.ModelOnDevice;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.Parallelism;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where something was recorded, and on what: {@code PATH(option=value,...)}. */
record RecordedSpec(Path path, ForwardPass pass, GpuSpec gpu) {

  private static final Pattern SHAPE = Pattern.compile("(.+?)\\(([^()]*)\\)");
  private static final String MODEL = "model";
  private static final String GPU = "gpu";
  private static final String TENSOR = "tensor-parallel-size";
  private static final Set<String> OPTIONS = Set.of(MODEL, GPU, TENSOR);

  /**
   * Reads a spec.
   *
   * @param usual what holds where the spec says nothing
   * @throws IllegalArgumentException if an option is unknown or makes no sense
   */
  static RecordedSpec parse(String text, ModelOnDevice usual) {
    final Map<String, String> options = options(text);
    if (!OPTIONS.containsAll(options.keySet())) {
      throw new IllegalArgumentException(
          "--also knows model=, gpu= and tensor-parallel-size= of recorded steps: --also=" + text);
    }
    final String tensor = options.getOrDefault(TENSOR, "1");
    final ForwardPass pass =
        options.containsKey(MODEL)
            ? ForwardPass.of(
                usual.read(Path.of(options.get(MODEL))),
                Parallelism.tensor(Integer.parseInt(tensor)),
                usual.launchMode())
            : ForwardPass.of(
                usual.pass().model(),
                Parallelism.tensor(Integer.parseInt(tensor)),
                usual.launchMode());
    final GpuSpec gpu = options.containsKey(GPU) ? usual.device(options.get(GPU)) : usual.device();
    return new RecordedSpec(path(text), pass, gpu);
  }

  /** Where it is. */
  static Path path(String text) {
    return Path.of(shape(text).group(1));
  }

  /** Values by option name. */
  static Map<String, String> options(String text) {
    final Map<String, String> options = new TreeMap<>();
    for (String option : shape(text).group(2).split(",", -1)) {
      final String[] parts = option.split("=", 2);
      if (parts.length < 2) {
        throw new IllegalArgumentException("--also must be PATH(option=value,...): --also=" + text);
      }
      options.put(parts[0].strip(), parts[1].strip());
    }
    return options;
  }

  private static Matcher shape(String text) {
    final Matcher shape = SHAPE.matcher(text);
    if (!shape.matches()) {
      throw new IllegalArgumentException("--also must be PATH(option=value,...): --also=" + text);
    }
    return shape;
  }
}
