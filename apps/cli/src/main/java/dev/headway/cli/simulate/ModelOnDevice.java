package dev.headway.cli.simulate;

import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.ModelSpecReader;
import dev.headway.simulation.model.Parallelism;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A model and the devices it runs on, on the command line; names are vLLM's where it has them. */
class ModelOnDevice {

  @Option(
      names = "--model",
      paramLabel = "CONFIG",
      description =
          "A model: its config.json, or the folder that has it. Simulated steps take what"
              + " its --kernels or a roofline of the --gpu say, and the KV cache gets what the"
              + " weights leave.")
  private @Nullable Path model;

  @Option(
      names = "--gpu",
      paramLabel = "NAME",
      description = "Device of the --model (${DEFAULT-VALUE}); an unknown name lists all.")
  private String gpu = "h100-sxm";

  @Option(
      names = "--gpu-table",
      paramLabel = "FILE",
      description = "JSON file with devices of your own, in the form of the built-in gpus.json.")
  private @Nullable Path gpuTable;

  @Option(
      names = {"--tensor-parallel-size", "-tp"},
      paramLabel = "N",
      description = "Devices that share each layer of the --model (${DEFAULT-VALUE}).")
  private int tensorParallelSize = 1;

  private @Nullable ForwardPass pass;
  private @Nullable GpuSpec device;

  /** Whether a model was given. */
  boolean isGiven() {
    return model != null;
  }

  /** How many devices share the model; 1 if none was given. */
  final int devices() {
    return isGiven() ? tensorParallelSize : 1;
  }

  /** The name of the device as it was written. */
  final String gpu() {
    return gpu;
  }

  /** The device. */
  final GpuSpec device() {
    if (device == null) {
      final GpuCatalog catalog = GpuCatalog.builtIn();
      device = (gpuTable == null ? catalog : catalog.with(gpuTable)).get(gpu);
    }
    return device;
  }

  /** What a step of the model runs on each device. */
  final ForwardPass pass() {
    if (pass == null) {
      if (model == null) {
        throw new IllegalStateException("no --model was given");
      }
      pass = ForwardPass.of(ModelSpecReader.read(model), Parallelism.tensor(tensorParallelSize));
    }
    return pass;
  }
}
