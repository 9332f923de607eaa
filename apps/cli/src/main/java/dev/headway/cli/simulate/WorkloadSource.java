package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.LoadReading;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.workload.TraceFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How {@code headway workload} reads a load; {@code --output-format} is how it writes it. */
final class WorkloadSource {

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "Format of a trace, as of headway replay (${DEFAULT-VALUE}).")
  private String from = TraceFormat.AUTO.label();

  @Mixin private LoadChanges changes;

  @Mixin private TenantsOption tenants;

  @Mixin private LoadReading reading;

  Load load(@Nullable String source, CommandMessages messages) {
    if (source == null) {
      throw messages.wrong("LOAD is missing");
    }
    changes.check(messages);
    final int dealt = tenants.tenants();
    try {
      final TraceFormat format = TraceFormat.ofLabel(from);
      return reading.ofOnly(
          new Load(source, format, changes.rateScale(), changes.limit(), dealt), messages);
    } catch (IllegalArgumentException e) {
      throw messages.wrong("--format: " + e.getMessage());
    }
  }
}
