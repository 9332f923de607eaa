package dev.headway.cli.simulate;

import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.kernel.KernelDatabase;
import dev.headway.simulation.kernel.KernelDatabase.EightBit;
import dev.headway.simulation.kernel.LayerProfile;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.LaunchMode;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.Parallelism;
import dev.headway.simulation.step.OperatorTimes;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A model and the devices it runs on, on the command line; names are vLLM's where it has them. */
public class ModelOnDevice {

  @Needs(value = "--executor", is = "simulated", byDefault = true)
  @Option(
      names = "--model",
      paramLabel = "MODEL",
      description =
          "The model: its Hugging Face folder, or its config.json; or headway-random, the one that"
              + " headway serve has built in. Simulated steps take what its --kernels or a roofline"
              + " of the --gpu say, and the KV cache gets what the weights leave.")
  private @Nullable Path model;

  @Needs("--model")
  @Option(
      names = "--gpu",
      paramLabel = "NAME",
      description = "Device of the --model (${DEFAULT-VALUE}); an unknown name lists all.")
  private String gpu = "h100-sxm";

  @Needs("--model")
  @Option(
      names = "--gpu-table",
      paramLabel = "FILE",
      description = "JSON file with devices of your own, in the form of the built-in gpus.json.")
  private @Nullable Path gpuTable;

  @Needs("--model")
  @Option(
      names = "--kernels",
      paramLabel = "DIR",
      description =
          "Measured kernels of the --gpu instead of the roofline: the layers of the --model, as"
              + " LLMServingSim's profiler writes them, or the tables of aiconfigurator, for any"
              + " model.")
  private @Nullable Path kernels;

  @Needs("--model")
  @InRange(from = 1)
  @Option(
      names = {"--tensor-parallel-size", "-tp"},
      paramLabel = "N",
      description = "Devices that share each layer of the --model (${DEFAULT-VALUE}).")
  private int tensorParallelSize = 1;

  @Needs("--model")
  @Option(
      names = "--enforce-eager",
      description =
          "The --model runs without CUDA graphs: the host starts each kernel, and no graph takes"
              + " memory.")
  private boolean enforceEager;

  @Needs({"--model", "--executor"})
  @Option(
      names = KvCacheDtype.OPTION,
      paramLabel = "TYPE",
      description =
          "What keys and values of the --model are kept as, or those of the CUDA executor: auto (fp8"
              + " if the checkpoint has a kv_cache_scheme, else as the model computes), bfloat16, or"
              + " fp8 or fp8_e4m3, of which a cache holds twice as many and attention reads half the"
              + " bytes (${DEFAULT-VALUE}).")
  private KvCacheDtype kvCacheDtype = KvCacheDtype.AUTO;

  private @Nullable ForwardPass pass;
  private @Nullable GpuSpec device;

  /** Whether a model was given. */
  public final boolean isGiven() {
    return model != null;
  }

  /** Takes the model that the server has built in, where none was given. */
  public final void takeBuiltIn() {
    model = NamedModel.BUILT_IN;
  }

  /** How many devices share the model; 1 if none was given. */
  final int devices() {
    return isGiven() ? parallelism().devices() : 1;
  }

  /** Devices that share each layer. */
  final int tensorParallelSize() {
    return tensorParallelSize;
  }

  /** How the model is spread over its devices. */
  Parallelism parallelism() {
    return Parallelism.tensor(tensorParallelSize);
  }

  /** The name of the device as it was written. */
  final String gpu() {
    return gpu;
  }

  /** The device. */
  public final GpuSpec device() {
    if (device == null) {
      device = device(gpu);
    }
    return device;
  }

  /** A device of the same tables by its name. */
  public final GpuSpec device(String name) {
    final GpuCatalog catalog = GpuCatalog.builtIn();
    return (gpuTable == null ? catalog : catalog.with(gpuTable)).get(name);
  }

  /** What a step of the model runs on each device. */
  public final ForwardPass pass() {
    if (pass == null) {
      if (model == null) {
        throw new IllegalStateException("no --model was given");
      }
      pass = ForwardPass.of(read(model), parallelism(), launchMode());
    }
    return pass;
  }

  /** Another model that keeps its keys and values in the same way. */
  public final ModelSpec read(Path other) {
    return kvCacheDtype.of(NamedModel.read(other));
  }

  /** What keys and values are kept as. */
  final KvCacheDtype kvCacheDtype() {
    return kvCacheDtype;
  }

  /** How the host starts the kernels of a step. */
  public final LaunchMode launchMode() {
    return enforceEager ? LaunchMode.EAGER : LaunchMode.CUDA_GRAPHS;
  }

  /** What the operators took when they were measured; null if nothing was given. */
  public final @Nullable OperatorTimes kernels() {
    if (kernels == null) {
      return null;
    }
    try {
      if (KernelDatabase.isIn(kernels, device())) {
        return KernelDatabase.read(kernels, device(), EightBit.PER_TENSOR);
      }
      if (pass().model().kvCache() != pass().model().activations()) {
        throw new IllegalArgumentException(
            "--kernels of layers have attention with the keys and values it was timed with, as the"
                + " model computes them: leave "
                + KvCacheDtype.OPTION
                + " out, or let it be bfloat16 (--num-blocks sizes the cache), or use the tables of"
                + " aiconfigurator: --kernels="
                + kernels);
      }
      return LayerProfile.read(kernels, pass(), device());
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--kernels must have kernels of the --gpu or layers of the --model: " + e.getMessage(),
          e);
    }
  }
}
