package dev.headway.cli;

import dev.headway.cli.bench.BenchCommand;
import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.OptionConditions;
import dev.headway.cli.command.OutputParent;
import dev.headway.cli.command.WrittenDefaults;
import dev.headway.cli.journal.AnalyzeCommand;
import dev.headway.cli.journal.CheckTimingCommand;
import dev.headway.cli.journal.ConvertCommand;
import dev.headway.cli.journal.ExplainCommand;
import dev.headway.cli.journal.FpmCommand;
import dev.headway.cli.journal.MetricsCommand;
import dev.headway.cli.journal.OtlpCommand;
import dev.headway.cli.journal.ProfileCommand;
import dev.headway.cli.journal.ReportCommand;
import dev.headway.cli.journal.TraceCommand;
import dev.headway.cli.journal.TrainingCommand;
import dev.headway.cli.learn.CalibrateCommand;
import dev.headway.cli.learn.FitCommand;
import dev.headway.cli.plan.PlanCommand;
import dev.headway.cli.route.RouteCommand;
import dev.headway.cli.serve.InspectCommand;
import dev.headway.cli.serve.ServeCommand;
import dev.headway.cli.simulate.CompareCommand;
import dev.headway.cli.simulate.DemoCommand;
import dev.headway.cli.simulate.PredictCommand;
import dev.headway.cli.simulate.ReplayCommand;
import dev.headway.cli.simulate.RouteStudyCommand;
import dev.headway.cli.simulate.SimulateCommand;
import dev.headway.cli.simulate.WorkloadCommand;
import dev.headway.cli.sweep.SweepCommand;
import dev.headway.cli.top.TopCommand;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program {@code headway}. */
@Command(
    name = "headway",
    mixinStandardHelpOptions = true,
    versionProvider = HeadwayCli.Version.class,
    header = "Schedules LLM inference, and explains every decision.",
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done.",
      "1:Failed; standard error says why.",
      "2:The command line is wrong.",
      "3:Done, but not whole: a journal or profile that was read, or a sweep with runs that failed.",
      "4:check-timing: a rule failed; bench --strict: the load generator could not keep up; plan: no"
          + " configuration keeps to the limits."
    },
    footerHeading = "%nEnvironment:%n",
    footer = {
      "  HEADWAY_OPTS       JVM options, for example -Xmx4g",
      "  HEADWAY_CLASSPATH  jars with policies and probes of your own, a:b:c",
      "  HEADWAY_JAVA_HOME  the JDK to run on, 25 or newer",
      "",
      "headway COMMAND --help explains a command. Start with: headway demo"
    })
public final class HeadwayCli implements Runnable {

  private static final Logger EXPORTER_LOG = Logger.getLogger("io.opentelemetry");

  /** What every terminal has. */
  static final int HELP_COLUMNS = 80;

  private static final int MAX_OPTION_COLUMNS = 24;

  /** In the order in which they are listed. */
  private static final List<Class<? extends Callable<Integer>>> COMMANDS =
      List.of(
          DemoCommand.class,
          ReplayCommand.class,
          SimulateCommand.class,
          PredictCommand.class,
          CompareCommand.class,
          RouteStudyCommand.class,
          WorkloadCommand.class,
          SweepCommand.class,
          PlanCommand.class,
          InspectCommand.class,
          ServeCommand.class,
          TopCommand.class,
          RouteCommand.class,
          BenchCommand.class,
          ConvertCommand.class,
          ExplainCommand.class,
          ReportCommand.class,
          TraceCommand.class,
          OtlpCommand.class,
          MetricsCommand.class,
          ProfileCommand.class,
          AnalyzeCommand.class,
          CheckTimingCommand.class,
          TrainingCommand.class,
          FitCommand.class,
          CalibrateCommand.class,
          FpmCommand.class);

  @Spec private CommandSpec spec;

  @Option(
      names = "--stacktrace",
      scope = ScopeType.INHERIT,
      description = "Print where in the program a failure comes from.")
  @SuppressWarnings("UnusedVariable") // messages look at it
  private boolean stackTrace;

  private HeadwayCli() {}

  /** The version that the build wrote into the jar. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      final String version = HeadwayCli.class.getPackage().getImplementationVersion();
      return new String[] {
        "headway " + (version == null ? "development build" : version),
        "Java " + Runtime.version() + ", " + System.getProperty("java.vm.name")
      };
    }
  }

  /** Runs the program and ends the JVM with its exit code. */
  public static void main(String[] arguments) {
    // what fails is counted and printed in a line; the exporter's own log has a stack trace for
    // each
    EXPORTER_LOG.setLevel(Level.OFF);
    final List<String> words = List.of(arguments);
    System.exit(commandLine(words::contains).execute(arguments));
  }

  /** The command line with all subcommands; a new one each time. */
  static CommandLine commandLine() {
    return commandLine(name -> true);
  }

  /**
   * The command line with the subcommands that may be run. Of the others there is what a list of
   * them says: all their options, some hundred, are half of what the program takes to start.
   *
   * @param mayRun whether a command line can ask for a command
   */
  static CommandLine commandLine(Predicate<String> mayRun) {
    final CommandLine line = new CommandLine(new HeadwayCli());
    for (Class<? extends Callable<Integer>> command : COMMANDS) {
      final Command known = command.getAnnotation(Command.class);
      line.addSubcommand(known.name(), mayRun.test(known.name()) ? command : listed(known));
    }
    line.getSubcommands()
        .values()
        .forEach(command -> command.getCommandSpec().versionProvider(new Version()));
    final FailureReport failures = new FailureReport();
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setDefaultValueProvider(new WrittenDefaults())
        .setUsageHelpLongOptionsMaxWidth(MAX_OPTION_COLUMNS)
        .setUsageHelpWidth(HELP_COLUMNS)
        .setParameterExceptionHandler(failures)
        .setExecutionExceptionHandler(failures)
        .setExecutionStrategy(parsed -> runGuarded(line, parsed));
  }

  private static CommandSpec listed(Command command) {
    final CommandSpec spec = CommandSpec.create().name(command.name());
    spec.usageMessage().header(command.header());
    return spec;
  }

  /** Without a subcommand there is nothing to do. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is needed, for example: demo");
  }

  private static int runGuarded(CommandLine line, CommandLine.ParseResult parsed) {
    try {
      if (parsed.subcommand() == null && !parsed.unmatched().isEmpty()) {
        throw new UnmatchedArgumentException(line, parsed.unmatched()); // beside --help, too
      }
      if (parsed.subcommand() != null) {
        OptionConditions.require(parsed.subcommand(), System.getenv());
        OutputParent.require(parsed.subcommand());
      }
      return new CommandLine.RunLast().execute(parsed);
    } catch (FileSystemException e) {
      return new CommandMessages(parsed.subcommand().commandSpec()).failed(e);
    } catch (OutOfMemoryError e) {
      new CommandMessages(line.getCommandSpec()).say(outOfMemory(e));
      return ExitCode.FAILED;
    }
  }

  /** Only the JVM's messages distinguish a full heap from other limits. */
  static String outOfMemory(OutOfMemoryError failure) {
    final String message = String.valueOf(failure.getMessage());
    return message.startsWith("Java heap space") || message.startsWith("GC overhead limit")
        ? "the Java heap is full: maxHeapMiB="
            + (Runtime.getRuntime().maxMemory() >> 20)
            + "; HEADWAY_OPTS=-Xmx4g gives it more"
        : "out of memory, and not for want of Java heap: "
            + message
            + "; ask for less, such as fewer KV blocks or a smaller model";
  }
}
