package dev.headway.cli.plan;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.InRange;
import dev.headway.cli.simulate.PolicyChoice;
import dev.headway.simulation.hardware.GpuCatalog;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The model of a plan, what its steps take on each device, and what all configurations share. */
final class PlanModel {

  /** Options of the engine that a plan has itself. */
  private static final Set<String> OWN =
      Set.of(
          "model",
          "gpu",
          "gpu-table",
          "kernels",
          "step-model",
          "tensor-parallel-size",
          "max-num-seqs",
          "max-num-batched-tokens",
          "no-prefix-caching",
          "gpu-memory-utilization");

  /** What the host adds is in a fitted model. */
  private static final Set<String> OF_THE_HOST =
      Set.of("host-us", "host-us-per-request", "eager-launch-us");

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      description = "The model, which must be given: its Hugging Face folder, or its config.json.")
  private @Nullable Path model;

  @Option(
      names = "--gpu-table",
      paramLabel = "FILE",
      description =
          "JSON file with devices of your own, in the form of the built-in gpus.json; its"
              + " price_per_gpu_hour is a price.")
  private @Nullable Path gpuTable;

  @Option(
      names = "--step-model",
      paramLabel = "FILE",
      description =
          "Step times fitted by headway fit, of the --gpu, or as GPU=FILE of one of several; repeat"
              + " it for others. All other devices take what --kernels or a roofline say.")
  private List<String> stepModels = List.of();

  @Option(
      names = "--kernels",
      paramLabel = "DIR",
      description =
          "Measured kernels, as headway simulate takes them, of the --gpu, or as GPU=DIR of one of"
              + " several; repeat it for others.")
  private List<String> kernels = List.of();

  @InRange(from = 0, to = 1, above = true)
  @Option(
      names = "--gpu-memory-utilization",
      paramLabel = "SHARE",
      description = "Share of a device's memory that may be used (0.9).")
  private @Nullable Double gpuMemoryUtilization;

  @Option(
      names = "--policy",
      paramLabel = "SPEC",
      description =
          "What decides in each instance, as headway compare takes it; engine(option=value,...) sets"
              + " further options of all engines (fcfs).")
  private String policy = "";

  /**
   * The model.
   *
   * @throws IllegalArgumentException if none was given
   */
  Path model() {
    if (model == null) {
      throw new IllegalArgumentException(
          "--model must be given: the Hugging Face folder of the model that is to be served, or its"
              + " config.json");
    }
    return model;
  }

  GpuCatalog catalog() {
    final GpuCatalog builtIn = GpuCatalog.builtIn();
    return gpuTable == null ? builtIn : builtIn.with(gpuTable);
  }

  /**
   * The policies of all instances.
   *
   * @throws IllegalArgumentException if they set what the plan has an option for
   */
  PolicyChoice policy() {
    final PolicyChoice choice = PolicyChoice.parse(policy);
    final Set<String> twice = new TreeSet<>(choice.engineOptions().keySet());
    twice.retainAll(OWN);
    if (!twice.isEmpty()) {
      throw new IllegalArgumentException(
          "--policy engine(...) sets what headway plan has an option for: " + twice);
    }
    return choice;
  }

  /** Fitted step times by device. */
  Map<String, String> stepModels(List<String> gpus, CommandMessages messages) {
    return byDevice("--step-model", stepModels, gpus, messages);
  }

  /** Measured kernels by device. */
  Map<String, String> kernels(List<String> gpus, CommandMessages messages) {
    return byDevice("--kernels", kernels, gpus, messages);
  }

  private Map<String, String> byDevice(
      String option, List<String> values, List<String> gpus, CommandMessages messages) {
    final Map<String, String> byDevice = new LinkedHashMap<>();
    for (String value : values) {
      final int sign = value.indexOf('=');
      final String gpu = sign < 0 ? "" : nameOf(value.substring(0, sign));
      if (gpu.isEmpty() && gpus.size() > 1) {
        throw messages.wrong(
            option
                + " must say of which device it is where there are several, as in "
                + gpus.getFirst()
                + "=FILE: "
                + option
                + "="
                + value);
      }
      final String of = gpu.isEmpty() ? gpus.getFirst() : gpu;
      if (!gpus.contains(of)) {
        throw messages.wrong(
            option
                + " must be of a --gpu of the plan: "
                + option
                + "="
                + value
                + ", --gpu="
                + gpus);
      }
      if (byDevice.put(of, gpu.isEmpty() ? value : value.substring(sign + 1)) != null) {
        throw messages.wrong(option + " must be given once for a device: " + option + "=" + value);
      }
    }
    return byDevice;
  }

  /** The device that a word before an equals sign names; empty if it is part of a path. */
  private String nameOf(String word) {
    try {
      return catalog().get(word).name();
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  /** The options of an engine that all configurations share, by name without dashes. */
  Map<String, String> shared(boolean isFitted) {
    final Map<String, String> options = new LinkedHashMap<>(policy().engineOptions());
    if (isFitted) {
      options.keySet().removeAll(OF_THE_HOST);
    }
    options.put("model", model().toString());
    if (gpuTable != null) {
      options.put("gpu-table", gpuTable.toString());
    }
    if (gpuMemoryUtilization != null) {
      options.put("gpu-memory-utilization", gpuMemoryUtilization.toString());
    }
    return options;
  }
}
