package dev.headway.cli.simulate;

import dev.headway.api.step.LatencyModel;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.kernel.KernelDatabase;
import dev.headway.simulation.kernel.KernelDatabase.EightBit;
import dev.headway.simulation.kernel.LayerProfile;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.ModelSpecReader;
import dev.headway.simulation.model.Parallelism;
import dev.headway.simulation.step.DeviceMemory;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.simulation.step.HostTime;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.simulation.step.Roofline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A model and the devices it runs on, on the command line; names are vLLM's where it has them. */
final class SimulatedDevice {

  @Option(
      names = "--model",
      paramLabel = "CONFIG",
      description =
          "Simulate this model: its config.json, or the folder that has it. Steps take what"
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
      names = "--kernels",
      paramLabel = "DIR",
      description =
          "Measured kernels of the --gpu instead of the roofline: the layers of the --model, as"
              + " LLMServingSim's profiler writes them, or the tables of aiconfigurator, for any"
              + " model.")
  private @Nullable Path kernels;

  @Option(
      names = {"--tensor-parallel-size", "-tp"},
      paramLabel = "N",
      description = "Devices that share each layer of the --model (${DEFAULT-VALUE}).")
  private int tensorParallelSize = 1;

  @Option(
      names = "--gpu-memory-utilization",
      paramLabel = "SHARE",
      description = "Share of the device's memory that may be used (${DEFAULT-VALUE}).")
  private double gpuMemoryUtilization = 0.9;

  @Option(
      names = "--host-us",
      paramLabel = "US",
      description =
          "What the host adds to every step of the --model, in microseconds"
              + " (${DEFAULT-VALUE}).")
  private double hostMicros;

  @Option(
      names = "--host-us-per-request",
      paramLabel = "US",
      description =
          "What the host adds for each request of a step, in microseconds (${DEFAULT-VALUE}).")
  private double hostMicrosPerRequest;

  private @Nullable ForwardPass pass;
  private @Nullable GpuSpec device;

  /** Whether a model was given. */
  boolean isGiven() {
    return model != null;
  }

  long kvBytesPerToken() {
    return Math.round(DeviceMemory.kvBytesPerToken(pass()));
  }

  int blocks(int blockSize, int maxNumBatchedTokens) {
    return DeviceMemory.blocks(
        pass(), device(), gpuMemoryUtilization, blockSize, maxNumBatchedTokens);
  }

  /** How long its steps take; blocks of this size move to host memory and back. */
  LatencyModel latency(long bytesPerBlock) {
    final double transferNs =
        (double) bytesPerBlock
            * TimeUnit.SECONDS.toNanos(1)
            / LinearLatencyModel.PCIE_5_X16_BYTES_PER_SECOND;
    final double nsPerMicro = TimeUnit.MICROSECONDS.toNanos(1);
    final HostTime host = new HostTime(hostMicros * nsPerMicro, hostMicrosPerRequest * nsPerMicro);
    return new ForwardPassTime(pass(), operators(), host, transferNs);
  }

  private OperatorTimes operators() {
    if (kernels == null) {
      return new Roofline(device());
    }
    try {
      if (KernelDatabase.isIn(kernels, device())) {
        return KernelDatabase.read(kernels, device(), EightBit.PER_TENSOR);
      }
      return LayerProfile.read(kernels, tensorParallelSize);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--kernels must have kernels of the --gpu or layers of the --model: " + e.getMessage(),
          e);
    }
  }

  private GpuSpec device() {
    if (device == null) {
      final GpuCatalog catalog = GpuCatalog.builtIn();
      device = (gpuTable == null ? catalog : catalog.with(gpuTable)).get(gpu);
    }
    return device;
  }

  private ForwardPass pass() {
    if (pass == null) {
      if (model == null) {
        throw new IllegalStateException("no --model was given");
      }
      pass = ForwardPass.of(ModelSpecReader.read(model), Parallelism.tensor(tensorParallelSize));
    }
    return pass;
  }
}
