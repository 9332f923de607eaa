package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import picocli.CommandLine.Option;

/** {@code --tenants} of a command line. */
final class TenantsOption {

  @Option(
      names = "--tenants",
      paramLabel = "N",
      description =
          "Assign requests without a tenant to N tenants, the k-th with a share of 1/k"
              + " (${DEFAULT-VALUE}).")
  private int tenants;

  int checked(CommandMessages messages) {
    if (tenants < 0 || tenants > 10_000) {
      throw messages.wrong("--tenants must be in [0, 10000]: --tenants=" + tenants);
    }
    return tenants;
  }
}
