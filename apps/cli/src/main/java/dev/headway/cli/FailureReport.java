package dev.headway.cli;

import dev.headway.cli.command.CommandMessages;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints failures in one line; the stack trace is printed on request. */
final class FailureReport implements IParameterExceptionHandler, IExecutionExceptionHandler {

  /** The command line is wrong. */
  @Override
  public int handleParseException(ParameterException failure, String[] arguments) {
    final CommandLine line = failure.getCommandLine();
    final CommandMessages messages = new CommandMessages(line.getCommandSpec());
    final String see = " (see " + line.getCommandSpec().qualifiedName() + " --help)";
    if (failure instanceof UnmatchedArgumentException unmatched && isCommand(unmatched)) {
      messages.say(unknownCommand(unmatched) + see);
    } else {
      messages.say(CommandMessages.textOf(failure) + see);
      if (failure instanceof UnmatchedArgumentException unmatched) {
        UnmatchedArgumentException.printSuggestions(unmatched, line.getErr());
      }
    }
    messages.printStackTrace(failure);
    return line.getCommandSpec().exitCodeOnInvalidInput();
  }

  /** Whether the unknown word is where a command must be. */
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
    return new CommandMessages(line.getCommandSpec()).failed(failure);
  }
}
