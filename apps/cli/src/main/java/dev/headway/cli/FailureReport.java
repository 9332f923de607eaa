package dev.headway.cli;

import dev.headway.api.internal.NearestName;
import dev.headway.cli.command.CommandMessages;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.MutuallyExclusiveArgsException;
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
    messages.say(describe(failure) + see);
    messages.printStackTrace(failure);
    return line.getCommandSpec().exitCodeOnInvalidInput();
  }

  private static String describe(ParameterException failure) {
    return switch (failure) {
      case UnmatchedArgumentException unmatched -> unknown(unmatched);
      case MissingParameterException missing -> missing(missing);
      case MutuallyExclusiveArgsException several ->
          CommandMessages.textOf(several).replaceFirst("^Error: ", "");
      default -> {
        final String value = valueOf(failure);
        yield value == null ? CommandMessages.textOf(failure) : value;
      }
    };
  }

  /** A word that is no option, no command, or one too many. */
  private static String unknown(UnmatchedArgumentException unmatched) {
    final CommandLine line = unmatched.getCommandLine();
    final List<String> words = unmatched.getUnmatched();
    for (String word : words) {
      if (word.startsWith("-")) {
        final String name = word.replaceFirst("=.*", "");
        return "there is no option '" + name + "'" + nearestOptions(name, optionsOf(line));
      }
    }
    final String word = words.getFirst();
    return line.getSubcommands().isEmpty()
        ? "there is one word too many: '" + word + "'" + requestOption(line, word)
        : "there is no command '" + word + "'" + nearestCommands(unmatched);
  }

  /** The option that the word is meant for, where the command asks for one request. */
  private static String requestOption(CommandLine line, String word) {
    final OptionSpec option = line.getCommandSpec().findOption("--request");
    return option == null ? "" : "; for a request: " + option.longestName() + " " + word;
  }

  /** Options that begin as the word does, or else the one that is most like it. */
  private static String nearestOptions(String word, List<String> options) {
    final List<String> longer =
        options.stream().filter(name -> word.length() > 3 && name.startsWith(word)).toList();
    return longer.isEmpty()
        ? NearestName.hint(word, options)
        : "; the nearest: " + String.join(", ", longer);
  }

  private static List<String> optionsOf(CommandLine line) {
    return line.getCommandSpec().options().stream()
        .filter(option -> !option.hidden())
        .flatMap(option -> Arrays.stream(option.names()))
        .filter(name -> name.startsWith("--"))
        .toList();
  }

  private static String nearestCommands(UnmatchedArgumentException unmatched) {
    final List<String> nearest =
        unmatched.getSuggestions().stream()
            .map(name -> name.substring(name.lastIndexOf(' ') + 1))
            .toList();
    return nearest.isEmpty() ? "" : "; the nearest: " + String.join(", ", nearest);
  }

  private static String missing(MissingParameterException failure) {
    final List<ArgSpec> missing = failure.getMissing();
    if (missing.size() == 1 && missing.getFirst() instanceof OptionSpec option) {
      return nameOf(option) + (option.required() ? " is missing" : " needs a value");
    }
    return missing.isEmpty()
        ? CommandMessages.textOf(failure)
        : missing.stream().map(FailureReport::nameOf).collect(Collectors.joining(" or "))
            + (missing.size() == 1 ? " is missing" : " must be given");
  }

  /** What an option must be, where its type says so; null for other failures. */
  private static @Nullable String valueOf(ParameterException failure) {
    final ArgSpec option = failure.getArgSpec();
    final String value = failure.getValue();
    if (option == null || value == null || failure.getCause() instanceof IllegalArgumentException) {
      return null;
    }
    final String given = nameOf(option) + "=" + value;
    final Class<?> type = option.typeInfo().getType();
    if (option.typeInfo().isEnum()) {
      final List<String> names =
          option.typeInfo().getEnumConstantNames().stream()
              .map(name -> name.toLowerCase(Locale.ROOT))
              .toList();
      return nameOf(option)
          + " must be one of "
          + String.join(", ", names)
          + ": "
          + given
          + NearestName.hint(value.toLowerCase(Locale.ROOT), names);
    }
    if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
      return nameOf(option) + " must be a whole number: " + given;
    }
    return type == double.class || type == Double.class
        ? nameOf(option) + " must be a number: " + given
        : null;
  }

  private static String nameOf(ArgSpec option) {
    return option instanceof OptionSpec named ? named.longestName() : option.paramLabel();
  }

  /** The command failed. */
  @Override
  public int handleExecutionException(Exception failure, CommandLine line, ParseResult parsed) {
    return new CommandMessages(line.getCommandSpec()).failed(failure);
  }
}
