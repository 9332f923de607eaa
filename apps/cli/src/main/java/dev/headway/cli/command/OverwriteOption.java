package dev.headway.cli.command;

import dev.headway.toolbox.output.OverwriteMode;
import picocli.CommandLine.Option;

/** {@code --overwrite} of a command line. */
public final class OverwriteOption {

  @Option(
      names = "--overwrite",
      description =
          "Replace the output if it exists; a directory only if it holds nothing but an earlier"
              + " output.")
  private boolean overwrite;

  /** As if the option were given. */
  public static OverwriteOption replacing() {
    final OverwriteOption option = new OverwriteOption();
    option.overwrite = true;
    return option;
  }

  /** What happens to an output that exists. */
  public OverwriteMode mode() {
    return overwrite ? OverwriteMode.REPLACE : OverwriteMode.REFUSE;
  }
}
