package dev.headway.cli.command;

import dev.headway.cli.load.RecordedSettings;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Refuses options of a command line whose condition is not met, by their {@link Needs} and {@link
 * Excludes}, and values outside of their {@link InRange}. Stateless; any thread.
 */
public final class OptionConditions {

  private OptionConditions() {}

  /**
   * Looks at every option that was given.
   *
   * @param command a command line as it was parsed
   * @param environment variables by name
   * @throws ParameterException naming the option, its value and what it needs
   */
  public static void require(ParseResult command, Map<String, String> environment) {
    for (OptionSpec option : command.matchedOptions()) {
      if (option.userObject() instanceof AnnotatedElement field) {
        final InRange range = field.getAnnotation(InRange.class);
        if (range != null) {
          requireInRange(command, option, range);
        }
        for (Needs needs : field.getAnnotationsByType(Needs.class)) {
          requireMet(command, option, needs, environment);
        }
        final Excludes excludes = field.getAnnotation(Excludes.class);
        if (excludes != null) {
          requireAlone(command, option, excludes);
        }
      }
    }
  }

  private static void requireInRange(ParseResult command, OptionSpec option, InRange range) {
    final Object value = option.getValue();
    for (Object each : value instanceof Collection<?> several ? several : Arrays.asList(value)) {
      if (each instanceof Number number && !isIn(range, number.doubleValue())) {
        throw new ParameterException(
            command.commandSpec().commandLine(),
            Ranges.refusal(option.longestName(), Ranges.text(range), asWritten(option)));
      }
    }
  }

  private static boolean isIn(InRange range, double value) {
    return (range.above() ? value > range.from() : value >= range.from())
        && (range.below() ? value < range.to() : value <= range.to());
  }

  private static void requireMet(
      ParseResult command, OptionSpec option, Needs needs, Map<String, String> environment) {
    final String[] wanted =
        Stream.of(needs.value())
            .filter(name -> isOf(command.commandSpec(), name))
            .toArray(String[]::new);
    final boolean isMet =
        environment.containsKey(needs.variable())
            || List.of(needs.value()).stream().anyMatch(name -> isMet(command, name, needs))
            || isRecorded(command, needs);
    if (wanted.length > 0 && !isMet) {
      final String value =
          needs.is().length > 0 ? " " + anyOf(needs.is()) : otherThan(command, wanted);
      throw new ParameterException(
          command.commandSpec().commandLine(),
          "%s needs %s%s: %s"
              .formatted(option.longestName(), anyOf(wanted), value, asWritten(option)));
    }
  }

  /** The value that was given and means that there is nothing of the kind. */
  private static String otherThan(ParseResult command, String... wanted) {
    final @Nullable ArgSpec off = wanted.length == 1 ? given(command, wanted[0]) : null;
    return off == null || hasNoValue(off) ? "" : " other than " + lastValue(off);
  }

  /** Whether the load is a journal whose settings have what is needed. */
  private static boolean isRecorded(ParseResult command, Needs needs) {
    final @Nullable ArgSpec load = given(command, "LOAD");
    if (load == null) {
      return false;
    }
    try {
      final Map<String, String> recorded = RecordedSettings.of(lastValue(load)).options();
      return List.of(needs.value()).stream()
          .filter(name -> name.startsWith("--") && given(command, name) == null)
          .map(name -> recorded.get(name.substring(2)))
          .anyMatch(
              value ->
                  value != null && (needs.is().length == 0 || List.of(needs.is()).contains(value)));
    } catch (IOException | RuntimeException e) {
      return false; // the command says what is wrong with its load
    }
  }

  private static String anyOf(String... words) {
    final int last = words.length - 1;
    return last == 0
        ? words[0]
        : String.join(", ", List.of(words).subList(0, last)) + " or " + words[last];
  }

  private static boolean isMet(ParseResult command, String name, Needs needs) {
    final ArgSpec given = given(command, name);
    if (given == null) {
      return needs.byDefault();
    }
    final List<String> accepted = List.of(needs.is());
    return accepted.isEmpty()
        ? !isOff(given)
        : given.originalStringValues().stream()
            .anyMatch(value -> accepted.contains(value.toLowerCase(Locale.ROOT)));
  }

  /** Whether the value given is the one that means that there is nothing of the kind. */
  private static boolean isOff(ArgSpec option) {
    return List.of("none", "off", "false").contains(lastValue(option).toLowerCase(Locale.ROOT));
  }

  private static void requireAlone(ParseResult command, OptionSpec option, Excludes excludes) {
    for (String name : excludes.value()) {
      final @Nullable ArgSpec other = given(command, name);
      if (other != null && !isOff(other)) {
        throw new ParameterException(
            command.commandSpec().commandLine(),
            "%s and %s exclude each other: %s, %s"
                .formatted(
                    option.longestName(), nameOf(other), asWritten(option), asWritten(other)));
      }
    }
  }

  private static boolean isOf(CommandSpec command, String name) {
    return command.args().stream().anyMatch(argument -> isCalled(argument, name));
  }

  private static @Nullable ArgSpec given(ParseResult command, String name) {
    return command.matchedArgs().stream()
        .filter(argument -> isCalled(argument, name))
        .findFirst()
        .orElse(null);
  }

  private static boolean isCalled(ArgSpec argument, String name) {
    return argument instanceof OptionSpec option
        ? List.of(option.names()).contains(name)
        : argument.paramLabel().equals(name);
  }

  private static String nameOf(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }

  private static String asWritten(ArgSpec argument) {
    return nameOf(argument) + (hasNoValue(argument) ? "" : "=" + lastValue(argument));
  }

  private static boolean hasNoValue(ArgSpec option) {
    return option.arity().max() == 0;
  }

  private static String lastValue(ArgSpec option) {
    final List<String> values = option.originalStringValues();
    return values.isEmpty() ? "" : values.getLast();
  }
}
