package dev.headway.cli.simulate;

import dev.headway.api.step.LatencyModel;
import dev.headway.cli.command.Excludes;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.fit.PerformanceModelFile;
import dev.headway.simulation.model.LaunchMode;
import dev.headway.simulation.model.Parallelism;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.simulation.step.HostTime;
import dev.headway.simulation.step.Link;
import dev.headway.simulation.step.LinkedTimes;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.simulation.step.Roofline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A model and the devices it is simulated on, on the command line. */
final class SimulatedDevice extends ServedDevice {

  private static final double GIGA = 1e9;

  @Needs("--model")
  @Option(
      names = "--step-model",
      paramLabel = "FILE",
      description =
          "Step times fitted by headway fit; for a --model or --gpu that was not recorded, the"
              + " shares of the peaks are taken over.")
  private @Nullable Path stepModel;

  @Needs("--model")
  @InRange(from = 0)
  @Option(
      names = "--host-us",
      paramLabel = "US",
      description =
          "What the host adds to every step of the --model, in microseconds"
              + " (${DEFAULT-VALUE}).")
  private double hostMicros;

  @Needs("--model")
  @InRange(from = 0)
  @Option(
      names = "--host-us-per-request",
      paramLabel = "US",
      description =
          "What the host adds for each request of a step, in microseconds (${DEFAULT-VALUE}).")
  private double hostMicrosPerRequest;

  @Needs("--enforce-eager")
  @InRange(from = 0)
  @Option(
      names = "--eager-launch-us",
      paramLabel = "US",
      description =
          "What the host takes to start a kernel with --enforce-eager, in microseconds"
              + " (26, of one H100 server; slow hosts take 80).")
  private @Nullable Double eagerLaunchMicros;

  @Needs("--model")
  @InRange(from = 1, to = 1_024)
  @Option(
      names = {"--data-parallel-size", "-dp"},
      paramLabel = "N",
      description =
          "Ranks of the server, each with requests, a KV cache and the --model of its own; the"
              + " experts of a mixture are shared by all, which run every step together then. More"
              + " than one: headway simulate only (${DEFAULT-VALUE}).")
  private int dataParallelSize = 1;

  @Needs("--model")
  @Option(
      names = "--enable-expert-parallel",
      description =
          "Devices that share the experts of the --model have whole ones, not a part of each.")
  private boolean enableExpertParallel;

  @Needs("--model")
  @Excludes("--step-model")
  @InRange(from = 0, above = true)
  @Option(
      names = "--link-gb-per-s",
      paramLabel = "GB",
      description =
          "What a device was measured to send to another in a second, in 1e9 bytes, instead of the"
              + " link of the --gpu or the table of all-reduces in --kernels.")
  private @Nullable Double linkGbPerSecond;

  @Needs("--link-gb-per-s")
  @InRange(from = 0)
  @Option(
      names = "--link-us",
      paramLabel = "US",
      description = "What a hop takes on that link, in microseconds (${DEFAULT-VALUE}).")
  private double linkMicros;

  @Override
  Parallelism parallelism() {
    if (dataParallelSize < 1) {
      throw new IllegalArgumentException(
          "--data-parallel-size must be >= 1: --data-parallel-size=" + dataParallelSize);
    }
    final int shared = tensorParallelSize() * dataParallelSize;
    return new Parallelism(
        tensorParallelSize(), 1, enableExpertParallel ? shared : 1, dataParallelSize);
  }

  /** Data parallel ranks; 1 if no model was given. */
  int ranks() {
    return isGiven() ? dataParallelSize : 1;
  }

  /** Whether the ranks run every step together, since they share experts. */
  boolean ranksShareExperts() {
    return ranks() > 1 && pass().experts() != null;
  }

  /** Refuses what has no meaning for the model. */
  void requireFits() {
    if (enableExpertParallel && pass().experts() == null) {
      throw new IllegalArgumentException(
          "--enable-expert-parallel needs a mixture of experts: --model=" + pass().model());
    }
    if (stepModel != null && ranksShareExperts()) {
      throw new IllegalArgumentException(
          "--step-model has no times of ranks that share experts; leave it out, or use --kernels:"
              + " --data-parallel-size="
              + dataParallelSize);
    }
  }

  /** What a journal says of it; empty if no model was given. */
  Map<String, String> attributes() {
    return isGiven()
        ? Map.of(
            "model", pass().model().toString(),
            "hardware", devices() + " x " + device().name() + " (simulated)",
            "model_size", Long.toString(pass().model().parameters()),
            "enforce_eager", Boolean.toString(launchMode() == LaunchMode.EAGER),
            "tensor_parallel_size", Integer.toString(tensorParallelSize()))
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
    final HostTime host =
        new HostTime(
            nanos("--host-us", hostMicros),
            nanos("--host-us-per-request", hostMicrosPerRequest),
            eagerLaunchMicros == null
                ? HostTime.EAGER_LAUNCH_NS
                : nanos("--eager-launch-us", eagerLaunchMicros));
    return new ForwardPassTime(pass(), operators(), host, transferNs);
  }

  private static double nanos(String option, double micros) {
    if (!(micros >= 0)) {
      throw new IllegalArgumentException(option + " must be >= 0: " + option + "=" + micros);
    }
    return micros * TimeUnit.MICROSECONDS.toNanos(1);
  }

  private LatencyModel fitted(Path file) {
    if (hostMicros + hostMicrosPerRequest > 0 || eagerLaunchMicros != null) {
      throw new IllegalArgumentException(
          "--step-model has the host's part in it: leave --host-us, --host-us-per-request and"
              + " --eager-launch-us out: --step-model="
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
    final OperatorTimes times = measured == null ? new Roofline(device()) : measured;
    return linkGbPerSecond == null
        ? times
        : new LinkedTimes(times, new Link(linkGbPerSecond * GIGA, nanos("--link-us", linkMicros)));
  }
}
