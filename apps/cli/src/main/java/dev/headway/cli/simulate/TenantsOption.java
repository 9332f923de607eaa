package dev.headway.cli.simulate;

import dev.headway.cli.command.InRange;
import picocli.CommandLine.Option;

/** {@code --tenants} of a command line. */
final class TenantsOption {

  @InRange(from = 0, to = 10_000)
  @Option(
      names = "--tenants",
      paramLabel = "N",
      description =
          "Assign requests without a tenant to N tenants, the k-th with a share of 1/k"
              + " (${DEFAULT-VALUE}).")
  private int tenants;

  int tenants() {
    return tenants;
  }
}
