package dev.headway.cli.simulate;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** {@code --policy} of a command line that runs one policy. */
final class PolicyOption {

  @Option(
      names = "--policy",
      paramLabel = "SPEC",
      description =
          "What decides instead of the scheduler: fcfs, priority, or policies joined by +, as in"
              + " vtc(wq=2)+least-computed; repeat it or use +. headway compare --list-policies"
              + " names them (fcfs).")
  private List<String> policies = new ArrayList<>();

  /** As they were given; empty for the scheduler's own. */
  List<String> given() {
    return policies;
  }
}
