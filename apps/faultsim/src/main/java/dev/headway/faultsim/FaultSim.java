package dev.headway.faultsim;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program: runs seeds until they are through, the time is over, or a rule does not hold. */
@Command(
    name = "faultsim",
    mixinStandardHelpOptions = true,
    version = "faultsim 0.1.0-SNAPSHOT",
    sortOptions = false,
    usageHelpAutoWidth = true,
    description = {
      "Simulates the engine with everything that can go wrong, in virtual time, and checks after"
          + " every step that blocks are conserved, every request ends once and with its own"
          + " tokens, waits add up, and requests progress.",
      "",
      "A seed decides everything: settings, policies, requests, faults. A failure is shrunk and"
          + " printed as the command that shows it again."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every rule held",
      "1:a rule did not hold; seed, step and rule are printed",
      "2:the command line is not valid",
      "3:the simulation itself failed",
      "4:a step did not end; seed and stack are printed"
    })
public final class FaultSim implements Callable<Integer> {

  /** A rule did not hold. */
  static final int VIOLATION = 1;

  /** The simulation itself failed. */
  static final int BROKEN = 3;

  /** A step did not end. */
  static final int STALLED = 4;

  static final class Seeds {
    @Option(names = "--seed", paramLabel = "N", description = "One seed, or the first of many.")
    Long seed;

    @Option(
        names = "--seeds",
        paramLabel = "A..B",
        description = "The seeds from A to B, both included.")
    String range;
  }

  @ArgGroup Seeds seeds = new Seeds();

  @Option(
      names = "--steps",
      paramLabel = "M",
      defaultValue = "5000",
      description = "Steps of each seed; then all requests end. Default: ${DEFAULT-VALUE}.")
  int steps;

  @Option(
      names = "--minutes",
      paramLabel = "T",
      description = "Goes on with the next seeds for so long, from --seed on.")
  Double minutes;

  @Option(
      names = "--no-swarm",
      description =
          "Turns all features on in every seed. Otherwise a seed turns a random part of them on.")
  boolean isWhole;

  @Option(
      names = "--features",
      paramLabel = "F",
      split = ",",
      description = "Nothing but these features may be turned on; NONE for none.")
  String[] features;

  @Option(
      names = "--without",
      paramLabel = "F",
      split = ",",
      description = "These features are not turned on.")
  String[] without;

  @Option(
      names = "--operations",
      paramLabel = "STEPS",
      description = "Callers do something before these steps only, such as 3,17-20.")
  String operations;

  @Option(
      names = "--faults",
      paramLabel = "STEPS",
      description = "Executors and probes do something wrong in these steps only.")
  String faults;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seeds run side by side. Default: ${DEFAULT-VALUE}.")
  int threads;

  @Option(
      names = "--rerun",
      paramLabel = "N",
      defaultValue = "50",
      description =
          "Every Nth seed is run twice and must do the same, to the byte; 0 for none. Default:"
              + " ${DEFAULT-VALUE}.")
  int rerun;

  @Option(
      names = "--stall-seconds",
      paramLabel = "S",
      defaultValue = "60",
      description = "Longest time of a step, of the machine. Default: ${DEFAULT-VALUE}.")
  int stallSeconds;

  @Option(names = "--no-shrink", description = "Prints a failure as it was found.")
  boolean isUnshrunk;

  @Option(
      names = "--keep-going",
      description = "Goes on after a failure; prints a line for each, unshrunk.")
  boolean keepsGoing;

  @Option(names = "--list-features", description = "Prints the features and ends.")
  boolean listsFeatures;

  @Option(names = "--coverage", description = "Prints what was reached.")
  boolean printsCoverage;

  @Option(
      names = {"-v", "--verbose"},
      description = "Prints settings and SHA-256 of every seed.")
  boolean isVerbose;

  @Option(
      names = {"-q", "--quiet"},
      description = "Prints failures only.")
  boolean isQuiet;

  @Spec CommandSpec spec;

  /** Runs the program. */
  public static void main(String[] args) {
    System.exit(run(args));
  }

  /** Runs the program and returns its exit code. */
  static int run(String... args) {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
    return new CommandLine(new FaultSim())
        .setExecutionExceptionHandler(FaultSim::failed)
        .execute(args);
  }

  private static int failed(Exception e, CommandLine line, CommandLine.ParseResult result) {
    line.getErr().println("the simulation failed: " + e);
    e.printStackTrace(line.getErr());
    return BROKEN;
  }

  @Override
  public Integer call() throws InterruptedException {
    final PrintWriter out = spec.commandLine().getOut();
    if (listsFeatures) {
      Options.printFeatures(out);
      return 0;
    }
    if (steps < 1
        || threads < 1
        || rerun < 0
        || stallSeconds < 1
        || (minutes != null && !(minutes > 0))) {
      throw new ParameterException(
          spec.commandLine(),
          "--steps, --threads and --stall-seconds must be >= 1, --rerun >= 0 and --minutes > 0: --steps="
              + steps
              + ", --threads="
              + threads
              + ", --stall-seconds="
              + stallSeconds
              + ", --rerun="
              + rerun
              + ", --minutes="
              + minutes);
    }
    try {
      return new SeedRun(this, Options.of(this), out, spec.commandLine().getErr()).run();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
