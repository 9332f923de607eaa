package dev.headway.cli;

import dev.headway.simulation.run.SimulationException;
import dev.headway.simulation.workload.TraceFormatException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Tells failures in one line; where in the program they come from is told on request. */
final class FailureReport implements IParameterExceptionHandler, IExecutionExceptionHandler {

  private final BooleanSupplier wantsStackTrace;

  FailureReport(BooleanSupplier wantsStackTrace) {
    this.wantsStackTrace = wantsStackTrace;
  }

  /** The command line is wrong. */
  @Override
  public int handleParseException(ParameterException failure, String[] arguments) {
    final CommandLine line = failure.getCommandLine();
    final String command = line.getCommandSpec().qualifiedName();
    final String see = " (see " + command + " --help)";
    if (failure instanceof UnmatchedArgumentException unmatched && isCommand(unmatched)) {
      print(line, oneLine(unknownCommand(unmatched)) + see);
    } else {
      print(line, oneLine(textOf(failure)) + see);
      if (failure instanceof UnmatchedArgumentException unmatched) {
        UnmatchedArgumentException.printSuggestions(unmatched, line.getErr());
      }
    }
    printStackTrace(failure, line);
    return line.getCommandSpec().exitCodeOnInvalidInput();
  }

  /** Whether what is not known stands where a command must. */
  private static boolean isCommand(UnmatchedArgumentException unmatched) {
    return !unmatched.getCommandLine().getSubcommands().isEmpty()
        && !unmatched.getUnmatched().getFirst().startsWith("-");
  }

  private static String unknownCommand(UnmatchedArgumentException unmatched) {
    final List<String> nearest =
        unmatched.getSuggestions().stream()
            .map(name -> name.substring(name.lastIndexOf(' ') + 1))
            .toList();
    return "there is no command '"
        + unmatched.getUnmatched().getFirst()
        + "'"
        + (nearest.isEmpty() ? "" : "; the nearest: " + String.join(", ", nearest));
  }

  /** The command failed. */
  @Override
  public int handleExecutionException(Exception failure, CommandLine line, ParseResult parsed) {
    print(line, oneLine(describe(failure)));
    printStackTrace(failure, line);
    return line.getCommandSpec().exitCodeOnExecutionException();
  }

  /** Prints a line on standard error, with the name of the command in front. */
  void print(CommandLine line, String message) {
    final PrintWriter err = line.getErr();
    err.println(line.getCommandSpec().qualifiedName() + ": " + message);
    err.flush();
  }

  private void printStackTrace(Exception failure, CommandLine line) {
    if (wantsStackTrace.getAsBoolean()) {
      failure.printStackTrace(line.getErr());
      line.getErr().flush();
    }
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
      default -> failure + "; --stacktrace says where";
    };
  }

  private static String textOf(Exception failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  /** Messages may hold text from files: control characters do not reach the terminal. */
  private static String oneLine(String message) {
    return message.replaceAll("\\s*\\R\\s*", " ").replaceAll("\\p{Cntrl}", "?");
  }
}
