package dev.headway.cli.simulate;

import dev.headway.cli.command.Excludes;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.simulation.step.DeviceMemory;
import picocli.CommandLine.Option;

/** A model and the devices it is served on, on the command line. */
public class ServedDevice extends ModelOnDevice {

  @Needs({"--model", "--executor"})
  @Excludes({"--num-blocks", "--kv-gib"})
  @InRange(from = 0, to = 1, above = true)
  @Option(
      names = "--gpu-memory-utilization",
      paramLabel = "SHARE",
      description =
          "Share of the device's memory that may be used, the simulated one's or that of the CUDA"
              + " executor (${DEFAULT-VALUE}).")
  private double gpuMemoryUtilization = 0.9;

  final double memoryShare() {
    return gpuMemoryUtilization;
  }

  final long kvBytesPerToken() {
    return Math.round(DeviceMemory.kvBytesPerToken(pass()));
  }

  final int blocks(int blockSize, int maxNumBatchedTokens) {
    return DeviceMemory.blocks(
        pass(), device(), gpuMemoryUtilization, blockSize, maxNumBatchedTokens);
  }
}
