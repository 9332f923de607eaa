package dev.headway.cli.simulate;

import dev.headway.api.step.LatencyModel;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.fit.PerformanceModelFile;
import dev.headway.simulation.step.DeviceMemory;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.simulation.step.HostTime;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.simulation.step.Roofline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A model and the devices it is simulated on, on the command line. */
final class SimulatedDevice extends ModelOnDevice {

  @Option(
      names = "--gpu-memory-utilization",
      paramLabel = "SHARE",
      description = "Share of the device's memory that may be used (${DEFAULT-VALUE}).")
  private double gpuMemoryUtilization = 0.9;

  @Option(
      names = "--step-model",
      paramLabel = "FILE",
      description =
          "Step times fitted by headway fit; for a --model or --gpu that was not recorded, the"
              + " shares of the peaks are taken over.")
  private @Nullable Path stepModel;

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

  long kvBytesPerToken() {
    return Math.round(DeviceMemory.kvBytesPerToken(pass()));
  }

  int blocks(int blockSize, int maxNumBatchedTokens) {
    return DeviceMemory.blocks(
        pass(), device(), gpuMemoryUtilization, blockSize, maxNumBatchedTokens);
  }

  /** What a journal says of it; empty if no model was given. */
  Map<String, String> attributes() {
    return isGiven()
        ? Map.of(
            "model", pass().model().toString(),
            "hardware", devices() + " x " + device().name() + " (simulated)",
            "model_size", Long.toString(pass().model().parameters()),
            "tensor_parallel_size", Integer.toString(devices()))
        : Map.of();
  }

  /** How long its steps take; blocks of this size move to host memory and back. */
  LatencyModel latency(long bytesPerBlock) {
    if (stepModel != null) {
      return fitted(stepModel);
    }
    final double transferNs =
        (double) bytesPerBlock
            * TimeUnit.SECONDS.toNanos(1)
            / LinearLatencyModel.PCIE_5_X16_BYTES_PER_SECOND;
    final double nsPerMicro = TimeUnit.MICROSECONDS.toNanos(1);
    final HostTime host = new HostTime(hostMicros * nsPerMicro, hostMicrosPerRequest * nsPerMicro);
    return new ForwardPassTime(pass(), operators(), host, transferNs);
  }

  private LatencyModel fitted(Path file) {
    if (hostMicros + hostMicrosPerRequest > 0) {
      throw new IllegalArgumentException(
          "--step-model has the host's part in it: leave --host-us and --host-us-per-request out:"
              + " --step-model="
              + file);
    }
    try {
      return PerformanceModelFile.read(file, pass(), device(), kernels()).stepTime();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--step-model must be a file of headway fit: " + e.getMessage(), e);
    }
  }

  private OperatorTimes operators() {
    final OperatorTimes measured = kernels();
    return measured == null ? new Roofline(device()) : measured;
  }
}
