package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.simulation.fleet.FleetSettings;
import dev.headway.simulation.run.EngineSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Instances behind a router, on the command line. */
final class FleetOptions {

  @InRange(from = 1, to = 1_024)
  @Option(
      names = "--instances",
      paramLabel = "N",
      description = "Instances of the engine, each with its own KV cache (1; route-study: 4).")
  private @Nullable Integer instances;

  @Needs({"--router", "--instances", "--data-parallel-size"})
  @InRange(from = 0, to = 1e9)
  @Option(
      names = "--signal-delay-ms",
      paramLabel = "MS",
      description =
          "How late the router sees loads and cache contents that instances report; 0 for at once"
              + " (${DEFAULT-VALUE}).")
  private double signalDelayMs = FleetSettings.DEFAULT_SIGNAL_DELAY_NS / 1e6;

  /** Whether the command line says how many instances there are. */
  boolean isAsked() {
    return instances != null;
  }

  /**
   * What the command line asks for.
   *
   * @param spec the router
   * @param usual instances unless the command line says how many
   */
  FleetSettings settings(EngineSettings engine, String spec, int usual) {
    return settings(engine, instances == null ? usual : instances, spec, false);
  }

  /** The data parallel ranks of one server, checked. */
  FleetSettings ranks(
      EngineSettings engine, String spec, EngineOptions options, CommandMessages messages) {
    if (isAsked()) {
      throw messages.wrong(
          "--instances and --data-parallel-size exclude each other: --instances="
              + instances
              + ", --data-parallel-size="
              + options.ranks());
    }
    return settings(engine, options.ranks(), spec, options.ranksShareExperts());
  }

  private FleetSettings settings(EngineSettings engine, int count, String spec, boolean lockstep) {
    return new FleetSettings(engine, count, spec, Math.round(signalDelayMs * 1e6), lockstep);
  }
}
