package dev.headway.cli.command;

import dev.headway.api.internal.SafeText;
import dev.headway.simulation.model.ModelSpecException;
import dev.headway.simulation.run.SimulationException;
import dev.headway.simulation.workload.TraceFormatException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What a command prints: results on standard output; remarks and failures on standard error, each a
 * line with the name of the command in front. A mixin of every command, which also gives its help
 * the headings that all have.
 */
@Command(
    sortOptions = false,
    parameterListHeading = "Parameters:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n")
public final class CommandMessages {

  private static final String PROGRAM = "headway";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** For picocli, which sets the command. */
  @SuppressWarnings("NullAway.Init")
  public CommandMessages() {}

  /** The messages of {@code spec}. */
  public CommandMessages(CommandSpec spec) {
    this.spec = spec;
  }

  /** The command. */
  public CommandSpec spec() {
    return spec;
  }

  /** Whether the command line has an option. */
  public boolean isGiven(String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  /** Prints to standard output. */
  public void print(String text) {
    final PrintWriter out = spec.commandLine().getOut();
    out.print(text);
    out.flush();
  }

  /** Prints a line to standard error; control characters of names and files become visible. */
  public void say(String message) {
    final String name = spec.qualifiedName();
    final PrintWriter err = spec.commandLine().getErr();
    err.println(
        (name.startsWith(PROGRAM) ? name : PROGRAM + " " + name)
            + ": "
            + SafeText.of(message.replaceAll("\\s*\\R\\s*", " ")));
    err.flush();
  }

  /** Says why the command failed, and with {@code --stacktrace} where; returns the exit code. */
  public int failed(Exception failure) {
    say(describe(failure));
    printStackTrace(failure);
    return ExitCode.FAILED;
  }

  /** A failure of the command line; throw it. */
  public ParameterException wrong(@Nullable String message) {
    return new ParameterException(spec.commandLine(), String.valueOf(message));
  }

  /** Prints where in the program a failure comes from, if the command line asks for it. */
  public void printStackTrace(Exception failure) {
    final OptionSpec asked = spec.root().findOption("--stacktrace");
    if (asked != null && Boolean.TRUE.equals(asked.getValue())) {
      final PrintWriter err = spec.commandLine().getErr();
      failure.printStackTrace(err);
      err.flush();
    }
  }

  /** The message of a failure, or its class where it has none. */
  public static String textOf(Exception failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  private static String describe(Exception failure) {
    return switch (failure) {
      case NoSuchFileException e -> "no such file: " + e.getFile();
      case AccessDeniedException e -> "no permission: " + e.getFile();
      case FileSystemException e -> String.valueOf(e.getMessage());
      case UncheckedIOException e -> e.getCause() == null ? textOf(e) : describe(e.getCause());
      case IOException e -> textOf(e);
      case TraceFormatException e -> textOf(e);
      case SimulationException e -> textOf(e);
      case ModelSpecException e -> textOf(e);
      default -> failure + "; --stacktrace says where";
    };
  }
}
